import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eachLine, Happenings } from './support/lines.ts';
import { rtpRange } from './support/ports.ts';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'apps/server/package.json'), 'utf8')) as {
  readonly version: string;
};
const authId = 'MAINSTALLED000000000';
const authToken = 'aW5zdGFsbGVkaW5zdGFsbGVkaW5zdGFsbGVkaW5z';

/** As in a user's shell: without the programs of the workspace. */
const path = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((each) => !each.includes('node_modules'))
  .join(delimiter);

describe('the package, installed in another directory', { timeout: 240_000 }, () => {
  let directory: string;
  let command: string;
  let warnings: readonly string[];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-'));
    await writeFile(join(directory, 'package.json'), '{}');
    const pack = [join(root, 'tools/publish/pack.ts'), 'jackfield'];
    const tarball = execFileSync(process.execPath, pack, { cwd: root, encoding: 'utf8' }).trim();
    const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball];
    const { status, stderr } = spawnSync('npm', install, {
      cwd: directory,
      encoding: 'utf8',
      env: { PATH: path, HOME: process.env.HOME },
    });
    assert.equal(status, 0, stderr);
    warnings = stderr.split('\n').filter((line) => line.includes('npm warn'));
    command = join(directory, 'node_modules/.bin/jackfield');
  });

  after(() => rm(directory, { recursive: true, force: true }));

  it('brings warnings about no package of ours', () => {
    assert.deepEqual(
      warnings.filter((line) => line.includes('jackfield')),
      [],
    );
  });

  it('runs no script of ours when it is installed', () => {
    const manifest = readFileSync(join(directory, 'node_modules/jackfield/package.json'), 'utf8');
    assert.equal((JSON.parse(manifest) as { scripts?: unknown }).scripts, undefined);
    assert.ok(!existsSync(join(directory, 'node_modules/node')), 'the package with an install script');
  });

  it('prints its version', () => {
    const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', env: { PATH: path } });
    assert.equal(stdout, `${version}\n`);
  });

  it('starts the sandbox with the built console, where a phone answers a call, and drains', async () => {
    const { child, log } = startedDev();
    const closed = once(child, 'close');
    await log.until('the address', (line) => /^ {2}API +http/.test(line), { limitMs: 60_000 });
    const api = /http:\S+/.exec(log.all.find((line) => /^ {2}API/.test(line)) ?? '')?.[0] ?? '';
    // Nothing is built here: the first request gets the page and its script.
    const page = await (await fetch(new URL('/console/', api))).text();
    const script = /src="(\/console\/assets\/[^"]+)"/.exec(page)?.[1] ?? '';
    assert.equal(
      (await fetch(new URL(script, api))).headers.get('content-type'),
      'text/javascript; charset=utf-8',
    );
    const call = await fetch(`${api}MultiPartyCall/name_demo/Participant/`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${authId}:${authToken}`)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ role: 'customer', from: '+12025550000', to: '+12025550101' }),
    });
    assert.equal(call.status, 201, await call.text());
    await log.until('the call', (line) => /answered/.test(line), { limitMs: 20_000 });
    child.kill('SIGTERM');
    await closed;
    assert.equal(child.exitCode, 0, log.all.join('\n'));
  });

  function startedDev() {
    const { first, last } = rtpRange();
    const log = new Happenings<string>();
    const child = spawn(command, ['dev'], {
      cwd: directory,
      env: {
        PATH: path,
        JACKFIELD_HTTP_PORT: '0',
        JACKFIELD_SIP_PORT: '0',
        JACKFIELD_RTP_PORTS: `${first}-${last}`,
        JACKFIELD_DATA_DIR: join(directory, 'data'),
        JACKFIELD_AUTH_ID: authId,
        JACKFIELD_AUTH_TOKEN: authToken,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    eachLine(child.stdout, (line) => log.add(line));
    eachLine(child.stderr, (line) => log.add(line));
    return { child, log };
  }
});
