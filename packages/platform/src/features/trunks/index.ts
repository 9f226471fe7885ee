export { createTrunks } from './create-trunks.ts';
