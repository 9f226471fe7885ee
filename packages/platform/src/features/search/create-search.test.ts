import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

interface Result {
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly at: string | null;
  readonly resource_uri: string;
}

async function search(world: SimulatedWorld, q: string, as?: Caller): Promise<readonly Result[]> {
  const path = `Search/?q=${encodeURIComponent(q)}`;
  const answer = await world.call('GET', path, as === undefined ? {} : { as });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.objects;
}

const kindsOf = (results: readonly Result[]) => results.map(({ kind }) => kind).sort();

/** A record of each kind, of one account; the identifiers of the live ones. */
async function fill(world: SimulatedWorld, as: Caller) {
  const post = async (path: string, body: object) => {
    const answer = await world.call('POST', path, { body, as });
    assert.ok(answer.status >= 200 && answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  const endpoint = await post('Endpoint/', { username: 'alice', password: 'a-good-password', alias: 'Desk' });
  const application = await post('Application/', {
    app_name: 'menu-of-alice',
    answer_url: 'http://127.0.0.1:8000/answer',
  });
  const added = await post('MultiPartyCall/name_support/Participant/', {
    ...{ role: 'agent', from: '+12025550000', to: '+12025550101', stay_alone: true },
  });
  const verify = await post('Verify/Session/', { recipient: '+14155552671' });
  await world.advance(20);
  const leg: string = added.calls[0].call_uuid;
  world.telephony.pickUp(leg);
  await world.advance(20);
  const { objects } = (await world.call('GET', 'MultiPartyCall/', { as })).body;
  return {
    leg,
    room: objects[0].mpc_uuid as string,
    endpoint: endpoint.endpoint_id as string,
    username: endpoint.username as string,
    application: application.app_id as string,
    session: verify.session_uuid as string,
  };
}

/** The code was entered: nothing waits for it any more. */
async function verify(world: SimulatedWorld, session: string, as: Caller): Promise<void> {
  const inbox = (await world.call('GET', 'Sandbox/Message/?to=%2B14155552671', { as })).body.objects;
  const otp = /\d{4,8}/.exec(inbox[0].text)![0];
  const checked = await world.call('POST', `Verify/Session/${session}/`, { body: { otp }, as });
  assert.equal(checked.status, 200, JSON.stringify(checked.body));
  await world.advance(100);
}

eachDatabase('A search', (open) => {
  test('finds records by UUID, number, username and name, and each result can be fetched', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const made = await fill(world, world.main);
    const ofUuid = async (uuid: string) => (await search(world, uuid)).map(({ kind, id }) => [kind, id]);
    assert.deepEqual(await ofUuid(made.leg.toUpperCase()), [['call', made.leg]]);
    assert.deepEqual(await ofUuid(made.room), [['multiparty-call', made.room]]);
    assert.deepEqual(await ofUuid(made.session), [['verify-session', made.session]]);
    assert.deepEqual(await ofUuid(made.endpoint), [['endpoint', made.endpoint]]);
    assert.deepEqual(await ofUuid(made.application), [['application', made.application]]);
    assert.deepEqual(await ofUuid('support'), [['multiparty-call', made.room]]);
    assert.deepEqual(await ofUuid('ali'), [['endpoint', made.endpoint]]);
    assert.deepEqual(await ofUuid('menu-of'), [['application', made.application]]);
    for (const written of ['+12025550101', '12025550101', '+1 (202) 555-0101']) {
      assert.deepEqual(await ofUuid(written), [['call', made.leg]], written);
    }
    const [call] = await search(world, made.leg);
    assert.equal(call!.title, '+12025550000 → +12025550101');
    for (const q of [made.leg, made.room, made.session, 'ali', 'menu-of']) {
      const [{ resource_uri: uri }] = (await search(world, q)) as [Result];
      const path = uri.slice(`/v1/Account/${world.main.authId}/`.length);
      assert.equal((await world.call('GET', path)).status, 200, uri);
    }
    await world.api('DELETE', 'MultiPartyCall/name_support/');
    world.telephony.leave(made.leg);
    await world.advance(100);
    assert.deepEqual(await ofUuid('+12025550101'), [['call', made.leg]]);
    assert.deepEqual(await ofUuid('+14155552671'), [['verify-session', made.session]]);
    assert.deepEqual(await search(world, '%li'), []);
    await verify(world, made.session, world.main);
    assert.equal((await world.call('GET', 'Search/?q=ab')).status, 400);
  });

  test('of a subaccount finds its own alone, the main account those as well, another subaccount nothing', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const [sub, other] = [await world.subaccount(), await world.subaccount()];
    const made = await fill(world, sub);
    const queries = [made.leg, made.room, made.session, '+12025550101', 'support', 'ali', 'menu-of'];
    for (const q of queries) {
      assert.equal((await search(world, q, sub)).length, 1, q);
      assert.deepEqual(kindsOf(await search(world, q, world.main)), kindsOf(await search(world, q, sub)), q);
      assert.deepEqual(await search(world, q, other), [], q);
    }
    await world.api('DELETE', 'Call/');
    world.telephony.leave(made.leg);
    await world.advance(100);
    assert.deepEqual(await search(world, '+12025550101', other), []);
    assert.equal((await search(world, '+12025550101', sub)).length, 1);
    await verify(world, made.session, sub);
  });
});
