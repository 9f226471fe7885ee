import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BaresipPhone } from './support/baresip-phone.ts';
import { cleanUp } from './support/clean-up.ts';
import { missing } from './support/installed.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { Sipp } from './support/sipp.ts';

const skip = missing('baresip', 'sox', 'sipp');
const password = 'secret-of-the-branch';

describe('a disabled subaccount', { skip, timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let subaccount: string;
  let username: string;
  const phones: BaresipPhone[] = [];

  /** On the path of the subaccount, by its main account, which still acts for a disabled one. */
  const ofBranch = (method: string, path: string, body?: unknown) =>
    platform.api(method, `../${subaccount}/${path}`, body);

  const enable = async (enabled: boolean) =>
    assert.equal((await platform.api('POST', `Subaccount/${subaccount}/`, { enabled })).status, 202);

  async function phone(): Promise<BaresipPhone> {
    const started = await BaresipPhone.start({
      registrar: platform.sipAddress,
      username,
      password,
      toneHz: 440,
    });
    phones.push(started);
    return started;
  }

  before(async () => {
    platform = await PlatformProcess.start();
    subaccount = (await platform.api('POST', 'Subaccount/', { name: 'Branch' })).body.auth_id;
    const endpoint = await ofBranch('POST', 'Endpoint/', { username: 'branch', password, alias: 'branch' });
    assert.equal(endpoint.status, 201);
    username = endpoint.body.username;
  });

  after(() =>
    cleanUp(
      () => Promise.all(phones.map((each) => each.stop())),
      () => platform.untilQuiet(),
      () => platform.stop(),
    ),
  );

  it('keeps its live call, begins and takes no other, registers no phone, and is back at once when it is enabled', async () => {
    const first = await phone();
    await first.registered();
    first.dial(`sip:+12025550101@${platform.sipAddress}`);
    await first.established();
    const live = () => ofBranch('GET', 'Call/?status=live');
    const calls = (await live()).body.calls.length;
    assert.ok(calls > 0);

    await enable(false);
    await platform.until('the event', 'Event/?type=subaccount.disabled', ({ objects }) =>
      objects.some(({ data }: { data: { auth_id?: string } }) => data.auth_id === subaccount),
    );
    const second = await phone();
    assert.match(String((await second.refused()).param), /403/);
    // The call was answered before, and neither leg has ended.
    assert.equal((await live()).body.calls.length, calls);
    first.hangUp();
    await first.closed();
    let from = first.events.all.length;
    first.dial(`sip:+12025550101@${platform.sipAddress}`);
    assert.match(String((await first.closed(from)).param), /403/);

    // Its binding has not expired, but the platform does not call it.
    from = first.events.all.length;
    const room = 'MultiPartyCall/name_branch/';
    const participant = { role: 'agent', from: '+12025550000', to: username };
    const added = await ofBranch('POST', `${room}Participant/`, participant);
    assert.equal(added.status, 201);
    await platform.until(
      'the end of the leg',
      `../${subaccount}/Call/${added.body.calls[0].call_uuid}/`,
      ({ hangup_cause_code }) => hangup_cause_code === 2000,
    );
    assert.ok(!first.events.all.slice(from).some(({ type }) => type === 'CALL_INCOMING'));

    await enable(true);
    const third = await phone();
    await third.registered();
    from = third.events.all.length;
    third.dial(`sip:+12025550101@${platform.sipAddress}`);
    await third.established(from);
    third.hangUp();
    await third.closed(from);
  });

  it('has its trunks refused, whatever lets them in', async () => {
    const created = async (path: string, body: object) => (await ofBranch('POST', path, body)).body;
    const { ipacl_uuid } = await created('SipTrunk/IPAccessControlList/', {
      name: 'here',
      ip_addresses: ['127.0.0.1'],
    });
    const { trunk_id } = await created('SipTrunk/Trunk/', {
      name: 'Office',
      trunk_direction: 'outbound',
      ipacl_uuid,
    });
    const { trunk_domain } = (await ofBranch('GET', `SipTrunk/Trunk/${trunk_id}/`)).body;
    const call = async (scenario: string) => {
      const callee = '+12025550100';
      const keys = { callee, trunk: trunk_domain };
      const sipp = await Sipp.start({
        remote: platform.sipAddress,
        scenario,
        authUri: `${callee}@${trunk_domain}`,
        keys,
        user: 'nobody',
        password: 'asked-for-by-nobody',
      });
      assert.deepEqual(await sipp.finished(), { code: 0, errors: '' }, scenario);
      await sipp.stop();
    };
    await call('trunk-call-listed');
    await enable(false);
    await call('trunk-forbidden');
    const { jackfield_sip_inactive_account_refused_total: refused = 0 } =
      await platform.metrics('jackfield_sip_inactive');
    assert.ok(refused > 0);
    await enable(true);
    await call('trunk-call-listed');
  });
});
