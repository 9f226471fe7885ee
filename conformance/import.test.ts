import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { shellSuite } from './support/shell-suite.ts';

const hosted = '/v1/Account/MAHOSTED000000000000/Application/21686794894743506/';
const credential = '5f2b8c1e-3d4a-4b6f-9c7d-8e9f0a1b2c3d';

/** What the hosted service shows, its own members included. */
const exported = {
  applications: {
    meta: { limit: 20, offset: 0, next: null, previous: null, total_count: 1 },
    objects: [
      {
        app_id: '21686794894743506',
        app_name: 'reception',
        answer_url: 'https://program.example.com/answer',
        answer_method: 'GET',
        hangup_url: '',
        default_app: true,
        enabled: true,
        sip_uri: 'sip:21686794894743506@app.example.com',
        sub_account: null,
        resource_uri: hosted,
      },
    ],
  },
  endpoints: [
    {
      endpoint_id: '83742911018273',
      username: 'alice261121104205',
      alias: 'alice',
      password: '5f4dcc3b5aa765d61d8327deb882cf99',
      application: hosted,
      sip_registered: 'false',
      sub_account: null,
    },
    { endpoint_id: '83742911018274', username: 'bob261121104206', alias: 'bob', application: null },
  ],
  credentials: [{ credential_uuid: credential, name: 'office', username: 'office' }],
  ip_access_control_lists: [{ ipacl_uuid: 'list-1', name: 'office', ip_addresses: ['192.0.2.0/24'] }],
  origination_uris: [{ uri_uuid: 'uri-1', name: 'pbx', uri: 'pbx.example.com' }],
  trunks: [
    {
      trunk_id: '1',
      name: 'out',
      trunk_direction: 'outbound',
      credential_uuid: credential,
      ipacl_uuid: 'list-1',
    },
    { trunk_id: '2', name: 'in', trunk_direction: 'inbound', primary_uri_uuid: 'uri-1' },
  ],
  numbers: [
    { number: '442079460100', alias: 'front desk', application: hosted, monthly_rental_rate: '0.80000' },
    { number: '442079460101', alias: 'office', trunk_id: '2' },
  ],
};

const lists = [
  'Application/',
  'Endpoint/',
  'SipTrunk/Credential/',
  'SipTrunk/IPAccessControlList/',
  'SipTrunk/URI/',
  'SipTrunk/Trunk/',
  'Number/',
];

/** Those headers of a request that the API reads. */
function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const names = ['authorization', 'content-type', 'idempotency-key'];
  return Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])));
}

/** A proxy that hands on every request, and loses the first answers to those whose body holds a text, or keeps them until it is healed. */
async function losingAnswers(target: string, text: string, losses: number, how: 'lost' | 'kept' = 'lost') {
  let lost = 0;
  let limit = losses;
  const first = Promise.withResolvers<void>();
  const healed = Promise.withResolvers<void>();
  const proxy = createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const content = (await request.toArray()).join('');
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: passedOn(request.headers),
      ...(content === '' ? {} : { body: content }),
    });
    const body = await answer.text();
    if (content.includes(text) && lost < limit) {
      lost += 1;
      first.resolve();
      if (how === 'lost') return void request.socket.destroy();
      await healed.promise;
    }
    response.writeHead(answer.status).end(body);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const close = (): void => void proxy.close().closeAllConnections();
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const heal = (): void => {
    limit = 0;
    healed.resolve();
  };
  return { url, close, heal, count: () => lost, first: first.promise };
}

const endpointsOf = (...usernames: readonly string[]) =>
  usernames.map((username, index) => ({ endpoint_id: String(index), username, alias: username }));

