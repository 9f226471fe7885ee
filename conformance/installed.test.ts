import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { eachLine, Happenings } from './support/lines.ts';
import { npmInstall, shellPath } from './support/npm-install.ts';
import { rtpRange } from './support/ports.ts';
import { blocksRunBy } from './support/snippets.ts';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'apps/server/package.json'), 'utf8')) as {
  readonly version: string;
};
const authId = 'MAINSTALLED000000000';
const authToken = 'aW5zdGFsbGVkaW5zdGFsbGVkaW5zdGFsbGVkaW5z';

const libraries = ['sip', 'sdp', 'contract', 'stream-kit', 'hosted-sdk', 'voice-sdk', 'testing'];

/** Pages that say what to install. */
const pages = [
  'docs/guides/hosted-sdks.md',
  'docs/guides/production.md',
  'docs/operate/systemd.md',
  'docs/start/install.md',
  'packages/hosted-sdk/README.md',
  'packages/stream-kit/README.md',
];

describe('all packages, installed in another directory', { timeout: 400_000 }, () => {
  let directory: string;
  let command: string;
  const tarballs: string[] = [];

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jackfield-'));
    await writeFile(join(directory, 'package.json'), '{}');
    command = join(directory, 'node_modules/.bin/jackfield');
  });

  after(() => rm(directory, { recursive: true, force: true }));

  for (const name of [...libraries, 'jackfield']) {
    it(`are packed one by one: ${name}, in the version of the server`, async () => {
      const pack = [join(root, 'tools/publish/pack.ts'), '--into', join(directory, 'dist'), name];
      // Not synchronous: the runner would learn of no test that has ended.
      const { stdout } = await promisify(execFile)(process.execPath, pack, { cwd: root });
      const tarball = stdout.trim();
      const file = `${name === 'jackfield' ? '' : 'jackfield-'}${name}-${version}.tgz`;
      assert.equal(tarball, join(directory, 'dist', file));
      tarballs.push(tarball);
    });
  }

  it('are installed together, with warnings about no package of the workspace', () => {
    // The libraries need Node 24; npm warns under an older one.
    const { status, stderr } = npmInstall(directory, ...tarballs);
    assert.equal(status, 0, stderr);
    const warnings = stderr.split('\n').filter((line) => line.includes('npm warn'));
    assert.deepEqual(
      warnings.filter((line) => line.includes('jackfield')),
      [],
    );
    const installed = globSync('*', { cwd: join(directory, 'node_modules/@jackfield') });
    assert.deepEqual(installed.sort(), [...libraries].sort());
  });

  it('are the packages that pages install, in the same versions', () => {
    const { version: hosted } = JSON.parse(
      readFileSync(join(root, 'node_modules/plivo/package.json'), 'utf8'),
    ) as { readonly version: string };
    const known = new Set([
      ...tarballs.map((tarball) => basename(tarball)),
      ...libraries.map((name) => `@jackfield/${name}`),
      // The version that the tests of hosted-sdk call.
      `plivo@${hosted}`,
    ]);
    for (const page of pages)
      for (const { text } of blocksRunBy(page, import.meta.filename)) {
        const [, names = ''] = /^npm install (?:-g )?(.+)\n$/.exec(text) ?? assert.fail(`${page}: ${text}`);
        for (const name of names.split(' '))
          assert.ok(known.has(name.replace('./dist/', '')), `${page}: ${name}`);
      }
  });

  it('have declarations for each module that other projects import', () => {
    const modules = join(directory, 'node_modules/@jackfield');
    for (const name of globSync('*', { cwd: modules })) {
      const { exports } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) as {
        readonly exports: Readonly<Record<string, Readonly<Record<'types' | 'default', string>>>>;
      };
      for (const paths of Object.values(exports)) {
        for (const path of [paths.types, paths.default])
          assert.ok(existsSync(join(modules, name, path)), `${name}: ${path}`);
      }
    }
  });

  it('runs no script of its packages when it is installed', () => {
    const manifest = readFileSync(join(directory, 'node_modules/jackfield/package.json'), 'utf8');
    assert.equal((JSON.parse(manifest) as { scripts?: unknown }).scripts, undefined);
    assert.ok(!existsSync(join(directory, 'node_modules/node')), 'the package with an install script');
  });

  it('prints its version', () => {
    const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8', env: { PATH: shellPath } });
    assert.equal(stdout, `${version}\n`);
    const npx = spawnSync('npx', ['--offline', 'jackfield', '--version'], {
      cwd: directory,
      encoding: 'utf8',
      env: { PATH: shellPath, HOME: process.env.HOME },
    });
    assert.equal(npx.stdout, `${version}\n`, npx.stderr);
  });

  it('rings a phone of a world for tests, which hears the program', async () => {
    const program = createServer((_, response) =>
      response.end('<Response><Speak>Hello from the program.</Speak></Response>'),
    );
    await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
    const { child, log } = started(['test-server', '--port', '0'], { PATH: shellPath });
    const closed = once(child, 'close');
    try {
      const greeting = await log.until('the address', (line) => line.includes('http://'));
      const worlds = /http:\S+/.exec(greeting)?.[0] ?? '';
      const post = async (url: string, fields: object) => {
        const answer = await fetch(url, { method: 'POST', body: JSON.stringify(fields) });
        const text = await answer.text();
        assert.equal(answer.status, 200, text);
        return JSON.parse(text) as Readonly<Record<string, string>>;
      };
      const url = `http://127.0.0.1:${(program.address() as AddressInfo).port}`;
      const phone = `${worlds}/${(await post(worlds, { program: url })).world}/phones/+14155550100`;
      await post(`${phone}/dial`, { to: '/answer' });
      await post(`${phone}/hears`, { text: 'hello from the program' });
    } finally {
      child.kill('SIGTERM');
      await closed;
      program.close().closeAllConnections();
    }
    assert.equal(child.exitCode, 0, log.all.join('\n'));
  });

  it('starts the sandbox with the built console and guide, where a phone answers a call, and drains', async () => {
    const { child, log } = startedDev();
    const closed = once(child, 'close');
    await log.until('the address', (line) => /^ {2}API +http/.test(line));
    const api = /http:\S+/.exec(log.all.find((line) => /^ {2}API/.test(line)) ?? '')?.[0] ?? '';
    // Nothing is built here: the first request gets the page and its script.
    const page = await (await fetch(new URL('/console/', api))).text();
    const script = /src="(\/console\/assets\/[^"]+)"/.exec(page)?.[1] ?? '';
    assert.equal(
      (await fetch(new URL(script, api))).headers.get('content-type'),
      'text/javascript; charset=utf-8',
    );
    const guide = await fetch(new URL('/docs/guide/', api));
    assert.match(await guide.text(), /<h1[^>]*>Jackfield/);
    const call = await fetch(`${api}MultiPartyCall/name_demo/Participant/`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${authId}:${authToken}`)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ role: 'customer', from: '+12025550000', to: '+12025550101' }),
    });
    assert.equal(call.status, 201, await call.text());
    await log.until('the call', (line) => /answered/.test(line));
    child.kill('SIGTERM');
    await closed;
    assert.equal(child.exitCode, 0, log.all.join('\n'));
  });

  function startedDev() {
    const { first, last } = rtpRange();
    return started(['dev'], {
      PATH: shellPath,
      JACKFIELD_HTTP_PORT: '0',
      JACKFIELD_SIP_PORT: '0',
      JACKFIELD_RTP_PORTS: `${first}-${last}`,
      JACKFIELD_DATA_DIR: join(directory, 'data'),
      JACKFIELD_AUTH_ID: authId,
      JACKFIELD_AUTH_TOKEN: authToken,
    });
  }

  function started(args: readonly string[], env: NodeJS.ProcessEnv) {
    const log = new Happenings<string>();
    const child = spawn(command, args, { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
    eachLine(child.stdout, (line) => log.add(line));
    eachLine(child.stderr, (line) => log.add(line));
    return { child, log };
  }
});
