import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { findTests, ownMachine } from './tests/find-tests.ts';
import { createRunDirectory } from './tests/run-directory.ts';
import { bundleServer } from './tests/server-bundle.ts';
import { groupTests, writeGroups } from './tests/test-groups.ts';
import { closingLines, type RunnerEnd, runTestFiles } from './tests/test-runner.ts';

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

// fast-check takes whole numbers of 32 bits.
const seed = process.env.TEST_SEED ?? String(randomInt(2 ** 31));
const seedLine = `the random tests have the seed ${seed}: TEST_SEED=${seed} repeats them`;
console.log(seedLine);

const env = {
  ...process.env,
  TEST_SEED: seed,
  TMPDIR: directory,
  TEST_COSTS: join(directory, 'costs'),
  // Several test files pack: `tools/publish/pack.ts` does so once a run.
  TEST_PACKAGES: join(directory, 'packages'),
  // Types are stripped and sources compiled once, not once a process.
  NODE_COMPILE_CACHE: join(cache, 'compiled'),
  ...(startsServers ? { TEST_SERVER: await bundleServer(root, join(cache, 'test-server')) } : {}),
};

const needsMachine = (path: string) => ownMachine.includes(path);
const runs = [
  { name: 'alone', paths: paths.filter(needsMachine), concurrency: 1 },
  {
    name: 'beside-others',
    paths: paths.filter((path) => !needsMachine(path)),
    // Two processes more than cores: tests of phones and callbacks mostly wait.
    concurrency: Math.max(4, availableParallelism() + 2),
  },
];
const ends: RunnerEnd[] = [];
for (const { name, paths: chosen, concurrency } of runs) {
  if (chosen.length === 0 || ends.some(({ isStopped }) => isStopped)) continue;
  const groups = await writeGroups(groupTests(chosen), { root, directory: join(directory, 'groups', name) });
  ends.push(await runTestFiles(groups, { root, concurrency, options, env }));
}
await rm(directory, { recursive: true, force: true });

// After the output of all runs: of a long log, CI shows the end.
for (const { failures } of ends) for (const line of failures) console.log(line);
const hasFailed = ends.some(({ code }) => code !== 0);
if (hasFailed) console.log(seedLine);
const isCut = ends.some(({ counts }) => counts.size === 0);
// CI reads the last lines.
console.log(isCut ? 'the runner ended without its closing lines' : closingLines(ends).join('\n'));
process.exitCode = hasFailed || isCut ? 1 : 0;
