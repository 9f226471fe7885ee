import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { afterEach, test } from 'node:test';
import { createDnsServer, type TestDnsServer, type Zone } from '@jackfield/testkit/dns-server';
import type { LocatedTarget } from '../locate/location.ts';
import { createDnsResolver } from './dns-resolver.ts';
import { createLocator, type LocatorOptions } from './locator.ts';

const servers: TestDnsServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const zone: Zone = {
  'NAPTR example.com': [
    {
      order: 1,
      preference: 1,
      flags: 's',
      service: 'SIPS+D2T',
      regexp: '',
      replacement: '_sips._tcp.example.com',
    },
    {
      order: 2,
      preference: 1,
      flags: 's',
      service: 'SIP+D2U',
      regexp: '',
      replacement: '_sip._udp.example.com',
    },
  ],
  'SRV _sips._tcp.example.com': [{ priority: 1, weight: 0, port: 5063, target: 'edge.example.net' }],
  'SRV _sip._udp.example.com': [{ priority: 1, weight: 0, port: 5062, target: 'edge.example.net' }],
  'A edge.example.net': ['192.0.2.1', '192.0.2.2'],
  'AAAA edge.example.net': ['2001:db8::7'],
  'A plain.example': ['192.0.2.9'],
  'SRV _sip._udp.none.example': [{ priority: 0, weight: 0, port: 0, target: '' }],
  'SRV _sip._tcp.none.example': [{ priority: 0, weight: 0, port: 0, target: '' }],
  'NAPTR broken.example': 'broken',
  'A broken.example': ['192.0.2.5'],
};

async function world(options: Partial<LocatorOptions> = {}) {
  const server = await createDnsServer(zone);
  servers.push(server);
  let time = 0;
  const locator = createLocator({
    resolver: createDnsResolver({ servers: [server.address], timeoutMs: 5_000 }),
    now: () => time,
    chance: () => 0.5,
    supported: ['udp', 'tcp', 'tls'],
    families: ['A', 'AAAA'],
    ...options,
  });
  const locate = (uri: string): Promise<readonly LocatedTarget[]> =>
    new Promise((resolve) => locator.locate(uri, resolve));
  const wait = (ms: number): void => {
    time += ms;
  };
  return { server, locator, locate, wait };
}

test('a real name server answers NAPTR, SRV and addresses of both families', async () => {
  const { locate } = await world();
  const at = (protocol: string, host: string, port: number) => ({
    protocol,
    host,
    port,
    identity: 'example.com',
  });
  assert.deepEqual(await locate('sip:alice@example.com'), [
    at('tls', '192.0.2.1', 5063),
    at('tls', '192.0.2.2', 5063),
    at('tls', '2001:db8::7', 5063),
    at('udp', '192.0.2.1', 5062),
    at('udp', '192.0.2.2', 5062),
    at('udp', '2001:db8::7', 5062),
  ]);
});

test('an unknown name and an SRV target "." give no target, and a failed query is skipped', async () => {
  const { locate } = await world({ families: ['A'] });
  assert.deepEqual(await locate('sip:nobody.example'), []);
  assert.deepEqual(await locate('sip:none.example'), []);
  assert.deepEqual(await locate('not a uri'), []);
  assert.deepEqual(
    (await locate('sip:broken.example')).map(({ host }) => host),
    ['192.0.2.5'],
  );
});

test('a burst of calls queries once, and answers are cached for their time to live', async () => {
  const { locate, server, locator, wait } = await world({ families: ['A'] });
  const burst = Array.from({ length: 20 }, () => locate('sip:plain.example'));
  assert.equal(locator.pending, 20);
  for (const targets of await Promise.all(burst)) assert.equal(targets[0]?.host, '192.0.2.9');
  assert.equal(locator.pending, 0);
  const once = server.asked.length;
  assert.equal(once, 4);
  let isAtOnce = false;
  locator.locate('sip:plain.example', () => {
    isAtOnce = true;
  });
  assert.ok(isAtOnce);
  wait(59_999);
  await locate('sip:plain.example:5060');
  assert.equal(server.asked.length, once);
  wait(1);
  await locate('sip:plain.example:5060');
  assert.equal(server.asked.length, once + 1);
});

test('concurrent locations are bounded', async () => {
  const { locator, locate } = await world({ maxLocations: 1 });
  const first = locate('sip:example.com');
  const second = await locate('sip:plain.example');
  assert.deepEqual(second, []);
  assert.equal((await first).length, 6);
  assert.equal(locator.pending, 0);
});

test('a name in the machine’s own tables is found although DNS does not have it', async () => {
  const server = await createDnsServer({});
  servers.push(server);
  const lookup = async (name: string) =>
    name === 'pbx' ? ['10.0.0.7', 'fd00::7'].map((address) => ({ address, family: isIP(address) })) : [];
  const resolver = createDnsResolver({ servers: [server.address], lookup });
  const recordsOf = async (type: 'A' | 'AAAA', name: string) => {
    const answer = await resolver.resolve({ type, name });
    return 'records' in answer && answer.records;
  };
  assert.deepEqual(await recordsOf('A', 'pbx'), ['10.0.0.7']);
  assert.deepEqual(await recordsOf('AAAA', 'pbx'), ['fd00::7']);
  assert.deepEqual(await recordsOf('A', 'other'), []);
});

test('a name server without an answer is a failure in bounded time', async () => {
  const resolver = createDnsResolver({ servers: ['127.0.0.1:9'], timeoutMs: 50 });
  assert.deepEqual(await resolver.resolve({ type: 'SRV', name: '_sip._udp.example.com' }), {
    type: 'failed',
  });
});
