import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { tablesOf } from './tables.ts';
import { openTrunks, realm } from './testing/trunks-world.ts';

const path = 'SipTrunk/Credential/';
const valid = { name: 'Office', username: 'pbx', password: 'secret' };

eachDatabase('Trunk credentials over HTTP', (open) => {
  test('a credential is created, read, listed, changed and deleted, with the messages of the interface', async () => {
    const { call } = await openTrunks(open);
    const created = await call('POST', path, { body: valid });
    assert.equal(created.status, 201);
    assert.deepEqual(Object.keys(created.body), ['api_id', 'message', 'credential_uuid']);
    assert.equal(created.body.message, 'credential created successfully.');
    const { credential_uuid } = created.body;
    const one = `${path}${credential_uuid}/`;
    const shown = { credential_uuid, name: 'Office', username: 'pbx' };
    const { api_id: _, ...read } = (await call('GET', one)).body;
    assert.deepEqual(read, shown);

    const changed = await call('POST', one, { body: { name: 'Branch' } });
    assert.deepEqual(
      [changed.status, changed.body.message, changed.body.credential_uuid],
      [202, 'Credential updated successfully.', credential_uuid],
    );
    const list = (await call('GET', path)).body;
    assert.deepEqual(list.objects, [{ ...shown, name: 'Branch' }]);
    assert.equal(list.meta.total_count, 1);

    const removed = await call('DELETE', one);
    assert.deepEqual([removed.status, removed.body], [204, undefined]);
    for (const method of ['GET', 'POST', 'DELETE'] as const)
      assert.equal((await call(method, one)).status, 404);
    assert.equal((await call('GET', path)).body.meta.total_count, 0);
  });

  test('a credential without username or password is refused with 422, a wrong one with 400, another account with 401', async () => {
    const { call, world } = await openTrunks(open);
    for (const [body, parameter] of [
      [{}, 'username'],
      [{ password: 'secret' }, 'username'],
      [{ username: 'pbx' }, 'password'],
    ] as const) {
      const answer = await call('POST', path, { body });
      assert.deepEqual([answer.status, answer.body.error], [422, `${parameter} parameter is missing`]);
    }
    for (const [parameter, values] of Object.entries({
      name: [5, null, 'a'.repeat(101), 'a\0', 'a\n'],
      username: ['', 'a b', 'a:b', 'a"b', 'a\\b', 'é', 'a'.repeat(101), 5, null, ['a']],
      password: ['', 'a'.repeat(101), 'secret\n', 12345, null],
    })) {
      for (const value of values) {
        const answer = await call('POST', path, { body: { ...valid, [parameter]: value } });
        assert.equal(answer.status, 400, JSON.stringify(value));
        assert.ok(answer.body.error.startsWith(`${parameter} must be `), answer.body.error);
        if (parameter === 'password' && value === '1234') assert.ok(!answer.body.error.includes('1234'));
      }
    }
    const stranger = { ...world.main, authToken: 'wrong' };
    assert.equal((await call('POST', path, { body: valid, as: stranger })).status, 401);
    assert.equal((await call('GET', path)).body.meta.total_count, 0);
  });

  test('both path words lead to the same credentials, each with links of its own', async () => {
    const { call, world, credential } = await openTrunks(open);
    const ids = [await credential(), await credential(), await credential()];
    const other = 'Zentrunk/Credential/';
    assert.equal((await call('GET', `${other}${ids[0]}/`)).body.credential_uuid, ids[0]);
    const page = (await call('GET', `${other}?limit=1&offset=1`)).body;
    assert.deepEqual(
      page.objects.map((each: { credential_uuid: string }) => each.credential_uuid),
      [ids[1]],
    );
    const link = `/v1/Account/${world.main.authId}/${other}?limit=1&offset=`;
    assert.deepEqual([page.meta.next, page.meta.previous], [`${link}2`, `${link}0`]);
    assert.equal((await call('POST', `${other}${ids[0]}/`, { body: { name: 'x' } })).status, 202);
    assert.equal((await call('DELETE', `${other}${ids[0]}/`)).status, 204);
    assert.equal((await call('GET', path)).body.meta.total_count, 2);
    for (const query of ['limit=0', 'limit=21', 'limit=x', 'offset=-1', 'offset=x']) {
      assert.equal((await call('GET', `${path}?${query}`)).status, 400, query);
    }
  });

  test('a password is kept as HA1 and encrypted, and never comes back', async () => {
    const { call, database, credential } = await openTrunks(open);
    const id = await credential({ password: 'pässwörd 2' });
    const row = await tablesOf(database.read)
      .selectFrom('trunk_credentials')
      .selectAll()
      .executeTakeFirstOrThrow();
    const ha1 = (algorithm: string) => createHash(algorithm).update(`pbx:${realm}:pässwörd 2`).digest('hex');
    assert.deepEqual([row.ha1_md5, row.ha1_sha256], [ha1('md5'), ha1('sha256')]);
    assert.ok(!JSON.stringify(row).includes('pässwörd'));
    assert.ok(!JSON.stringify((await call('GET', `${path}${id}/`)).body).includes('password'));
  });

  test('a username that changes alone gets new digests from the password, which is kept encrypted', async () => {
    const { call, credential, database } = await openTrunks(open);
    const one = `${path}${await credential({ password: 'secret' })}/`;
    assert.equal((await call('POST', one, { body: { username: 'other' } })).status, 202);
    assert.equal((await call('GET', one)).body.username, 'other');
    const tables = tablesOf(database.read);
    const row = await tables.selectFrom('trunk_credentials').selectAll().executeTakeFirstOrThrow();
    assert.equal(row.ha1_md5, createHash('md5').update(`other:${realm}:secret`).digest('hex'));
    assert.equal(row.ha1_sha256, createHash('sha256').update(`other:${realm}:secret`).digest('hex'));
    // A credential that an older version has stored without the password.
    await database.transact((write) =>
      tablesOf(write).updateTable('trunk_credentials').set({ password_sealed: null, realm: null }).execute(),
    );
    const refused = await call('POST', one, { body: { username: 'third' } });
    assert.equal(refused.status, 422);
    assert.match(
      refused.body.error,
      /^password parameter is missing: this credential was created by an older/,
    );
    assert.equal((await call('POST', one, { body: { username: 'other' } })).status, 202);
    assert.equal(
      (await call('POST', one, { body: { username: 'third', password: 'secret 2' } })).status,
      202,
    );
  });

  test('an overlap is shown until its end, and a change without an overlap ends it', async () => {
    const { call, world, credential } = await openTrunks(open);
    const one = `${path}${await credential()}/`;
    const until = async () => (await call('GET', one)).body.previous_password_until;
    const rotate = (body: object) => call('POST', one, { body: { password: 'secret 2', ...body } });
    assert.equal((await call('POST', one, { body: { password_overlap: 60 } })).status, 422);
    for (const password_overlap of [-1, 604_801, 'x', 1.5, null]) {
      assert.equal((await rotate({ password_overlap })).status, 400, String(password_overlap));
    }
    assert.equal((await rotate({ password_overlap: '60' })).status, 202);
    assert.equal(await until(), '2026-01-01 00:01:00');
    await world.clock.advance(60_000);
    assert.equal(await until(), undefined);
    await rotate({ password_overlap: 60 });
    await rotate({});
    assert.equal(await until(), undefined);
  });

  test('a subaccount sees its own credentials, the main account those of all subaccounts', async () => {
    const { call, world, credential } = await openTrunks(open);
    const [one, two] = [await world.subaccount(), await world.subaccount()];
    await credential();
    const theirs = await credential({}, one);
    await credential({}, two);
    for (const method of ['GET', 'POST', 'DELETE'] as const) {
      assert.equal((await call(method, `${path}${theirs}/`, { as: two })).status, 404);
    }
    const totals = async () =>
      Promise.all(
        [world.main, one, two].map(async (as) => {
          const { status, body } = await call('GET', path, { as });
          // The account was deleted.
          if (status === 401) return 0;
          const { meta, objects } = body;
          assert.equal(meta.total_count, objects.length);
          return meta.total_count;
        }),
      );
    assert.deepEqual(await totals(), [3, 1, 1]);
    assert.equal((await call('DELETE', `Subaccount/${one.authId}/`)).status, 204);
    assert.deepEqual(await totals(), [3, 0, 1]);
    assert.equal((await call('DELETE', `Subaccount/${two.authId}/?cascade=true`)).status, 204);
    assert.deepEqual(await totals(), [2, 0, 0]);
  });
});
