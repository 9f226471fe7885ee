import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type S3Server, startS3Server } from '@jackfield/testkit/s3-server';
import { parseAllDocuments } from 'yaml';
import { noMounts } from './support/bare-system.ts';
import { spawnBound } from './support/bound-child.ts';
import { cleanUp } from './support/clean-up.ts';
import { Composition } from './support/composition.ts';
import { ContainerPages } from './support/container-pages.ts';
import { missing } from './support/installed.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { enterOwnNetwork, ip } from './support/own-network.ts';
import { assertHeard, call, hangUp, hear, hungUp } from './support/phone-talk.ts';
import { enterOwnMounts, Podman } from './support/podman.ts';
import { RegisteredPhones } from './support/registered-phones.ts';
import { importRegistryImages } from './support/registry-images.ts';
import { blocksRunBy } from './support/snippets.ts';
import { WebSocketPhone } from './support/web-socket-phone.ts';

const root = join(import.meta.dirname, '..');
const [image, composed] = blocksRunBy('docs/operate/containers.md', import.meta.filename);
const [cluster, listed] = blocksRunBy('docs/operate/cluster.md', import.meta.filename);
/** Of the machine, in the pages and in `.env.example`. */
const publicAddress = '198.51.100.7';
const sipAddress = `${publicAddress}:5060`;
/** For this name the proxy makes a certificate by itself: no authority is to be reached. */
const domain = { DOMAIN: 'localhost' };
/** Of phones elsewhere, and of a browser that guesses passwords. */
const [phonesAddress, guesserAddress] = ['198.51.100.20', '198.51.100.66'];
/** Twice as many as a source has until its ban (docs/operate/security.md#unknown-senders-sip). */
const mostGuesses = 40;

const programs = [
  'podman',
  'crun',
  'iptables',
  'docker-compose',
  'caddy',
  'kamailio',
  'nats-server',
  'baresip',
  'sox',
];
const refusal =
  process.getuid?.() === 0
    ? missing(...programs, 'ldd', 'npm', 'ip') ||
      (existsSync('/usr/lib/podman/netavark') ? noMounts() : 'not installed: netavark (.ci/run installs it)')
    : 'needs root';

