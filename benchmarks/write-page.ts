import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Latest, pageText } from './page.ts';

/** `npx node benchmarks/write-page.ts`: writes docs/benchmarks.md from the latest figures. */
const latest = JSON.parse(readFileSync(join(import.meta.dirname, 'latest.json'), 'utf8')) as Latest;
writeFileSync(join(import.meta.dirname, '../docs/benchmarks.md'), pageText(latest));
process.stdout.write('docs/benchmarks.md is written.\n');
