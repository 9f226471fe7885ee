import { join } from 'node:path';

/** The sources of the server, as they are started from a clone. */
export const serverSources = join(import.meta.dirname, '../../apps/server/src/main.ts');

/** The server that tests start: the bundle that a run of the tests has made of the sources (`tools/tests/server-bundle.ts`), else these. */
export const serverMain = process.env.TEST_SERVER ?? serverSources;
