import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  eachDatabase,
  eventStreamOf,
  openSimulatedWorld,
  type SimulatedWorld,
  worldOfSuite,
} from '@jackfield/testkit';
import { add, customer, join, memberOf } from './testing/rooms.ts';

const room = 'MultiPartyCall/name_room/';

/** The callbacks to a URL, each as the name of its event and its member. */
const reported = ({ customer: { requests } }: SimulatedWorld, to: string) =>
  requests
    .filter(({ url }) => url === to)
    .map(({ fields }) => `${fields.EventName} ${fields.MemberID ?? ''}`);

eachDatabase('Participants of a multiparty call, row by row of the interface', (open) => {
  const openWorld = () => openSimulatedWorld({ database: open, phones: 'none' });

  test('Retrieve participant answers one with its fields, several and all with a list of them', async () => {
    const world = await openWorld();
    const first = await join(world, 'room', { stay_alone: true });
    const legs = [first, await join(world, 'room', customer), await add(world, 'room')];
    const ids: string[] = [];
    for (const leg of legs) ids.push(await memberOf(world, 'room', leg));
    const [ann = '', bob = ''] = ids;
    const read = async (member: string, query = '') =>
      (await world.api('GET', `${room}Participant/${member}/${query}`)).body;

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
    assert.equal((await world.api('GET', page.meta.next)).body.objects.length, 1);

    const stranger = await world.api('GET', `${room}Participant/${ann},999999/`);
    assert.deepEqual(
      [stranger.status, stranger.body.error],
      [404, 'there is no participant in this multiparty call with member_id "999999"'],
    );
    // A member that left is no part of all, but can be named.
    assert.equal((await world.api('DELETE', `${room}Participant/${bob}/`)).status, 204);
    await world.advance(0);
    assert.equal((await read('all')).meta.count, 2);
    assert.equal((await read(`${ann},${bob}`)).objects[1].status, 'exited');
  });

  test('status_callback_url of a later participant reports only its events, also after a crash', async () => {
    const world = await openWorld();
    const own = 'https://example.com/own';
    const calls = 'https://example.com/call';
    await join(world, 'room', { status_callback_url: calls });
    const later = { status_callback_url: own, status_callback_method: 'GET', stay_alone: true };
    const leg = await join(world, 'room', { ...customer, ...later });
    await join(world, 'room', { status_callback_url: calls });
    const member = await memberOf(world, 'room', leg);
    await world.api('POST', `${room}Participant/${member}/`, { mute: true });
    await world.advance(100);
    assert.deepEqual(reported(world, own), [`ParticipantJoin ${member}`, `ParticipantMute ${member}`]);
    // The call's own URL receives the events of every participant, once where both URLs are the same.
    assert.equal(reported(world, calls).filter((each) => each.startsWith('ParticipantJoin')).length, 3);
    assert.equal(world.customer.requests.find(({ url }) => url === own)?.method, 'GET');
    const mutes = (await eventStreamOf(world)).filter(({ data }) => data.EventName === 'ParticipantMute');
    assert.equal(mutes.length, 1, 'the event stream has the event once');
    assert.match(mutes[0]?.resource ?? '', /^multiparty-call\//);
    const logged = (await world.api('GET', `Callback/?resource=${mutes[0]?.resource}`)).body.objects;
    assert.equal(
      logged.filter(({ url }: { url: string }) => url === own).length,
      2,
      'the log has the copies',
    );

    const before = reported(world, own).length;
    await world.restart();
    await world.advance(1_000);
    assert.deepEqual(reported(world, own).slice(before), [`ParticipantExit ${member}`]);
  });
});

describe('Rules of participants, row by row of the interface', () => {
  const suite = worldOfSuite({ phones: 'none' });

  test('start_mpc_on_enter is true only for the participant that made the call active', async () => {
    const world = suite();
    const startsOf = async (name: string) => {
      const { objects } = (await world.api('GET', `MultiPartyCall/name_${name}/Participant/all/`)).body;
      return objects.map((each: { start_mpc_on_enter: boolean }) => each.start_mpc_on_enter);
    };
    await join(world, 'at-once');
    await join(world, 'at-once');
    assert.deepEqual(await startsOf('at-once'), [true, false]);

    const waits = { start_mpc_on_enter: false };
    await join(world, 'later', waits);
    const starter = await add(world, 'later');
    assert.deepEqual(await startsOf('later'), [false, false]);
    world.telephony.pickUp(starter);
    await world.advance(0);
    await join(world, 'later');
    assert.deepEqual(await startsOf('later'), [false, true, false]);

    await join(world, 'activated', waits);
    await world.api('POST', 'MultiPartyCall/name_activated/', { status: 'active' });
    await join(world, 'activated');
    assert.deepEqual(await startsOf('activated'), [false, false]);
  });

  test('digits and voice of a participant are reported where its own status callback asks for them', async () => {
    const world = suite();
    const own = 'https://example.com/own';
    const events = 'participant-digit-input-events';
    await join(world, 'room');
    const leg = await join(world, 'room', { status_callback_url: own, status_callback_events: events });
    world.telephony.press(leg, '5');
    await world.advance(100);
    const sent = world.customer.requests.filter(({ url }) => url === own);
    assert.deepEqual(
      sent.map(({ fields: { EventName, Digit } }) => [EventName, Digit]),
      [['ParticipantDigitInput', '5']],
    );
  });

  test('HangupSource: API Request where a request ended the call or kicked, Service where it ended by itself', async () => {
    const world = suite();
    const sourceAfter = async (fields: object, end: (other: string) => unknown) => {
      const leg = await join(world, 'room', { max_duration: 300, ...fields });
      const other = await join(world, 'room', customer);
      await end(other);
      await world.advance(0);
      const { body } = await world.api('GET', `Call/${leg}/`);
      return `${body.hangup_cause_code} ${body.hangup_source}`;
    };
    assert.equal(await sourceAfter({}, () => world.api('DELETE', room)), '4020 API Request');
    assert.equal(await sourceAfter({}, () => world.advance(300_000)), '4020 Service');
    const leave = (other: string) => world.telephony.leave(other);
    assert.equal(await sourceAfter({ stay_alone: false }, leave), '4020 Service');
  });
});