describe('the container image and the compose file', { skip: refusal, timeout: 900_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'c-'));
  const podman = new Podman(directory);
  const pages = new ContainerPages(join(directory, 'clone'), podman);

  after(() => {
    podman.run('rm', '--all', '--force', '--time', '0');
    // Podman mounts its storage on itself, in the mounts of each namespace.
    spawnSync('umount', [join(directory, 'storage/overlay')]);
    rmSync(directory, { recursive: true, force: true });
  });

  const [pack = '', build = '', run = ''] = image!.text.split(/^(?=podman)/m);

  it('has images under the names of the registry below it, of programs of Debian', () => {
    importRegistryImages(podman, join(directory, 'images'));
    assert.equal(podman.run('images', '--quiet').split('\n').length, 5);
  });

  it('is packed as the page does it', async () => {
    await pages.follow(pack);
  });

  it('is built as the page does it', async () => {
    await pages.follow(build);
  });

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
    enterOwnMounts();
    for (const each of [publicAddress, phonesAddress, guesserAddress])
      ip('address', 'add', `${each}/32`, 'dev', 'own');
    // A phone over TCP binds no address: it gets that of phones.
    const toServer = ['table', 'local', 'local', publicAddress, 'dev', 'own'];
    ip('route', 'change', ...toServer, 'src', phonesAddress);
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
    const child = spawnBound('sh', ['-c', pages.script(run)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: podman.env,
    });
    const closed = once(child, 'close');
    eachLine(child.stdout!, (line) => log.add(line));
    eachLine(child.stderr!, (line) => log.add(line));
    void closed.then(() => log.close('the container has ended'));
    await log.until('the start', (line) => line.includes('Jackfield is ready'));
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
      compose = await Composition.start(podman, {
        project: 'deploy',
        sipAddress,
        servers: { jackfield: 'recordings' },
      });
    });
    after(() => compose.end());

    it('are up as the page starts them, the server after the database is healthy', async () => {
      await compose.whileChecked(pages.bringUp('deploy', composed!.text, domain));
      assert.deepEqual(compose.running(), ['database', 'jackfield', 'proxy']);
      assert.equal(compose.health('database'), 'healthy');
    });

    it('let phones register, in a browser through the proxy, and call each other', async (t) => {
      await compose.ready();
      await registerBrowser(compose);
      const phones = new RegisteredPhones();
      t.after(() => phones.stop());
      const alice = await phones.start(compose, 'alice', 1000, { host: phonesAddress });
      const bob = await phones.start(compose, 'bob', 600, { host: phonesAddress });
      await call(sipAddress, alice, bob);
      await hear(alice, bob);
      await hangUp(alice, bob);
      await assertHeard([alice, 600], [bob, 1000]);
      compose.assertHealthy('jackfield');
    });

    it('ban a browser that guesses passwords by its own address, behind the proxy', async () => {
      let guesses = 0;
      for (let isServed = true; isServed; ) {
        const credentials = { username: `guessed${++guesses}`, password: 'a guess' };
        assert.ok(guesses < mostGuesses, `${guesses} guesses`);
        const browser = await connectBrowser(compose, credentials, guesserAddress).catch(() => undefined);
        isServed = (await browser?.register()) === 401;
        browser?.vanish();
      }
      let events = [];
      for (; events.length === 0; await sleep(50))
        events = (await compose.api('GET', 'Event/?type=source.banned')).objects;
      assert.equal(events[0].data.source_address, guesserAddress);
    });

    it('keep account and endpoints when the containers are stopped and made again, then go', async () => {
      const before = await compose.api('GET', 'Endpoint/');
      assert.equal(before.meta.total_count, 3);
      await pages.follow('podman compose -f deploy/compose.yaml down');
      assert.deepEqual(compose.running(), []);
      await compose.whileChecked(pages.follow('podman compose -f deploy/compose.yaml up -d'));
      await compose.ready();
      assert.deepEqual((await compose.api('GET', 'Endpoint/')).objects.length, 3);
      await pages.follow('podman compose -f deploy/compose.yaml down --volumes');
      assert.equal(
        podman.run('ps', '--all', '--quiet') + podman.run('volume', 'ls', '--quiet', '--filter=name=deploy'),
        '',
      );
    });
  });

  describe('of cluster/compose.yaml', () => testCluster(podman, pages, directory));
});

