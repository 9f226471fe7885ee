import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pagePath, pageText } from './page.ts';

/** Writes docs/reference/stream-frames.md from the contract as it is. */
writeFileSync(join(import.meta.dirname, '../..', pagePath), pageText());
process.stdout.write(`${pagePath} is written.\n`);
