import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSourceFiles } from '../checks/source-files.ts';
import { pageOf, pagePath } from './page.ts';

/** Writes docs/reference/rfc-coverage.md from the sources as they are. */
const root = join(import.meta.dirname, '../..');
writeFileSync(join(root, pagePath), pageOf(await readSourceFiles(root)));
console.log(`${pagePath} is written.`);