function testCluster(podman: Podman, pages: ContainerPages, directory: string): void {
  const nodes = ['one', 'two', 'three'];
  let compose: Composition;
  let store: S3Server;

  before(async () => {
    store = await startS3Server(join(directory, 'store'));
    compose = await Composition.start(podman, {
      project: 'cluster',
      sipAddress,
      servers: Object.fromEntries(nodes.map((node) => [node, node])),
    });
  });
  after(() =>
    cleanUp(
      () => compose.end(),
      () => store.close(),
    ),
  );

  it('are up as the page starts them, without rights, and each node sees the others', async () => {
    const { url, bucket, key, secret } = store.access;
    const s3 = { S3_URL: url, S3_BUCKET: bucket, S3_KEY: key, S3_SECRET: secret };
    await compose.whileChecked(pages.bringUp('deploy/cluster', cluster!.text, { ...domain, ...s3 }));
    assert.deepEqual(compose.running(), ['database', 'kamailio', 'nats', 'proxy', ...nodes].sort());
    for (const service of ['kamailio', 'nats', 'proxy', ...nodes]) {
      const rights = compose.inspect(service, '{{.HostConfig.ReadonlyRootfs}} {{.EffectiveCaps}}');
      assert.equal(rights, `true [${service === 'proxy' ? 'CAP_NET_BIND_SERVICE' : ''}]`, service);
    }
    await compose.serving(nodes.length);
    // The store of recordings as well: a server says at its start when that cannot be used.
    for (const node of nodes) assert.doesNotMatch(compose.log(node), /"level":"error"/);
  });

  it('list their nodes as the page does it', async () => {
    const [look = '', list = ''] = listed!.text.split(/^(?=podman)/m);
    const found = await pages.follow(look);
    const [node = ''] = /one|two|three/.exec(found) ?? [];
    const [, authId = ''] = /"authId":"(\w+)"/.exec(found) ?? [];
    const table = await pages.follow(list.replace('<node>', node).replaceAll('<auth_id>', authId));
    for (const each of nodes) assert.match(table, new RegExp(`^${each} +serving +0 `, 'm'));
  });

  it('let phones call each other through Kamailio; a call outlives the node of another, which is hung up', async (t) => {
    await registerBrowser(compose);
    const phones = new RegisteredPhones();
    t.after(() => phones.stop());
    const [alice, bob, carol, dave] = [
      await phones.start(compose, 'alice', 440, { host: phonesAddress }),
      await phones.start(compose, 'bob', 700, { host: phonesAddress, transport: 'tcp' }),
      await phones.start(compose, 'carol', 1_000, { host: phonesAddress }),
      await phones.start(compose, 'dave', 1_300, { host: phonesAddress }),
    ];
    await call(sipAddress, alice, bob);
    const [home = ''] = [...(await compose.callsOfNodes())].find(([, calls]) => calls === 2) ?? [];
    // Kamailio chooses by Call-ID.
    for (;;) {
      await call(sipAddress, carol, dave);
      if ((await compose.callsOfNodes()).get(home) === 2) break;
      await hangUp(carol, dave);
    }
    await hear(alice, bob, carol, dave);
    const ended = hungUp(alice, bob);
    compose.kill(home);
    assert.equal((await compose.api('GET', 'Endpoint/')).objects.length, 5);
    await ended;
    await assertHeard([alice, 700], [bob, 440]);
    await call(sipAddress, alice, bob);
    await hear(alice, bob, carol, dave);
    await Promise.all([hangUp(alice, bob), hangUp(carol, dave)]);
    await assertHeard([alice, 700], [bob, 440], [carol, 1_300], [dave, 1_000]);
    // `restart: always`.
    await compose.serving(nodes.length);
  });

  it('leave nothing behind', { timeout: 60_000 }, async () => {
    await pages.follow('podman compose -f deploy/cluster/compose.yaml down --volumes');
    assert.equal(podman.run('ps', '--all', '--quiet'), '');
    // Of the page of the image.
    assert.equal(podman.run('volume', 'ls', '--quiet'), 'jackfield');
    assert.equal(podman.run('network', 'ls', '--format={{.Name}}'), 'podman');
    // Programs of podman that end behind their last container.
    while (programsOfNetwork().some((name) => ['conmon', 'aardvark-dns'].includes(name))) await sleep(50);
  });
}

/** Names of the programs that run in the network of this process. */
function programsOfNetwork(): readonly string[] {
  const own = readlinkSync('/proc/self/ns/net');
  return readdirSync('/proc').flatMap((id) => {
    try {
      if (readlinkSync(`/proc/${id}/ns/net`) !== own) return [];
      return [readFileSync(`/proc/${id}/comm`, 'utf8').trim()];
    } catch {
      // No process, or its end came in between.
      return [];
    }
  });
}

function connectBrowser(
  compose: Composition,
  credentials: { readonly username: string; readonly password: string },
  localAddress: string,
): Promise<WebSocketPhone> {
  const url = `wss://${domain.DOMAIN}/sip`;
  const authority = compose.authority();
  return WebSocketPhone.connect({ ...credentials, url, domain: domain.DOMAIN, authority, localAddress });
}

/** A browser that registers through the proxy. */
async function registerBrowser(compose: Composition): Promise<void> {
  const password = 'secret-of-browser';
  const { username } = await compose.createEndpoint('browser', password);
  const browser = await connectBrowser(compose, { username, password }, phonesAddress);
  assert.equal(await browser.register(), 200);
  browser.vanish();
}

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
