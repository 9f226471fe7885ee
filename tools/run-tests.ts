import { spawn } from 'node:child_process';
import { glob } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * `npm test`'s second half: every `*.test.ts` of the workspace under Node's own runner. Arguments that start with a dash go to the
 * runner (`--test-name-pattern=…`), others choose the files whose path contains one of them.
 */
const root = join(import.meta.dirname, '..');
const places = ['packages', 'apps', 'tools', 'conformance'];
const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const wanted = args.filter((arg) => !arg.startsWith('-'));

const paths: string[] = [];
for await (const path of glob(
  places.map((place) => `${place}/**/*.test.ts`),
  { cwd: root, exclude: (name) => /(^|\/)(node_modules|dist|data)$/.test(name) },
)) {
  if (wanted.length === 0 || wanted.some((part) => path.includes(part))) paths.push(path);
}
if (paths.length === 0) {
  console.error(`no test file's path contains ${wanted.map((part) => `'${part}'`).join(' or ')}`);
  process.exit(1);
}

const runner = spawn(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    `--test-concurrency=${Math.max(2, availableParallelism())}`,
    // A test that hangs fails by itself; the longest place real calls with software that we did not write.
    '--test-timeout=180000',
    ...options,
    ...paths.sort(),
  ],
  // A process group of its own, so that ending it ends what the tests have started.
  { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], detached: true },
);
function end(signal: NodeJS.Signals): void {
  try {
    process.kill(-runner.pid!, signal);
  } catch {
    // It has ended by itself.
  }
}
const ended = new Promise<number>((resolve) => {
  runner.once('close', (exitCode) => resolve(exitCode ?? 1));
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal));

// The runner's time limit does not see a file that hangs outside its tests. Four minutes are more than a test may take.
const silence = setTimeout(() => {
  console.log('no test has ended for 240 s: the runner is killed');
  end('SIGKILL');
}, 240_000);

// The runner prints its closing lines before the details of what failed; CI reads the last lines.
let closing: string[] = [];
for await (const line of createInterface({ input: runner.stdout })) {
  silence.refresh();
  if (/^ℹ tests \d/.test(line)) closing = [];
  if (/^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) \d/.test(line)) closing.push(line);
  else console.log(line);
}
const code = await ended;
clearTimeout(silence);
console.log(closing.length === 0 ? 'the runner ended without its closing lines' : closing.join('\n'));
process.exitCode = code === 0 && closing.length === 0 ? 1 : code;