describe('jackfield import', { timeout: 120_000 }, () => {
  const suite = shellSuite();

  const endpointCount = async () => (await suite.platform.api('GET', 'Endpoint/')).body.meta.total_count;

  async function importing(content: unknown, ...options: readonly string[]) {
    return importingAt(suite.platform.httpUrl, content, ...options);
  }

  async function importingAt(url: string, content: unknown, ...options: readonly string[]) {
    return (await begun(url, content, ...options)).ended;
  }

  async function begun(url: string, content: unknown, ...options: readonly string[]) {
    await writeFile(join(suite.directory, 'export.json'), JSON.stringify(content));
    const child = suite.jackfield(['import', 'export.json', ...options], suite.pasted(url), [
      'ignore',
      'pipe',
      'pipe',
    ]);
    let [out, problems] = ['', ''];
    child.stdout!.on('data', (text) => (out += String(text)));
    child.stderr!.on('data', (text) => (problems += String(text)));
    const ended = once(child, 'close').then(() => ({ status: child.exitCode, out, problems }));
    return { child, ended };
  }

  /** Every object of the account, by its list. */
  async function contents(): Promise<Readonly<Record<string, readonly Record<string, unknown>[]>>> {
    const read = lists.map(
      async (path) => [path, (await suite.platform.api('GET', path)).body.objects] as const,
    );
    return Object.fromEntries(await Promise.all(read));
  }

  it('removes what it created when a later object is refused, and names the member of the file', async () => {
    const own = { app_name: 'own', answer_url: 'https://own.example.com/', default_number_app: true };
    const { app_id } = (await suite.platform.api('POST', 'Application/', own)).body;
    const before = await contents();
    const [first, second] = exported.numbers;
    const wrong = { ...exported, numbers: [first, { ...second, number: 'extension 12' }] };
    const { status, out, problems } = await importing(wrong, '--passwords', 'passwords.json');
    assert.equal(status, 1);
    assert.equal(out, '');
    assert.match(
      problems,
      /^export\.json: line 1: numbers\[1\]\.number must be .*, not "extension 12".*\nNothing was imported\.$/m,
    );
    assert.deepEqual(await contents(), before);
    assert.equal((await suite.platform.api('GET', `Application/${app_id}/`)).body.default_app, true);
    assert.ok(!existsSync(join(suite.directory, 'passwords.json')));
    await suite.platform.api('DELETE', `Application/${app_id}/`);
  });

  it('refuses a file that contradicts itself before it creates anything', async () => {
    const before = await contents();
    const { status, problems } = await importing({ ...exported, credentials: [], phones: [] });
    assert.equal(status, 1);
    assert.match(
      problems,
      /^export\.json: line 1: phones is not imported: it must be an object with applications/m,
    );
    assert.match(
      problems,
      /^export\.json: line 1: trunks\[0\]\.credential_uuid is "5f2b.*": this file has no credentials/m,
    );
    assert.deepEqual(await contents(), before);
  });

  it('creates every object with its references, and writes the new passwords for their owner alone', async () => {
    const { status, out, problems } = await importing(exported, '--passwords', 'passwords.json', '--json');
    assert.equal(status, 0, problems);
    assert.match(problems, /numbers\[\]\.monthly_rental_rate is not imported/);
    const imported: readonly Record<string, string>[] = JSON.parse(out);
    assert.ok(imported.every(({ password }) => password === undefined));
    const file = join(suite.directory, 'passwords.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const secrets: readonly Record<string, string>[] = JSON.parse(await readFile(file, 'utf8'));
    assert.deepEqual(
      secrets.map(({ section, from }) => [section, from]),
      [
        ['endpoints', '83742911018273'],
        ['endpoints', '83742911018274'],
        ['credentials', credential],
      ],
    );
    const [alice, bob] = secrets;
    assert.match(alice!.username!, /^alice\d{12}$/);
    assert.notEqual(alice!.password, bob!.password);
    const found = await contents();
    const [application] = found['Application/']!;
    assert.equal(application!.answer_method, 'GET');
    assert.equal(application!.default_app, true);
    const byAlias = new Map(found['Endpoint/']!.map((endpoint) => [endpoint.alias, endpoint]));
    assert.equal(byAlias.get('alice')!.application, application!.resource_uri);
    assert.equal(byAlias.get('alice')!.username, alice!.username);
    assert.equal(byAlias.get('bob')!.application, null);
    const trunks = new Map(found['SipTrunk/Trunk/']!.map((trunk) => [trunk.name, trunk]));
    assert.equal(trunks.get('out')!.credential_uuid, found['SipTrunk/Credential/']![0]!.credential_uuid);
    assert.equal(trunks.get('out')!.ipacl_uuid, found['SipTrunk/IPAccessControlList/']![0]!.ipacl_uuid);
    assert.equal(trunks.get('in')!.primary_uri_uuid, found['SipTrunk/URI/']![0]!.uri_uuid);
    const numbers = new Map(found['Number/']!.map((number) => [number.number, number]));
    assert.equal(numbers.get('442079460100')!.application, application!.resource_uri);
    assert.equal(numbers.get('442079460101')!.trunk_id, trunks.get('in')!.trunk_id);
  });

  it('goes on after a pause where the account has sent as many requests as it may in 5 seconds', async () => {
    // Three requests each: more than 300 in all.
    const endpoints = Array.from({ length: 120 }, (_, index) => ({
      endpoint_id: String(index),
      username: `many${index}`,
      alias: `many${index}`,
    }));
    const { status, out, problems } = await importing({ endpoints }, '--json');
    assert.equal(status, 0, problems);
    assert.equal(JSON.parse(out).length, endpoints.length);
  });

  for (const { lost, status, title } of [
    { lost: 1, status: 0, title: 'creates nothing twice where the answer to a creation is lost' },
    { lost: 4, status: 1, title: 'removes what a lost answer would have named' },
  ])
    it(title, async () => {
      const before = await endpointCount();
      const endpoints = endpointsOf('dora', 'emil');
      const losses = await losingAnswers(suite.platform.httpUrl, '"emil"', lost);
      const imported = await importingAt(losses.url, { endpoints }, '--json');
      losses.close();
      assert.equal(imported.status, status, imported.problems);
      assert.equal(losses.count(), lost);
      assert.equal((await endpointCount()) - before, status === 0 ? endpoints.length : 0);
      const refusal = /^export\.json: http:.* cannot be reached: .*\nNothing was imported\.$/m;
      if (status === 1) assert.match(imported.problems, refusal);
    });

  it('that is killed is undone by the next one, which begins anew', async () => {
    const newest = async () => {
      const { meta } = (await suite.platform.api('GET', 'Endpoint/?limit=1')).body;
      const { objects } = (
        await suite.platform.api('GET', `Endpoint/?limit=3&offset=${meta.total_count - 3}`)
      ).body;
      return {
        total: meta.total_count,
        aliases: objects.map(({ alias }: { alias: string }) => alias).sort(),
      };
    };
    const before = (await newest()).total;
    const names = ['frieda', 'gustav', 'hanna'];
    const endpoints = endpointsOf(...names);
    // The answer to the last creation does not come: whether it was carried out is not known when the import dies.
    const losses = await losingAnswers(suite.platform.httpUrl, '"hanna"', 100);
    const { child, ended } = await begun(losses.url, { endpoints }, '--passwords', 'of-these.json');
    await losses.first;
    child.kill('SIGKILL');
    await ended;
    losses.heal();
    assert.deepEqual(await newest(), { total: before + 3, aliases: names });
    const elsewhere = await importing({ endpoints });
    assert.match(
      elsewhere.problems,
      /^export\.json\.unfinished: an import into MA\w+ at http:.* was cut off/m,
    );
    const again = await importingAt(losses.url, { endpoints }, '--passwords', 'of-these.json');
    losses.close();
    assert.equal(again.status, 0, again.problems);
    assert.match(again.problems, /^export\.json: an import that was cut off is undone \(3 steps\)/m);
    assert.deepEqual(await newest(), { total: before + 3, aliases: names });
    assert.ok(!existsSync(join(suite.directory, 'export.json.unfinished')));
  });

  it('of a file that another import is reading is refused, and does not touch what that one creates', async () => {
    const endpoints = endpointsOf('ida', 'jonas');
    // Kept: an import whose answers are lost gives up after seven seconds, which the second one may need to start.
    const losses = await losingAnswers(suite.platform.httpUrl, '"jonas"', 100, 'kept');
    const first = await begun(losses.url, { endpoints }, '--passwords', 'of-first.json', '--json');
    await losses.first;
    const second = await importingAt(losses.url, { endpoints });
    losses.heal();
    const { status, out, problems } = await first.ended;
    losses.close();
    assert.equal(second.status, 1);
    assert.equal(
      second.problems,
      `export.json.unfinished: the import of process ${first.child.pid} has not ended: wait until it has.\n`,
    );
    assert.equal(status, 0, problems);
    for (const { id } of JSON.parse(out))
      assert.equal((await suite.platform.api('GET', `Endpoint/${id}/`)).status, 200);
    assert.ok(existsSync(join(suite.directory, 'of-first.json')));
    assert.ok(!existsSync(join(suite.directory, 'export.json.unfinished')));
  });

  it('whose note of what it has done is removed creates nothing more, and undoes the rest', async () => {
    const before = await endpointCount();
    const endpoints = endpointsOf('karl', 'lena', 'max');
    const losses = await losingAnswers(suite.platform.httpUrl, '"lena"', 100);
    const { ended } = await begun(losses.url, { endpoints });
    await losses.first;
    await rm(join(suite.directory, 'export.json.unfinished'));
    losses.heal();
    const { status, problems } = await ended;
    losses.close();
    assert.equal(status, 1);
    assert.match(
      problems,
      /export\.json\.unfinished, which notes what the import does, was removed\..*\nNothing was imported\.$/m,
    );
    assert.equal(await endpointCount(), before);
    assert.ok(!existsSync(join(suite.directory, 'export.json.unfinished')));
  });

  it('that is interrupted or whose terminal has gone removes what it created', async () => {
    const before = await endpointCount();
    const endpoints = endpointsOf('nora', 'otto', 'paul');
    for (const signal of ['SIGINT', 'SIGHUP'] as const) {
      const losses = await losingAnswers(suite.platform.httpUrl, '"otto"', 100);
      const { child, ended } = await begun(losses.url, { endpoints });
      await losses.first;
      child.kill(signal);
      losses.heal();
      const { status, problems } = await ended;
      losses.close();
      assert.deepEqual(
        [status, problems],
        [1, 'export.json: The import was interrupted.\nNothing was imported.\n'],
      );
      assert.equal(await endpointCount(), before);
    }
  });

  it('writes passwords to no file that exists, and prints them without one', async () => {
    const endpoints = [{ endpoint_id: '1', username: 'carol', alias: 'carol' }];
    const refused = await importing({ endpoints }, '--passwords', 'export.json');
    assert.equal(refused.status, 1);
    assert.match(refused.problems, /^--passwords is "export\.json", which exists: name a new file\.$/m);
    const { status, out } = await importing({ endpoints }, '--json');
    assert.equal(status, 0);
    const [carol] = JSON.parse(out);
    assert.match(carol.username, /^carol\d{12}$/);
    assert.ok(carol.password.length >= 16);
  });
});
