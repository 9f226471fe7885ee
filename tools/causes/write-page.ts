import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagePath, pageText } from './page.ts';

/** Writes docs/reference/causes.md from the platform as it is. */
writeFileSync(join(import.meta.dirname, '../..', pagePath), pageText());
process.stdout.write(`${pagePath} is written.\n`);
