import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagePath, pageText } from './page.ts';

/** Writes docs/reference/commands.md from the definitions of the commands. */
writeFileSync(join(import.meta.dirname, '../..', pagePath), pageText());
process.stdout.write(`${pagePath} is written.\n`);
