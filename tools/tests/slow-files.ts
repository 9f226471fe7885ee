import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import type { Cost } from './process-cost.ts';

/** How many files are named; more would hide the closing lines. */
const named = 12;

/** A reporter that names the test files of a run that lasted longest and those that took most CPU, and the sums of all. */
// biome-ignore lint/style/noDefaultExport: Node's test runner calls the default export of a reporter
export default async function* slowFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Map<string, number>();
  const add = (path: string, milliseconds: number) =>
    files.set(path, (files.get(path) ?? 0) + milliseconds / 1000);
  const shared = new Set<string>();
  const processes = new Map<string, number>();
  for await (const event of events) {
    const { file } = event.data as { file?: string };
    if (file === undefined) continue;
    if (event.type === 'test:summary') processes.set(file, event.data.duration_ms);
    // In a process that several files share, each file is a suite.
    if (event.type === 'test:complete' && event.data.nesting === 0 && event.data.name.endsWith('.test.ts')) {
      shared.add(file);
      add(event.data.name, event.data.details.duration_ms);
    }
  }
  for (const [entry, milliseconds] of processes)
    if (!shared.has(entry)) add(relative(process.cwd(), entry), milliseconds);
  const slowest = [...files].sort(([, left], [, right]) => right - left);
  const all = slowest.reduce((sum, [, seconds]) => sum + seconds, 0);
  yield `the slowest of ${slowest.length} test files, which took ${all.toFixed(0)} s one after another:\n`;
  for (const [path, seconds] of slowest.slice(0, named))
    yield `${seconds.toFixed(1).padStart(7)} s ${path}\n`;
  yield mostCostly();
}

/** Empty where the run counts no CPU. */
function mostCostly(): string {
  const file = process.env.TEST_COSTS;
  if (file === undefined || !existsSync(file)) return '';
  const costs = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Cost)
    .map(({ path, own, children }) => ({ path: relative(process.cwd(), path), seconds: own + children }))
    .sort((left, right) => right.seconds - left.seconds);
  const all = costs.reduce((sum, { seconds }) => sum + seconds, 0);
  const lines = costs
    .slice(0, named)
    .map(({ path, seconds }) => `${seconds.toFixed(1).padStart(7)} s ${path}\n`);
  return `the most costly test files; all of them took ${all.toFixed(0)} s of CPU:\n${lines.join('')}`;
}
