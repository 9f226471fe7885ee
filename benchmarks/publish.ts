import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Latest, pageText } from './page.ts';
import { withResult } from './published.ts';
import { readResult } from './report.ts';

/** `npx node benchmarks/publish.ts <bench> <heading> <run>`: the figures of `results/<bench>.json` become the latest ones of that heading. */
const [bench = '', area = '', run = ''] = process.argv.slice(2);
if (bench === '' || area === '' || run === '') {
  process.stderr.write('The name of a bench, a heading and the key of a run are needed: console Console E\n');
  process.exit(2);
}
const file = join(import.meta.dirname, 'latest.json');
const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const latest = JSON.parse(readFileSync(file, 'utf8')) as Latest;
const next = withResult(latest, readResult(bench), { area, run, commit });
writeFileSync(file, `${JSON.stringify(next, null, 2)}\n`);
writeFileSync(join(import.meta.dirname, '../docs/benchmarks.md'), pageText(next));
process.stdout.write('benchmarks/latest.json and docs/benchmarks.md are written.\n');
