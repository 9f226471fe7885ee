import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** How many files are named; more would hide the closing lines. */
const named = 12;

/** A reporter that names the slowest test files of a run, the slowest first, and the sum of all. */
// biome-ignore lint/style/noDefaultExport: Node's test runner calls the default export of a reporter
export default async function* slowFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: { readonly path: string; readonly seconds: number }[] = [];
  for await (const event of events) {
    if (event.type !== 'test:summary' || event.data.file === undefined) continue;
    files.push({ path: relative(process.cwd(), event.data.file), seconds: event.data.duration_ms / 1000 });
  }
  files.sort((left, right) => right.seconds - left.seconds);
  const all = files.reduce((sum, { seconds }) => sum + seconds, 0);
  yield `the slowest of ${files.length} test files, which took ${all.toFixed(0)} s one after another:\n`;
  for (const { path, seconds } of files.slice(0, named))
    yield `${seconds.toFixed(1).padStart(7)} s ${path}\n`;
}
