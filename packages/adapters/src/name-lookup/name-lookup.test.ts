import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { createDnsServer, type TestDnsServer, type Zone } from '@jackfield/testkit/dns-server';
import { createNameLookup, type NameLookupOptions } from './name-lookup.ts';

let directory: string;
let server: TestDnsServer | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'name-lookup-'));
});
afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(directory, { recursive: true });
});

const unknown = async (name: string): Promise<never> => {
  throw new Error(`${name} is unknown to the system`);
};

/** The addresses of a name on a machine with these files and this zone. */
async function machine(
  zone: Zone,
  files: { hosts?: string; resolver?: string } = {},
  more: NameLookupOptions = {},
) {
  server = await createDnsServer(zone);
  const [hostsFile, resolverFile] = [join(directory, 'hosts'), join(directory, 'resolv.conf')];
  writeFileSync(hostsFile, files.hosts ?? '');
  writeFileSync(resolverFile, files.resolver ?? 'search .');
  const lookup = createNameLookup({
    ...{ hostsFile, resolverFile, servers: [server.address], askSystem: unknown },
    ...more,
  });
  const addresses = async (name: string) => (await lookup(name)).map(({ address }) => address).sort();
  return { lookup, addresses, hostsFile, resolverFile, asked: server.asked };
}

test('a name has the addresses of both families', async () => {
  const { lookup } = await machine({
    'A both.example': ['192.0.2.1', '192.0.2.2'],
    'AAAA both.example': ['2001:db8::7'],
    'A four.example': ['192.0.2.4'],
    'AAAA six.example': ['2001:db8::6'],
    'A half.example': ['192.0.2.5'],
    'AAAA half.example': 'broken',
  });
  const sorted = async (name: string) =>
    (await lookup(name)).map(({ address, family }) => `${family} ${address}`).sort();
  assert.deepEqual(await sorted('both.example'), ['4 192.0.2.1', '4 192.0.2.2', '6 2001:db8::7']);
  assert.deepEqual(await sorted('four.example'), ['4 192.0.2.4']);
  assert.deepEqual(await sorted('six.example'), ['6 2001:db8::6']);
  assert.deepEqual(await sorted('half.example'), ['4 192.0.2.5']);
});

test('names without an answer delay no other name, however many they are', async () => {
  const dead = Array.from({ length: 40 }, (_, number) => `dead-${number}.example`);
  const silent = dead.flatMap((name) =>
    [`A ${name}`, `AAAA ${name}`].map((query) => [query, 'silent'] as const),
  );
  const { lookup, addresses } = await machine({
    ...Object.fromEntries(silent),
    'A good.example': ['192.0.2.1'],
  });
  let ended = 0;
  const hanging = dead.map((name) =>
    lookup(name).catch(() => {
      ended += 1;
    }),
  );
  assert.deepEqual(await addresses('good.example'), ['192.0.2.1']);
  assert.equal(ended, 0);
  // The next repetition of each query is refused.
  server?.close();
  server = undefined;
  await Promise.all(hanging);
  assert.equal(ended, dead.length);
});

test('the hosts file precedes DNS, and a change of it counts', async () => {
  const hosts =
    '# mine\n127.0.0.1 localhost\n10.0.0.7\tReceiver receiver.test # the receiver\n::7 receiver\nfe80::7%eth0 receiver\n';
  const { addresses, asked, hostsFile } = await machine({ 'A receiver.test': ['192.0.2.1'] }, { hosts });
  assert.deepEqual(await addresses('receiver'), ['10.0.0.7', '::7']);
  assert.deepEqual(await addresses('Receiver.test'), ['10.0.0.7']);
  assert.deepEqual(asked, []);
  writeFileSync(hostsFile, '127.0.0.1 localhost\n');
  assert.deepEqual(await addresses('receiver.test'), ['192.0.2.1']);
});

test('localhost and the names below it are loopback, without a query (RFC 6761 §6.3)', async () => {
  const { addresses, asked } = await machine({});
  assert.deepEqual(await addresses('localhost'), ['127.0.0.1', '::1']);
  assert.deepEqual(await addresses('shop.localhost.'), ['127.0.0.1', '::1']);
  assert.deepEqual(asked, []);
});

