import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Bus } from '@jackfield/ports';
import {
  busContract,
  createNatsCredentials,
  createRecordingLog,
  type NatsServer,
  natsMissing,
  startNats,
} from '@jackfield/testkit';
import { createNatsBus, type NatsBusOptions } from './index.ts';

const skip = natsMissing() ?? false;

function open(server: NatsServer, incarnation: string, options: Partial<NatsBusOptions> = {}): Bus {
  const log = createRecordingLog();
  return createNatsBus({ servers: [server.address], cluster: 'test', incarnation, log, ...options });
}

async function connected(...nodes: readonly Bus[]): Promise<void> {
  while (!nodes.every(({ isConnected }) => isConnected))
    await new Promise((resolve) => setTimeout(resolve, 5));
}

async function opened(...args: Parameters<typeof open>): Promise<Bus> {
  const bus = open(...args);
  await connected(bus);
  return bus;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hello = (one: Bus): Promise<Uint8Array> => one.ask('two', 'same', bytes('hello'), 2_000);

describe('the bus over NATS', { skip }, () => {
  busContract(async () => {
    const server = await startNats();
    return {
      join: (incarnation) => opened(server, incarnation),
      cut: () => server.down(),
      async mend(...nodes) {
        await server.up();
        await connected(...nodes);
      },
      close: () => server.stop(),
    };
  });
});

describe('connections to NATS', { skip, timeout: 60_000 }, () => {
  let server: NatsServer;

  before(async () => {
    server = await startNats();
  });
  after(() => server.stop());

  test('clusters with other names do not meet on one server', async () => {
    const [one, two] = [await opened(server, 'one'), await opened(server, 'two', { cluster: 'other' })];
    two.serve('same', async (body) => body);
    await assert.rejects(hello(one), { code: 'bus-no-receiver' });
    await Promise.all([one.close(), two.close()]);
  });

  test('a node starts without NATS, and connects once NATS runs', async () => {
    await server.down();
    const one = open(server, 'one');
    await assert.rejects(hello(one), { code: 'bus-not-connected' });
    await server.up();
    await connected(one);
    await one.close();
  });

  test('close ends a node that has no connection', async () => {
    await server.down();
    await open(server, 'one').close();
    await server.up();
  });

  test('an invalid name on the bus is refused', async () => {
    assert.throws(() => open(server, 'one', { cluster: 'a.b' }), /'a\.b' is not a name on the bus/);
  });
});

/** A proxy before a server, which loses connections at the flush behind their subscriptions. */
async function proxyOf({ address }: NatsServer) {
  const far = { host: '127.0.0.1', port: Number(address.split(':')[1]) };
  const pairs = new Set<readonly [Socket, Socket]>();
  let losses = 0;
  const proxy = createServer((near) => {
    const pair = [near, connect(far)] as const;
    pairs.add(pair);
    for (const socket of pair)
      socket
        .on('error', () => {})
        .on('close', () => {
          pairs.delete(pair);
          for (const each of pair) each.destroy();
        });
    let pings = 0;
    pair[1].pipe(near);
    near.on('data', (sent) => {
      pings += sent.toString('latin1').split('PING\r\n').length - 1;
      // The first one ends the handshake.
      if (pings < 2 || losses === 0) {
        pair[1].write(sent);
        return;
      }
      losses--;
      near.destroy();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { port: number };
  return {
    address: `127.0.0.1:${port}`,
    get connections() {
      return pairs.size;
    },
    lose: (number: number) => {
      losses = number;
    },
    cut() {
      for (const [near] of pairs) near.destroy();
    },
    close: () => new Promise((resolve) => proxy.close(resolve)),
  };
}

describe('a connection to NATS that is lost before the server has its subscriptions', {
  skip,
  timeout: 60_000,
}, () => {
  test('is replaced by one connection, at the start and later, and a message is received once', async () => {
    const server = await startNats();
    const proxy = await proxyOf(server);
    proxy.lose(2);
    const one = open({ ...server, address: proxy.address }, 'one');
    const two = await opened(server, 'two');
    let received = 0;
    one.serve('same', async (body) => {
      received++;
      return body;
    });
    const asked = () => two.ask('one', 'same', bytes('hello'), 2_000);
    await connected(one);
    assert.equal(proxy.connections, 1);
    await asked();
    assert.equal(received, 1);
    proxy.lose(2);
    proxy.cut();
    while (one.isConnected) await new Promise((resolve) => setTimeout(resolve, 5));
    await connected(one);
    assert.equal(proxy.connections, 1);
    await asked();
    assert.equal(received, 2);
    await one.close();
    await two.close();
    // It closes when its last connection has ended.
    await proxy.close();
    assert.equal(proxy.connections, 0);
    await server.stop();
  });
});

/** Two nodes with these options reach each other. */
async function meet(server: NatsServer, options: Partial<NatsBusOptions>): Promise<void> {
  const [one, two] = [await opened(server, 'one', options), await opened(server, 'two', options)];
  two.serve('same', async (body) => body);
  assert.deepEqual(Buffer.from(await hello(one)).toString(), 'hello');
  await Promise.all([one.close(), two.close()]);
}

/** A node with these options gets no connection. */
async function staysOut(server: NatsServer, options: Partial<NatsBusOptions>): Promise<void> {
  const log = createRecordingLog();
  const stranger = open(server, 'three', { ...options, log });
  while (log.lines.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(stranger.isConnected, false);
  await stranger.close();
}

describe('credentials of NATS', { skip, timeout: 60_000 }, () => {
  for (const [title, configuration, credentials, wrong] of [
    [
      'a user with a password',
      'authorization { user: jack, password: "a secret" }',
      { user: 'jack', password: 'a secret' },
      { user: 'jack', password: 'another' },
    ],
    ['a token', 'authorization { token: "a secret" }', { token: 'a secret' }, { token: 'another' }],
  ] as const)
    test(`${title} is admitted, others are not`, async () => {
      const server = await startNats(configuration);
      await meet(server, { credentials });
      await staysOut(server, { credentials: wrong });
      await server.stop();
    });

  test("a credentials file of the server's account is admitted, one of another account is not", async () => {
    const known = createNatsCredentials();
    const server = await startNats(known.configuration);
    await meet(server, { credentials: { creds: known.user() } });
    await staysOut(server, { credentials: { creds: createNatsCredentials().user() } });
    await staysOut(server, {});
    await server.stop();
  });
});

describe('certificates of NATS servers', { skip, timeout: 60_000 }, () => {
  /** A server on 127.0.0.1 whose certificate names `host`, and that certificate. */
  async function onServerOf(host: string, run: (server: NatsServer, ca: string) => Promise<void>) {
    const directory = mkdtempSync(join(tmpdir(), 'certificate-'));
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const names = ['-subj', '/CN=nats', '-addext', `subjectAltName=${host}`, '-days', '2'];
    const made = spawnSync('openssl', [...request, '-keyout', key, '-out', cert, ...names]);
    assert.equal(made.status, 0, String(made.stderr));
    const server = await startNats(`tls { cert_file: "${cert}", key_file: "${key}" }`);
    await run(server, readFileSync(cert, 'utf8'));
    await server.stop();
    rmSync(directory, { recursive: true });
  }

  test('a trusted certificate that names the address of the server is accepted, an unknown one is not', () =>
    onServerOf('IP:127.0.0.1', async (server, ca) => {
      await meet(server, { tls: { ca } });
      await staysOut(server, { tls: {} });
    }));

  test('a trusted certificate of another host or address is refused', async () => {
    for (const host of ['IP:127.0.0.2', 'DNS:localhost'])
      await onServerOf(host, (server, ca) => staysOut(server, { tls: { ca } }));
  });
});
