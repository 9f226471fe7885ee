import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { agent, customer, type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';

const room = 'MultiPartyCall/name_room/';

eachDatabase('Participants of a multiparty call, row by row of the interface', (open) => {
  test('Retrieve participant answers one with its fields, several and all with a list of them', async () => {
    const world = await openMultipartyWorld(open);
    const first = await world.join('room', { stay_alone: true });
    const legs = [first, await world.join('room', customer), await world.add('room')];
    const ids: string[] = [];
    for (const leg of legs) ids.push(await world.memberOf('room', leg));
    const [ann = '', bob = ''] = ids;
    const read = async (member: string, query = '') =>
      (await world.get(`${room}Participant/${member}/${query}`)).body;

    const one = await read(ann);
    const { api_id: _, ...fields } = one;
    const two = await read(`${bob},${ann}`);
    assert.deepEqual(two.objects[0], fields);
    assert.deepEqual(
      two.objects.map(({ member_id }: { member_id: string }) => member_id),
      [ann, bob],
    );
    assert.deepEqual([two.meta.count, two.meta.limit, two.meta.offset], [2, 20, 0]);
    const page = await read('ALL', '?limit=2');
    assert.equal(page.meta.count, 3);
    assert.match(page.meta.next, /Participant\/all\/\?limit=2&offset=2$/);
    assert.equal(
      (await world.get(page.meta.next.split(`${world.api.main.authId}/`)[1])).body.objects.length,
      1,
    );

    const stranger = await world.get(`${room}Participant/${ann},999999/`);
    assert.deepEqual(
      [stranger.status, stranger.body.error],
      [404, 'there is no participant in this multiparty call with member_id "999999"'],
    );
    // A member that left is no part of all, but can be named.
    assert.equal((await world.remove(`${room}Participant/${bob}/`)).status, 204);
    await world.runner.idle();
    assert.equal((await read('all')).meta.count, 2);
    assert.equal((await read(`${ann},${bob}`)).objects[1].status, 'exited');
  });

  test('start_mpc_on_enter is true only for the participant that made the call active', async () => {
    const world = await openMultipartyWorld(open);
    const startsOf = async (name: string) => {
      const { objects } = (await world.get(`MultiPartyCall/name_${name}/Participant/all/`)).body;
      return objects.map((each: { start_mpc_on_enter: boolean }) => each.start_mpc_on_enter);
    };
    await world.join('at-once');
    await world.join('at-once');
    assert.deepEqual(await startsOf('at-once'), [true, false]);

    const waits = { start_mpc_on_enter: false };
    await world.join('later', waits);
    const starter = await world.add('later');
    assert.deepEqual(await startsOf('later'), [false, false]);
    world.calls.answer(starter);
    await world.runner.idle();
    await world.join('later');
    assert.deepEqual(await startsOf('later'), [false, true, false]);

    await world.join('activated', waits);
    await world.post('MultiPartyCall/name_activated/', { status: 'active' });
    await world.join('activated');
    assert.deepEqual(await startsOf('activated'), [false, false]);
  });

  test('status_callback_url of a later participant reports only its events, also after a crash', async () => {
    const world = await openMultipartyWorld(open);
    const own = 'https://example.com/own';
    const calls = 'https://example.com/call';
    await world.join('room', { status_callback_url: calls });
    const later = { status_callback_url: own, status_callback_method: 'GET', stay_alone: true };
    const leg = await world.join('room', { ...customer, ...later });
    await world.join('room', { ...agent, status_callback_url: calls });
    const member = await world.memberOf('room', leg);
    await world.post(`${room}Participant/${member}/`, { mute: true });
    await world.runner.idle();
    const reported = (from: MultipartyWorld, url: string) =>
      from.events
        .filter(({ callback }) => callback?.url === url)
        .map(({ payload }) => `${payload.EventName} ${payload.MemberID ?? ''}`);
    assert.deepEqual(reported(world, own), [`ParticipantJoin ${member}`, `ParticipantMute ${member}`]);
    // The call's own URL receives the events of every participant, once where both URLs are the same.
    assert.equal(reported(world, calls).filter((each) => each.startsWith('ParticipantJoin')).length, 3);
    const copy = world.events.find(({ callback }) => callback?.url === own);
    assert.equal(copy?.callback?.method, 'GET');
    assert.match(copy?.resource ?? '', /^replay\//, 'the event stream has the event once');
    assert.match(copy?.callback?.loggedResource ?? '', /^multiparty-call\//);

    const after = await world.crash();
    await after.feature.restore(() => after.clock.now());
    assert.deepEqual(reported(after, own), [`ParticipantExit ${member}`]);
  });

  test('digits and voice of a participant are reported where its own status callback asks for them', async () => {
    const world = await openMultipartyWorld(open);
    const own = 'https://example.com/own';
    const events = 'participant-digit-input-events';
    await world.join('room');
    const leg = await world.join('room', { status_callback_url: own, status_callback_events: events });
    world.calls.press(leg, '5');
    await world.runner.idle();
    const reported = world.events
      .filter(({ callback }) => callback?.url === own)
      .map(({ payload }) => payload);
    assert.deepEqual(
      reported.map(({ EventName, Digit }) => [EventName, Digit]),
      [['ParticipantDigitInput', '5']],
    );
  });

  test('HangupSource: API Request where a request ended the call or kicked, Service where it ended by itself', async () => {
    const sourceAfter = async (fields: object, end: (world: MultipartyWorld) => Promise<unknown>) => {
      const world = await openMultipartyWorld(open);
      const leg = await world.join('room', { max_duration: 300, ...fields });
      await world.join('room', customer);
      await end(world);
      await world.runner.idle();
      const cause = world.calls.hungUp.get(leg);
      return `${cause?.code} ${cause?.source}`;
    };
    const leave = async (world: MultipartyWorld) => {
      const { objects } = (await world.get(`${room}Participant/`)).body;
      world.calls.leave(objects[1].call_uuid);
    };
    assert.equal(await sourceAfter({}, (world) => world.remove(room)), '4020 API Request');
    assert.equal(await sourceAfter({}, (world) => world.clock.advance(300_000)), '4020 Service');
    assert.equal(await sourceAfter({ stay_alone: false }, leave), '4020 Service');
  });
});
