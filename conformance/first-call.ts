import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { bareSystem, noMounts } from './support/bare-system.ts';
import { spawnBound } from './support/bound-child.ts';
import { loudestToneDb, readWav } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { blocksRunBy, snippetsOf } from './support/snippets.ts';

/**
 * `npm run first-call`: follows the README from the clone to a coached call, in a root directory with Node, npm and a shell alone, and prints
 * the time. The terminal with curl is outside. Packages come from npm's cache: the time has no download. `.ci/run` starts it while nothing else
 * runs. A longer time is said and is no failure: the machine may be slow. It needs root.
 */
const root = join(import.meta.dirname, '..');
const limitS = 60;
/** The coach plays a tone of 1 kHz; the phones that talk and echo have little there. */
const coachHz = 1000;
const audibleDb = -25;

/** A reader's Node, which may be older than the Node of the server. */
const readersNode = execFileSync('which', ['node'], {
  encoding: 'utf8',
  env: {
    PATH: (process.env.PATH ?? '')
      .split(delimiter)
      .filter((each) => !each.includes('node_modules'))
      .join(delimiter),
  },
}).trim();

const refusal =
  process.getuid?.() === 0
    ? missing('unshare', 'chroot', 'ldd', 'npm', 'curl', 'git') || noMounts()
    : 'it needs root';
if (refusal === false) await firstCall();
else process.stdout.write(`The first call is left out: ${refusal}\n`);

async function firstCall(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'first-call-'));
  const bare = bareSystem(join(directory, 'bare'), readersNode);
  mkdirSync(join(bare, 'npm-cache'));
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [install = '', terminal = '', ...requests] = snippetsOf(readme)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text);
  for (const { text } of blocksRunBy('docs/start/install.md', import.meta.filename))
    assert.equal(text, install);
  const [ci = '', start = ''] = install.trim().split('\n');
  assert.match(terminal, /^export JACKFIELD=/, 'the second block of the README is what npm start prints');
  const ending = requests.at(-1) ?? '';
  let server: ReturnType<typeof started> | undefined;
  try {
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1000;
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${root}`, join(bare, 'clone')]);
    const clonedS = seconds();
    const installing = spawnSync(...inside(bare, ci));
    if (/ENOTCACHED/.test(installing.stderr)) {
      process.stdout.write(`The first call is left out: the cache of npm lacks packages of ${ci}\n`);
      return;
    }
    succeeds(installing, ci);
    const installedS = seconds();
    server = started(bare, start);
    const pasted = await server.log.until('the line to paste', (line) => line.includes('export JACKFIELD='), {
      limitMs: 60_000,
    });
    const startedS = seconds();
    const account = pastedAt(bare, pasted);
    const paste = (commands: string) => {
      const script = `curl() { command curl -sS --fail-with-body "$@"; }\n${commands}`;
      return succeeds(spawnSync('sh', ['-euc', script], { encoding: 'utf8', env: account }), commands);
    };
    for (const request of requests.slice(0, -1)) paste(request);
    const { objects } = JSON.parse(
      paste('curl -u $AUTH $JACKFIELD/MultiPartyCall/name_demo/Participant/'),
    ) as {
      readonly objects: readonly { readonly role: string; readonly call_uuid: string }[];
    };
    const callOf = (named: string) =>
      objects.find(({ role }) => role.toLowerCase() === named)?.call_uuid ??
      assert.fail(`there is no ${named} among ${JSON.stringify(objects)}`);
    const hears = async (role: string) => {
      const file = `${role}.wav`;
      const listen = `npx jackfield listen ${callOf(role)} --output ${file} --seconds 2`;
      succeeds(spawnSync(...inside(bare, listen, account)), listen);
      return loudestToneDb(await readWav(join(bare, 'clone', file), 1), coachHz, 0.5);
    };
    assert.ok((await hears('agent')) > audibleDb, 'the agent does not hear the coach');
    const heardS = seconds();
    assert.ok((await hears('customer')) < audibleDb, 'the customer hears the coach');
    paste(ending);
    const parts = [
      `clone ${clonedS.toFixed(1)}`,
      `${ci} ${(installedS - clonedS).toFixed(1)}`,
      `${start} ${(startedS - installedS).toFixed(1)}`,
      `calls heard ${(heardS - startedS).toFixed(1)}`,
    ];
    process.stdout.write(
      `From the clone to a coached call that is heard: ${heardS.toFixed(1)} s plus download (${parts.join(', ')}; Node ${execFileSync(readersNode, ['--version'], { encoding: 'utf8' }).trim()} and npm alone)\n`,
    );
    if (heardS > limitS)
      process.stdout.write(`That is more than the ${limitS} s that are promised of two idle cores.\n`);
  } finally {
    await server?.end();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A command in the clone inside the bare directory, whose mounts end with it. */
function inside(bare: string, command: string, account: NodeJS.ProcessEnv = {}) {
  const mounts = [
    `mount -t proc proc ${bare}/proc`,
    `mount --rbind /dev ${bare}/dev`,
    `mount --bind ${join(homedir(), '.npm')} ${bare}/npm-cache`,
  ].join(' && ');
  const script = `${mounts} && exec chroot ${bare} /bin/sh -c 'cd /clone && exec ${command}'`;
  const env = {
    ...account,
    PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
    HOME: '/root',
    npm_config_cache: '/npm-cache',
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  return ['unshare', ['--mount', 'sh', '-c', script], { encoding: 'utf8', env }] as const;
}

/** What the terminal outside has after the line was pasted; the token is in a file, because no terminal shows the output of the server. */
function pastedAt(bare: string, line: string): NodeJS.ProcessEnv {
  const script = `${line.trim().replace('/clone/', `${bare}/clone/`)}\nprintf '%s %s' "$JACKFIELD" "$AUTH"`;
  const [JACKFIELD, AUTH] = execFileSync('sh', ['-euc', script], { encoding: 'utf8' }).split(' ');
  return { PATH: process.env.PATH, JACKFIELD, AUTH };
}

function started(bare: string, command: string) {
  const [program, args, { env }] = inside(bare, command);
  const log = new Happenings<string>();
  const child = spawnBound(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  const closed = once(child, 'close');
  eachLine(child.stdout!, (line) => log.add(line));
  eachLine(child.stderr!, (line) => log.add(line));
  void closed.then(() => log.close('npm start has ended'));
  return {
    log,
    /** The server drains when npm has ended, and closes the output. */
    async end(): Promise<void> {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

function succeeds(
  { status, stdout, stderr }: { status: number | null; stdout: string; stderr: string },
  command: string,
) {
  assert.equal(status, 0, `${command}\n${stdout}${stderr}`);
  return stdout;
}
