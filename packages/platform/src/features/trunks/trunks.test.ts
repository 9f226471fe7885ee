import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, eachDatabase, eventStreamOf } from '@jackfield/testkit';
import { openTrunks, realm } from './testing/trunks-world.ts';

const path = 'SipTrunk/Trunk/';

eachDatabase('Trunks over HTTP', (open) => {
  test('an outbound trunk is created with its credential, read, changed and deleted', async () => {
    const { call, credential, addressList } = await openTrunks(open);
    const credential_uuid = await credential();
    const body = { name: 'Office', trunk_direction: 'outbound', credential_uuid };
    const created = await call('POST', path, { body });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.body), ['api_id', 'message', 'trunk_id']);
    assert.equal(created.body.message, 'Trunk created successfully.');
    const { trunk_id } = created.body;
    assert.match(trunk_id, /^\d{14,18}$/);
    const one = `${path}${trunk_id}/`;
    const shown = {
      trunk_id,
      name: 'Office',
      trunk_domain: `${trunk_id}.zt.${realm}`,
      trunk_status: 'enabled',
      trunk_direction: 'outbound',
      secure: false,
      ipacl_uuid: null,
      credential_uuid,
      primary_uri_uuid: null,
      fallback_uri_uuid: null,
      lost_credential_uuid: null,
    };
    const read = async () => {
      const { api_id: _, ...rest } = (await call('GET', one)).body;
      return rest;
    };
    assert.deepEqual(await read(), shown);

    const ipacl_uuid = await addressList('192.0.2.0/24');
    const changes = {
      name: 'Branch',
      trunk_status: 'Disabled',
      secure: 'true',
      ipacl_uuid,
      credential_uuid: null,
    };
    const changed = await call('POST', one, { body: changes });
    assert.deepEqual(
      [changed.status, changed.body.message, changed.body.trunk_id],
      [202, 'Trunk updated successfully.', trunk_id],
    );
    assert.deepEqual(await read(), { ...shown, ...changes, trunk_status: 'disabled', secure: true });
    assert.equal((await call('DELETE', one)).status, 204);
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      assert.equal((await call(method, one)).status, 404);
  });

  test('a missing parameter of a direction is refused with 422, an unknown part with 400', async () => {
    const { call, world, credential, uri, trunk } = await openTrunks(open);
    const credential_uuid = await credential();
    const refusals = [
      [{}, 422, 'trunk_direction parameter is missing'],
      [{ trunk_direction: 'outbound' }, 422, 'credential_uuid or ipacl_uuid parameter is missing'],
      [{ trunk_direction: 'inbound' }, 422, 'primary_uri_uuid parameter is missing'],
      [{ trunk_direction: 'both' }, 400, 'trunk_direction must be inbound or outbound, not "both"'],
      [
        { trunk_direction: 'outbound', credential_uuid: await uri() },
        400,
        /^credential_uuid must be the identifier/,
      ],
      [
        { trunk_direction: 'outbound', credential_uuid, ipacl_uuid: credential_uuid },
        400,
        /^ipacl_uuid must be/,
      ],
      [{ trunk_direction: 'inbound', primary_uri_uuid: 'x' }, 400, /^primary_uri_uuid must be/],
      [
        { trunk_direction: 'outbound', credential_uuid, secure: 'maybe' },
        400,
        /^secure must be true or false/,
      ],
    ] as const;
    for (const [body, status, error] of refusals) {
      const answer = await call('POST', path, { body });
      assert.equal(answer.status, status, JSON.stringify(body));
      if (typeof error === 'string') assert.equal(answer.body.error, error);
      else assert.match(answer.body.error, error);
    }
    // A subaccount cannot use parts that it does not see.
    const branch = await world.subaccount();
    const body = { trunk_direction: 'outbound', credential_uuid };
    assert.equal((await call('POST', path, { body, as: branch })).status, 400);
    const one = `${path}${await trunk({ credential_uuid })}/`;
    assert.equal((await call('POST', one, { body: { credential_uuid: '' } })).status, 422);
    assert.equal((await call('POST', one, { body: { trunk_direction: 'inbound' } })).status, 422);
    assert.equal((await call('GET', one)).body.credential_uuid, credential_uuid);
  });

  test('a list is newest first, and each of its filters holds', async () => {
    const { call, credential, addressList, uri, trunk } = await openTrunks(open);
    const credential_uuid = await credential();
    const ipacl_uuid = await addressList('192.0.2.1');
    const [primary_uri_uuid, fallback_uri_uuid] = [await uri(), await uri()];
    const a = await trunk({ credential_uuid });
    const b = await trunk({ ipacl_uuid, secure: true });
    const c = await trunk({ trunk_direction: 'inbound', primary_uri_uuid, fallback_uri_uuid });
    const d = await trunk({ credential_uuid, trunk_status: 'disabled' });
    const listed = async (query: string) => {
      const { meta, objects } = (await call('GET', `${path}?${query}`)).body;
      assert.equal(meta.total_count, objects.length, query);
      return objects.map((each: { trunk_id: string }) => each.trunk_id);
    };
    const expected: Record<string, string[]> = {
      '': [d, c, b, a],
      [`credential_uuid=${credential_uuid}`]: [d, a],
      [`credential_uuid=${credential_uuid}&trunk_status=enabled`]: [a],
      [`ipacl_uuid=${ipacl_uuid}`]: [b],
      [`primary_uri_uuid=${primary_uri_uuid}`]: [c],
      [`fallback_uri_uuid=${fallback_uri_uuid}`]: [c],
      'trunk_direction=outbound': [d, b, a],
      'trunk_direction=Inbound': [c],
      'secure=true': [b],
      'secure=false': [d, c, a],
      'trunk_status=disabled': [d],
    };
    for (const [query, ids] of Object.entries(expected)) assert.deepEqual(await listed(query), ids, query);
    const page = (await call('GET', `${path}?trunk_direction=outbound&limit=1&offset=1`)).body;
    assert.match(page.meta.next, /\?trunk_direction=outbound&limit=1&offset=2$/);
    assert.equal(page.objects[0].trunk_id, b);
    assert.equal((await call('GET', `${path}?trunk_status=gone`)).status, 400);
  });

  test('a deleted credential is detached from its trunks, which an event names', async () => {
    const { call, credential, addressList, trunk, events } = await openTrunks(open);
    const credential_uuid = await credential({ name: 'Office' });
    const trunk_ids = [
      await trunk({ credential_uuid }),
      await trunk({ credential_uuid, ipacl_uuid: await addressList('192.0.2.1') }),
    ];
    await call('DELETE', `SipTrunk/Credential/${await credential()}/`);
    assert.deepEqual(await events(), []);
    assert.equal((await call('DELETE', `SipTrunk/Credential/${credential_uuid}/`)).status, 204);
    assert.deepEqual(await events(), [
      {
        type: 'trunk.credential-deleted',
        resource: `trunk-resource/${credential_uuid}`,
        data: { credential_uuid, name: 'Office', trunks: 2, trunk_ids },
      },
    ]);
    for (const id of trunk_ids) {
      assert.equal((await call('GET', `${path}${id}/`)).body.credential_uuid, null);
      // A trunk without its credential can be renamed and disabled.
      assert.equal((await call('POST', `${path}${id}/`, { body: { trunk_status: 'disabled' } })).status, 202);
    }
  });

  test('a deletion names to each account its own trunks or numbers alone', async () => {
    const { call, world, credential, trunk } = await openTrunks(open);
    const [branch, other] = [await world.subaccount(), await world.subaccount()];
    const credential_uuid = await credential({}, branch);
    const [ours, theirs] = [await trunk({ credential_uuid }), await trunk({ credential_uuid }, branch)];
    const uri = { body: { uri: 'pbx.example.net' }, as: branch };
    const { uri_uuid } = (await call('POST', 'SipTrunk/URI/', uri)).body;
    const trunk_id = await trunk({ trunk_direction: 'inbound', primary_uri_uuid: uri_uuid }, branch);
    for (const [number, subaccount] of [
      ['+442079460101', undefined],
      ['+442079460102', branch.authId],
      ['+442079460103', other.authId],
    ]) {
      assert.equal((await call('POST', 'Number/', { body: { number, trunk_id, subaccount } })).status, 201);
    }
    await call('DELETE', `SipTrunk/Credential/${credential_uuid}/`, { as: branch });
    await call('DELETE', `SipTrunk/Trunk/${trunk_id}/`, { as: branch });
    const named = async (as: Caller) => {
      const events = await eventStreamOf({ api: (method, at, body) => call(method, at, { body, as }) });
      return events.map(({ data }) => [data.trunks ?? data.numbers, data.trunk_ids ?? data.number_list]);
    };
    const ofBranch = [
      [1, [theirs]],
      [1, ['+442079460102']],
    ];
    assert.deepEqual(await named(branch), ofBranch);
    assert.deepEqual(await named(other), [[1, ['+442079460103']]]);
    // The main account also sees the events of its subaccounts.
    const ofAll = [...ofBranch, [1, [ours]], [1, ['+442079460101']], [1, ['+442079460103']]];
    assert.deepEqual((await named(world.main)).map(String).sort(), ofAll.map(String).sort());
  });

  test('deleted address lists and URIs emit events, also when their subaccount is deleted', async () => {
    const { call, world, uri, addressList, credential, trunk, events } = await openTrunks(open);
    const [primary_uri_uuid, ipacl_uuid] = [await uri(), await addressList('192.0.2.1')];
    const inbound = await trunk({
      trunk_direction: 'inbound',
      primary_uri_uuid,
      fallback_uri_uuid: primary_uri_uuid,
    });
    const outbound = await trunk({ ipacl_uuid });
    await call('DELETE', `SipTrunk/URI/${primary_uri_uuid}/`);
    await call('DELETE', `SipTrunk/IPAccessControlList/${ipacl_uuid}/`);
    const branch = await world.subaccount();
    const credential_uuid = await credential({}, branch);
    await trunk({ credential_uuid }, branch);
    const ours = await trunk({ credential_uuid });
    assert.equal((await call('DELETE', `Subaccount/${branch.authId}/?cascade=true`)).status, 204);
    assert.deepEqual(
      (await events()).map(({ type, data }) => [type, data.trunk_ids]),
      [
        ['trunk.primary-uri-deleted', [inbound]],
        ['trunk.fallback-uri-deleted', [inbound]],
        ['trunk.ip-access-control-list-deleted', [outbound]],
        ['trunk.credential-deleted', [ours]],
      ],
    );
    assert.equal((await call('GET', `${path}${ours}/`)).body.credential_uuid, null);
    assert.equal((await call('GET', path)).body.meta.total_count, 3);
  });
});

