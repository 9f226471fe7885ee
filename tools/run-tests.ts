import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findTests } from './tests/find-tests.ts';
import { oldestChild } from './tests/oldest-child.ts';
import { createRunDirectory } from './tests/run-directory.ts';
import { bundleServer } from './tests/server-bundle.ts';
import { groupTests, writeGroups } from './tests/test-groups.ts';

/**
 * `npm test`'s second half: the `*.test.ts` files of the workspace under Node's own runner. Arguments that start with a dash go to the
 * runner (`--test-name-pattern=…`), others choose the files whose path contains one of them; `--quick` chooses the quick tier.
 */
const root = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-') && arg !== '--quick');
const parts = args.filter((arg) => !arg.startsWith('-'));

const isQuick = args.includes('--quick');
// Each suite over PostgreSQL starts a server of its own; the quick tier has the same suites over the embedded database.
if (isQuick) options.push(String.raw`--test-skip-pattern=/\(PostgreSQL\)/`);

const paths = await findTests(root, { parts, isQuick });
if (paths.length === 0) {
  console.error(`no test file's path contains ${parts.map((part) => `'${part}'`).join(' or ')}`);
  process.exit(1);
}

const directory = await createRunDirectory();
const cache = join(root, 'node_modules/.cache');
const startsServers = paths.some((path) => path.startsWith('conformance/'));
const groups = await writeGroups(groupTests(paths), { root, directory: join(directory, 'groups') });

// fast-check takes whole numbers of 32 bits.
const seed = process.env.TEST_SEED ?? String(randomInt(2 ** 31));
const seedLine = `the random tests have the seed ${seed}: TEST_SEED=${seed} repeats them`;
console.log(seedLine);

const runner = spawn(
  process.execPath,
  [
    '--test',
    `--import=${join(root, 'tools/tests/random-seed.ts')}`,
    `--import=${join(root, 'tools/tests/process-cost.ts')}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${join(root, 'tools/tests/slow-files.ts')}`,
    '--test-reporter-destination=stderr',
    // One process more than cores: tests of phones and callbacks mostly wait. With two more, files that compute leave browsers so little of two
    // busy cores that pages do not hear each other in time.
    `--test-concurrency=${Math.max(3, availableParallelism() + 1)}`,
    // A test that hangs fails by itself; the longest conformance test lasts two minutes.
    '--test-timeout=180000',
    ...options,
    ...groups,
  ],
  {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      TEST_SEED: seed,
      TMPDIR: directory,
      TEST_COSTS: join(directory, 'costs'),
      // Several test files pack: `tools/publish/pack.ts` does so once a run.
      TEST_PACKAGES: join(directory, 'packages'),
      // Types are stripped and sources compiled once, not once a process.
      NODE_COMPILE_CACHE: join(cache, 'compiled'),
      ...(startsServers ? { TEST_SERVER: await bundleServer(root, join(cache, 'test-server')) } : {}),
    },
    // A process group of its own, so that ending it ends what the tests have started.
    detached: true,
  },
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

// The runner's time limit does not see a process that stays after its tests. Four minutes are more than a test may take. The runner prints
// in the order in which processes started, so the oldest process is the silent one; the others go on without it.
const silence = setTimeout(async () => {
  const hung = await oldestChild(runner.pid!);
  if (hung === undefined) {
    console.log('no test has ended for 240 s: the runner is killed');
    end('SIGKILL');
    return;
  }
  console.log(`no test has ended for 240 s: the process of ${hung.command} is killed`);
  process.kill(hung.pid, 'SIGKILL');
  silence.refresh();
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
await rm(directory, { recursive: true, force: true });
if (code !== 0) console.log(seedLine);
console.log(closing.length === 0 ? 'the runner ended without its closing lines' : closing.join('\n'));
process.exitCode = code === 0 && closing.length === 0 ? 1 : code;
