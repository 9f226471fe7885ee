export { createNameLookup, type NameLookup, type NameLookupOptions } from './name-lookup.ts';
