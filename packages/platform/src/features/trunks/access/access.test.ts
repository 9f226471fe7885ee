import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { RefusedTrunkCall, TrunkAccess } from '@jackfield/ports';
import { eachDatabase } from '@jackfield/testkit';
import { tablesOf } from '../tables.ts';
import { openTrunks, realm, type TrunksWorld } from '../testing/trunks-world.ts';

const source = '192.0.2.7';
const md5 = (username: string, password: string) =>
  createHash('md5').update(`${username}:${realm}:${password}`).digest('hex');
/** Accepted passwords, as `username:HA1`. */
const passwords = (access: TrunkAccess | undefined) =>
  access?.credentials.map(({ username, ha1 }) => `${username}:${ha1.md5}`);

async function until(world: TrunksWorld, number: number) {
  for (let turn = 0; turn < 500; turn++) {
    const events = await world.events();
    if (events.length >= number) return events;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`fewer than ${number} events`);
}

eachDatabase('What signalling learns of a trunk', (open) => {
  test('a trunk admits callers with its credential, and no caller once the credential is deleted', async () => {
    const world = await openTrunks(open);
    const { call } = world;
    const { accessOf } = world.access;
    const credential_uuid = await world.credential();
    const id = await world.trunk({ credential_uuid });
    const access = await accessOf(id, source);
    assert.deepEqual(
      { ...access, credentials: 0 },
      {
        trunk: id,
        account: world.world.main.authId,
        mainAccount: world.world.main.authId,
        closedBecause: undefined,
        isSecure: false,
        isListed: false,
        credentials: 0,
        hasLostCredential: false,
      },
    );
    assert.deepEqual(passwords(access), [`pbx:${md5('pbx', 'secret')}`]);
    await call('DELETE', `SipTrunk/Credential/${credential_uuid}/`);
    const lost = await accessOf(id, source);
    assert.deepEqual([lost?.credentials, lost?.hasLostCredential], [[], true]);
    // Another credential ends the loss.
    await call('POST', `SipTrunk/Trunk/${id}/`, { body: { credential_uuid: await world.credential() } });
    assert.equal((await accessOf(id, source))?.hasLostCredential, false);
    await call('DELETE', `SipTrunk/Trunk/${id}/`);
    for (const odd of [id, '', 'x', "'; --", '9'.repeat(100)]) {
      assert.equal(await accessOf(odd, source), undefined);
    }
  });

  test('the password before a rotation is valid for its overlap, with the username it had, and not longer', async () => {
    const world = await openTrunks(open);
    const credential_uuid = await world.credential();
    const id = await world.trunk({ credential_uuid });
    const accepted = async () => passwords(await world.access.accessOf(id, source));
    const rotate = (body: object) => world.call('POST', `Zentrunk/Credential/${credential_uuid}/`, { body });
    const [first, second, third] = [md5('pbx', 'secret'), md5('pbx2', 'secret 2'), md5('pbx2', 'secret 3')];
    await rotate({ username: 'pbx2', password: 'secret 2', password_overlap: 60 });
    assert.deepEqual(await accepted(), [`pbx2:${second}`, `pbx:${first}`]);
    await world.world.clock.advance(59_999);
    assert.equal((await accepted())?.length, 2);
    await world.world.clock.advance(1);
    assert.deepEqual(await accepted(), [`pbx2:${second}`]);
    await rotate({ password: 'secret 3', password_overlap: 60 });
    assert.deepEqual(await accepted(), [`pbx2:${third}`, `pbx2:${second}`]);
    // A new name is no rotation; a password without overlap ends the running overlap.
    await rotate({ name: 'x' });
    assert.equal((await accepted())?.length, 2);
    await rotate({ password: 'secret 3' });
    assert.deepEqual(await accepted(), [`pbx2:${third}`]);
  });

  test('a username that is changed alone keeps its password, and for an overlap the username before', async () => {
    const world = await openTrunks(open);
    const credential_uuid = await world.credential();
    const id = await world.trunk({ credential_uuid });
    const accepted = async () => passwords(await world.access.accessOf(id, source));
    const change = (body: object) => world.call('POST', `Zentrunk/Credential/${credential_uuid}/`, { body });
    await change({ username: 'office', password_overlap: 60 });
    assert.deepEqual(await accepted(), [`office:${md5('office', 'secret')}`, `pbx:${md5('pbx', 'secret')}`]);
    await change({ username: 'branch' });
    assert.deepEqual(await accepted(), [`branch:${md5('branch', 'secret')}`]);
  });

  test('a credential stays valid when the operator changes the realm: HA1 is made anew', async () => {
    const world = await openTrunks(open);
    const credential_uuid = await world.credential();
    const id = await world.trunk({ credential_uuid });
    const rotated = { password: 'secret 2', password_overlap: 60 };
    await world.call('POST', `SipTrunk/Credential/${credential_uuid}/`, { body: rotated });
    await world.database.transact((write) =>
      tablesOf(write)
        .updateTable('trunk_credentials')
        .set({ realm: 'old.example.com', ha1_md5: 'old', previous_ha1_md5: 'old' })
        .execute(),
    );
    assert.deepEqual(passwords(await world.access.accessOf(id, source)), [
      `pbx:${md5('pbx', 'secret 2')}`,
      `pbx:${md5('pbx', 'secret')}`,
    ]);
  });

  test('a changed address list, status, direction or secure holds from the next call on', async () => {
    const world = await openTrunks(open);
    const { accessOf } = world.access;
    const ipacl_uuid = await world.addressList('198.51.100.1', '192.0.2.0/24', '2001:db8::/32');
    const id = await world.trunk({ ipacl_uuid, secure: true });
    const listed = async (address: string) => (await accessOf(id, address))?.isListed;
    for (const [address, expected] of Object.entries({
      '192.0.2.7': true,
      '::ffff:192.0.2.7': true,
      '192.0.3.7': false,
      '198.51.100.1': true,
      '198.51.100.2': false,
      '2001:db8:ffff::1': true,
      '2001:db9::1': false,
      'not an address': false,
    })) {
      assert.equal(await listed(address), expected, address);
    }
    const change = (body: object) => world.call('POST', `SipTrunk/Trunk/${id}/`, { body });
    assert.equal((await accessOf(id, source))?.isSecure, true);
    await change({ trunk_status: 'disabled' });
    assert.equal((await accessOf(id, source))?.closedBecause, 'trunk-disabled');
    await change({
      trunk_status: 'enabled',
      trunk_direction: 'inbound',
      primary_uri_uuid: await world.uri(),
    });
    assert.equal((await accessOf(id, source))?.closedBecause, 'trunk-inbound');
    await world.call('DELETE', `SipTrunk/IPAccessControlList/${ipacl_uuid}/`);
    assert.equal(await listed(source), false);
  });

  test('the first refused call of a kind is reported at once, those of its minute with the next report', async () => {
    const world = await openTrunks(open);
    const { accessOf, refused } = world.access;
    const id = await world.trunk({ credential_uuid: await world.credential() });
    const access = (await accessOf(id, source))!;
    const refusal: RefusedTrunkCall = {
      access,
      reason: 'wrong-password',
      sourceAddress: source,
      username: 'pbx\0',
      from: 'a'.repeat(1000),
      to: '+12025550100',
    };
    for (let time = 0; time < 50; time++) refused(refusal);
    refused({ ...refusal, reason: 'wrong-username' });
    const first = await until(world, 2);
    assert.deepEqual(first[0], {
      type: 'trunk.call-refused',
      resource: `trunk/${id}`,
      data: {
        trunk_id: id,
        reason: 'wrong-password',
        source_address: source,
        username: 'pbx',
        from: 'a'.repeat(255),
        to: '+12025550100',
        calls: 1,
      },
    });
    assert.equal(first[1]?.data.reason, 'wrong-username');
    await world.world.clock.advance(60_000);
    refused(refusal);
    const [, , third, ...more] = await until(world, 3);
    assert.deepEqual([third?.data.calls, more], [50, []]);
  });
});
