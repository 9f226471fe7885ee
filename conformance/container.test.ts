import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { noMounts } from './support/bare-system.ts';
import { BaresipPhone } from './support/baresip-phone.ts';
import { spawnBound } from './support/bound-child.ts';
import { Composition } from './support/composition.ts';
import { loudestToneDb, readWav } from './support/heard.ts';
import { missing } from './support/installed.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { enterOwnNetwork } from './support/own-network.ts';
import { leaveControlGroups, npmOfBuild, Podman } from './support/podman.ts';
import { importRegistryImages } from './support/registry-images.ts';
import { blocksRunBy } from './support/snippets.ts';
import { WebSocketPhone } from './support/web-socket-phone.ts';

const root = join(import.meta.dirname, '..');
const [image, composed] = blocksRunBy('docs/operate/containers.md', import.meta.filename);
/** Of the machine, in the page and in `.env.example`. */
const publicAddress = '198.51.100.7';

/** A second of what a phone hears, as 16-bit samples at 8 kHz. */
const heardBytes = 16_000;

const programs = ['podman', 'crun', 'iptables', 'docker-compose', 'caddy', 'baresip', 'sox'];
const refusal =
  process.getuid?.() === 0
    ? missing(...programs, 'ldd', 'npm', 'ip') ||
      (existsSync('/usr/lib/podman/netavark') ? noMounts() : 'not installed: netavark (.ci/run installs it)')
    : 'needs root';

describe('the container image and the compose file', { skip: refusal, timeout: 600_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'c-'));
  const context = join(directory, 'clone');
  const podman = new Podman(directory);

  before(() => {
    // What git has of the files that the commands of the page read.
    cpSync(join(root, 'deploy'), join(context, 'deploy'), { recursive: true });
    cpSync(join(root, '.containerignore'), join(context, '.containerignore'));
  });

  after(() => {
    podman.run('rm', '--all', '--force', '--time', '0');
    // Podman mounts its storage on itself, in the mounts of each namespace.
    spawnSync('umount', [join(directory, 'storage/overlay')]);
    rmSync(directory, { recursive: true, force: true });
  });

  /** Commands of the page in the clone, as a reader runs them: `first-call.ts` runs `npm ci`. */
  const commands = (text: string) => {
    const pack = `'${process.execPath}' '${join(root, 'tools/publish/pack.ts')}' --into dist jackfield`;
    const volumes = npmOfBuild().volumes.map((each) => `--volume '${each}'`);
    return `set -eu
npm() { case "$*" in ci) ;; 'run pack -- jackfield') ${pack} ;; *) return 1 ;; esac; }
podman() {
  case "$1" in
    build) shift; command podman build --pull=never ${volumes.join(' ')} "$@" ;;
    # As podman from 4.7 on: it gives the compose of Docker its own socket.
    compose) shift; DOCKER_HOST='unix://${podman.socket}' docker-compose "$@" ;;
    *) exec podman "$@" ;;
  esac
}
${text}`;
  };

  async function follow(text: string): Promise<void> {
    await promisify(execFile)('sh', ['-c', commands(text)], { cwd: context, env: podman.env });
  }

  const [pack = '', build = '', run = ''] = image!.text.split(/^(?=podman)/m);

  it('has images under the names of the registry below it, of programs of Debian', () => {
    importRegistryImages(podman, join(directory, 'images'));
    assert.equal(podman.run('images', '--quiet').split('\n').length, 3);
  });

  it('is packed as the page does it', () => follow(pack));

  it('is built as the page does it', () => follow(build));

  it('runs the server as a user without rights, drains at a signal, and has a health check', () => {
    const [{ Config, Healthcheck }] = JSON.parse(podman.run('image', 'inspect', 'jackfield'));
    const { User, Entrypoint, Cmd, StopSignal } = Config;
    assert.deepEqual(
      { User, Entrypoint, Cmd, StopSignal },
      {
        User: '10001:10001',
        Entrypoint: ['/opt/jackfield/node_modules/.bin/jackfield'],
        Cmd: ['start'],
        StopSignal: 'SIGTERM',
      },
    );
    assert.deepEqual(Healthcheck.Test, ['CMD', 'node', '/opt/jackfield/health-check.mjs']);
  });

  it('gives its user one directory, has no Node for older systems, what certificates need, and fails its health check without a server', () => {
    // The build needed the registry of npm; what runs needs ports of its own.
    const own = enterOwnNetwork();
    assert.ok('ipv6' in own, JSON.stringify(own));
    leaveControlGroups();
    spawnSync('ip', ['address', 'add', `${publicAddress}/32`, 'dev', 'own']);
    const found = podman.run(
      'run',
      '--rm',
      '--network=host',
      '--entrypoint=node',
      'jackfield',
      '-e',
      listOwned,
    );
    assert.deepEqual(found.split('\n'), ['/var/lib/jackfield', 'health check 1']);
  });

  it('answers its health check while the server runs as the page starts it, and drains', async () => {
    const log = new Happenings<string>();
    const child = spawnBound('sh', ['-c', commands(run)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: podman.env,
    });
    const closed = once(child, 'close');
    eachLine(child.stdout!, (line) => log.add(line));
    eachLine(child.stderr!, (line) => log.add(line));
    void closed.then(() => log.close('the container has ended'));
    await log.until('the start', (line) => line.includes('Jackfield is ready'), { limitMs: 60_000 });
    const container = podman.run('ps', '--quiet');
    podman.run('healthcheck', 'run', container);
    await assertProbed('http://127.0.0.1:8080', podman.run('inspect', '--format={{.State.Pid}}', container));
    podman.run('stop', container);
    await closed;
    assert.ok(
      log.all.some((line) => line.includes('Jackfield has ended')),
      log.all.join('\n'),
    );
  });

  describe('of compose.yaml', () => {
    let compose: Composition;

    before(async () => {
      compose = await Composition.start(podman, 'deploy');
    });
    after(() => compose.end());

    it('are up as the page starts them, the server after the database is healthy', async () => {
      const [copy = '', up = ''] = composed!.text.split(/^(?=podman)/m);
      // Debian 12 has the compose of 2021, when a file had no name of its own: the directory gives it one.
      const file = join(context, 'deploy/compose.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^name: .*$/m, ''));
      await follow(copy);
      const env = join(context, 'deploy/.env');
      // For this name the proxy makes a certificate by itself: no authority is to be reached.
      const filled = readFileSync(env, 'utf8').replace(/^DOMAIN=.*$/m, 'DOMAIN=localhost');
      writeFileSync(env, filled.replace(/^\w+=$/gm, `$&${'0f'.repeat(32)}`));
      await follow(up);
      assert.deepEqual(compose.running(), ['database', 'jackfield', 'proxy']);
      assert.equal(compose.health('database'), 'healthy');
    });

    it('let phones register, in a browser through the proxy, and call each other', async (t) => {
      await compose.ready();
      const browser = await WebSocketPhone.connect({
        ...(await compose.endpoint('browser')),
        url: 'wss://localhost/sip',
        domain: 'localhost',
        authority: compose.authority(),
      });
      assert.equal(await browser.register(), 200);
      browser.vanish();
      const phones: BaresipPhone[] = [];
      t.after(() => Promise.all(phones.map((phone) => phone.stop())));
      const register = async (name: string, toneHz: number) => {
        const endpoint = await compose.endpoint(name);
        const phone = await BaresipPhone.start({ ...endpoint, registrar: '127.0.0.1:5060', toneHz });
        phones.push(phone);
        await phone.registered();
        return { phone, username: endpoint.username };
      };
      const [alice, bob] = [await register('alice', 1000), await register('bob', 600)];
      alice.phone.dial(`sip:${bob.username}@127.0.0.1:5060`);
      await Promise.all([alice.phone.established(), bob.phone.established()]);
      for (const { phone } of [alice, bob])
        while (statSync(await phone.heard()).size < heardBytes) await sleep(50);
      alice.phone.hangUp();
      await Promise.all([alice.phone.closed(), bob.phone.closed()]);
      assert.ok(loudestToneDb(await readWav(await alice.phone.heard()), 600, 0.2) > -30);
      assert.ok(loudestToneDb(await readWav(await bob.phone.heard()), 1000, 0.2) > -30);
      await compose.healthy('jackfield');
    });

    it('keep account and endpoints when the containers are stopped and made again, then go', async () => {
      const before = await compose.api('GET', 'Endpoint/');
      assert.equal(before.meta.total_count, 3);
      await follow('podman compose -f deploy/compose.yaml down');
      assert.deepEqual(compose.running(), []);
      await follow('podman compose -f deploy/compose.yaml up -d');
      await compose.ready();
      assert.deepEqual((await compose.api('GET', 'Endpoint/')).objects.length, 3);
      await follow('podman compose -f deploy/compose.yaml down --volumes');
      assert.equal(
        podman.run('ps', '--all', '--quiet') + podman.run('volume', 'ls', '--quiet', '--filter=name=deploy'),
        '',
      );
    });
  });
});