test('names of a Kubernetes cluster are found through the search list of the pod', async () => {
  const resolver =
    'nameserver 10.96.0.10\nsearch default.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n';
  const { addresses, asked } = await machine(
    {
      'A receiver.default.svc.cluster.local': ['10.96.1.1'],
      'A receiver.shop.svc.cluster.local': ['10.96.1.2'],
      'A receiver.shop': ['192.0.2.66'],
      'A hooks.example.com': ['192.0.2.1'],
      'A broken.svc.cluster.local': ['10.96.1.3'],
      'A broken.default.svc.cluster.local': 'broken',
      'AAAA broken.default.svc.cluster.local': 'broken',
    },
    { resolver },
  );
  assert.deepEqual(await addresses('receiver'), ['10.96.1.1']);
  assert.deepEqual(await addresses('receiver.default.svc'), ['10.96.1.1']);
  assert.deepEqual(await addresses('receiver.default.svc.cluster.local'), ['10.96.1.1']);
  assert.deepEqual(await addresses('receiver.shop'), ['10.96.1.2']);
  assert.deepEqual(await addresses('receiver.shop.'), ['192.0.2.66']);
  assert.deepEqual(await addresses('broken'), ['10.96.1.3']);
  const before = asked.length;
  assert.deepEqual(await addresses('hooks.example.com'), ['192.0.2.1']);
  assert.deepEqual(
    asked.slice(before).filter((query) => query.startsWith('A ')),
    [
      'A hooks.example.com.default.svc.cluster.local',
      'A hooks.example.com.svc.cluster.local',
      'A hooks.example.com.cluster.local',
      'A hooks.example.com',
    ],
  );
});

test('a name with a dot is complete first, without ndots, and a change of resolv.conf counts', async () => {
  const zone: Zone = {
    'A api.shop': ['192.0.2.1'],
    'A api.shop.corp.example': ['10.0.0.1'],
    'A api.corp.example': ['10.0.0.2'],
  };
  const { addresses, resolverFile } = await machine(zone, { resolver: 'domain corp.example\n' });
  assert.deepEqual(await addresses('api.shop'), ['192.0.2.1']);
  assert.deepEqual(await addresses('api'), ['10.0.0.2']);
  writeFileSync(resolverFile, 'search corp.example\noptions timeout:1 ndots:2\n');
  assert.deepEqual(await addresses('api.shop'), ['10.0.0.1']);
});

test('the system is asked for names that DNS does not know, one at a time, and not for silent ones', async () => {
  const asked: string[] = [];
  const answers = new Map<string, () => void>();
  const { addresses, lookup } = await machine(
    {
      'A silent.example': 'silent',
      'AAAA silent.example': 'silent',
      'A broken.example': 'broken',
      'AAAA broken.example': 'broken',
    },
    {},
    {
      timeoutMs: 20,
      askSystem: async (name) => {
        asked.push(name);
        await new Promise<void>((resolve) => answers.set(name, resolve));
        if (name === 'gone.local') throw new Error('ENOTFOUND');
        return [{ address: '192.168.1.5', family: 4 }];
      },
    },
  );
  await assert.rejects(lookup('silent.example'), { code: 'ETIMEOUT' });
  await assert.rejects(lookup('broken.example'), { code: 'ESERVFAIL' });
  assert.deepEqual(asked, []);
  const gone = lookup('gone.local');
  gone.catch(() => {});
  while (asked.length === 0) await new Promise(setImmediate);
  const printer = addresses('printer.local');
  await assert.rejects(lookup('broken.example'));
  assert.deepEqual(asked, ['gone.local']);
  answers.get('gone.local')?.();
  await assert.rejects(gone, /ENOTFOUND/);
  while (asked.length === 1) await new Promise(setImmediate);
  answers.get('printer.local')?.();
  assert.deepEqual(await printer, ['192.168.1.5']);
});
