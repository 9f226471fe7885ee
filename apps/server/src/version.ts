import { createRequire } from 'node:module';

/** The version of the platform: of its package.json, which lies one directory above the sources and above the built files. */
export const version = (createRequire(import.meta.url)('../package.json') as { readonly version: string })
  .version;