/** The probes of the objects for Kubernetes succeed at this server, which needs less memory than they request for it. */
async function assertProbed(url: string, server: string): Promise<void> {
  const [, , deployment] = parseAllDocuments(
    readFileSync(join(root, 'deploy/kubernetes/jackfield.yaml'), 'utf8'),
  );
  const [container] = deployment!.toJS().spec.template.spec.containers;
  const { startupProbe, livenessProbe, readinessProbe, resources } = container;
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe])
    assert.equal((await fetch(url + httpGet.path)).status, 200, httpGet.path);
  const [, used] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server}/status`, 'utf8')) ?? [];
  const [, requested] = /^(\d+)Mi$/.exec(resources.requests.memory) ?? [];
  assert.ok(Number(used) < Number(requested) * 1024, `${used} kB`);
}

/** Prints every file that user 10001 owns, and how the health check ends while no server runs. */
const listOwned = `
const { readdirSync, lstatSync } = require('fs');
const look = (path) => {
  const stat = lstatSync(path);
  if (stat.uid === 10001) console.log(path);
  if (stat.isDirectory()) for (const name of readdirSync(path)) look(path === '/' ? '/' + name : path + '/' + name);
};
for (const path of ['/opt', '/var', '/usr', '/bin']) look(path);
const modules = '/opt/jackfield/node_modules';
if (readdirSync(modules).some((name) => /^node-(linux|win)/.test(name))) console.log('another Node');
// It needs node-forge, whose name begins as those of another Node do.
require(modules + '/acme-client');
const check = require('child_process').spawnSync('node', ['/opt/jackfield/health-check.mjs']);
console.log('health check ' + check.status);
`;