eachDatabase('Parts of trunks over HTTP', (open) => {
  test('identifiers may be written with capitals, in paths, references and filters', async () => {
    const { call, credential, addressList } = await openTrunks(open);
    const credential_uuid = await credential();
    const capitals = credential_uuid.toUpperCase();
    const created = await call('POST', path, {
      body: {
        trunk_direction: 'outbound',
        credential_uuid: capitals,
        ipacl_uuid: await addressList('192.0.2.1'),
      },
    });
    assert.equal(created.status, 201);
    const { trunk_id } = created.body;
    assert.equal((await call('GET', `${path}${trunk_id}/`)).body.credential_uuid, credential_uuid);
    assert.equal((await call('GET', `${path}?credential_uuid=${capitals}`)).body.meta.total_count, 1);
    const one = `SipTrunk/Credential/${capitals}/`;
    const changed = await call('POST', one, { body: { name: 'Renamed' } });
    assert.deepEqual([changed.status, changed.body.credential_uuid], [202, credential_uuid]);
    assert.equal((await call('GET', one)).body.name, 'Renamed');
    assert.equal((await call('DELETE', one)).status, 204);
    assert.equal((await call('GET', `${path}${trunk_id}/`)).body.lost_credential_uuid, credential_uuid);
  });

  test('an address list accepts addresses and networks of both families, and refuses networks that are too wide', async () => {
    const { call } = await openTrunks(open);
    const lists = 'Zentrunk/IPAccessControlList/';
    assert.equal((await call('POST', lists, { body: { name: 'a' } })).status, 422);
    const good = ['192.0.2.1', '198.51.100.0/24', '2001:db8::1', '2001:db8:1::/48'];
    for (const bad of [
      ...['', 'x', '192.0.2', '192.0.2.256', '192.0.02.1', '192.0.2.1/33', '192.0.2.1/24', '0.0.0.0/0'],
      ...['::/0', '2001:db8::g', '1::2::3', '1.2.3.4::', '2001:db8::/129', '192.0.2.1/24/24', ' 192.0.2.1'],
    ]) {
      const answer = await call('POST', lists, { body: { ip_addresses: [...good, bad] } });
      assert.equal(answer.status, 400, bad);
      assert.match(answer.body.error, /^ip_addresses must be /);
    }
    for (const ip_addresses of ['192.0.2.1', [], [5], null, new Array(101).fill('192.0.2.1')]) {
      assert.equal((await call('POST', lists, { body: { ip_addresses } })).status, 400);
    }
    const created = await call('POST', lists, { body: { name: 'Office', ip_addresses: good } });
    assert.deepEqual(
      [created.status, created.body.message],
      [201, 'IP access control list created successfully.'],
    );
    const { ipacl_uuid } = created.body;
    const one = `${lists}${ipacl_uuid}/`;
    const changed = await call('POST', one, { body: { ip_addresses: ['192.0.2.7'] } });
    assert.deepEqual(
      [changed.status, changed.body.message, changed.body.ipacl_uuid],
      [202, 'IP access control list updated successfully.', ipacl_uuid],
    );
    assert.equal((await call('POST', one, { body: { ip_addresses: ['x'] } })).status, 400);
    const { objects } = (await call('GET', lists)).body;
    assert.deepEqual(objects, [{ ipacl_uuid, name: 'Office', ip_addresses: ['192.0.2.7'] }]);
  });

  test('an origination URI that needs authentication needs both parts of it, and shows the name alone', async () => {
    const { call } = await openTrunks(open);
    const uris = 'SipTrunk/URI/';
    for (const [body, parameter] of [
      [{}, 'uri'],
      [{ uri: 'a.example', authentication_needed: true }, 'username'],
      [{ uri: 'a.example', authentication_needed: 'true', username: 'u' }, 'password'],
    ] as const) {
      const answer = await call('POST', uris, { body });
      assert.deepEqual([answer.status, answer.body.error], [422, `${parameter} parameter is missing`]);
    }
    for (const uri of [
      ...['', 'a b', 'http://a.example', 'a.example:x', 'sip:', 'sip:a@', '-a.example', 'a/b', 'a..example'],
      ...['256.1.1.1', '192.0.2', 'a.example:0', 'a.example:65536', 'sip:in@192.0.2.1:99999', '[::1::2]'],
    ]) {
      assert.equal((await call('POST', uris, { body: { uri } })).status, 400, uri);
    }
    for (const uri of [
      ...['192.0.2.1', '192.0.2.1:5080', 'pbx.example.com', 'pbx.example.com:5061', '[2001:db8::1]:5060'],
      ...[
        'sip:in@pbx.example.com',
        'sips:pbx.example.com',
        '3f2a1c',
        'pbx.example.com.:65535',
        'localhost:1',
      ],
    ]) {
      assert.equal((await call('POST', uris, { body: { uri } })).status, 201, uri);
    }
    const body = { uri: 'a.example', authentication_needed: true, username: 'u', password: 'p' };
    const created = await call('POST', uris, { body });
    assert.equal(created.body.message, 'Origination URI created successfully.');
    const one = `${uris}${created.body.uri_uuid}/`;
    const read = async () => (await call('GET', one)).body;
    assert.deepEqual(Object.keys(await read()).slice(1), [
      ...['uri_uuid', 'name', 'uri', 'authentication_needed', 'username'],
    ]);
    const changed = await call('POST', one, { body: { name: 'Office' } });
    assert.deepEqual([changed.status, changed.body.message], [202, 'origination uri updated successfully.']);
    assert.deepEqual([(await read()).name, (await read()).username], ['Office', 'u']);
    await call('POST', one, { body: { authentication_needed: false } });
    assert.equal((await read()).username, null);
    assert.equal((await call('POST', one, { body: { authentication_needed: true } })).status, 422);
    assert.equal((await call('DELETE', one)).status, 204);
  });
});
