import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createFailingCommits,
  databaseUnavailable,
  eachDatabase,
  eventStreamOf,
  type FailingCommits,
  incomingCall,
  openSimulatedWorld,
  type SimulatedWorld,
} from '@jackfield/testkit';

const callback = 'https://customer.example.com/dial';
const numbers = ['+14155550111', '+14155550112'];
const destinations = numbers.map((number) => `<Number>${number}</Number>`).join('');
const dial = `<Response><Dial callbackUrl="${callback}" hangupOnStar="true">${destinations}</Dial></Response>`;

/** `DialAction` of the events of a Dial, without those before. */
async function actionsOf(world: SimulatedWorld) {
  const events = (await eventStreamOf(world)).filter(({ type }) => type === 'call.dial');
  return events.map(({ data }) => data as Readonly<Record<string, string>>);
}

const ends = (events: readonly Readonly<Record<string, string>>[]) =>
  events.filter(({ DialAction }) => DialAction === 'hangup');

eachDatabase('The Dial of a process that is killed', (open) => {
  /** A caller, and the legs of its Dial. */
  async function dialling(world: SimulatedWorld) {
    const caller = await incomingCall(world, dial, { hangup_url: 'https://customer.example.com/hangup' });
    await world.advance(100);
    // Each leg is dialled once it is saved: which of them is first, the database decides.
    const [first, second] = numbers.map(
      (number) => world.telephony.dialled.find(({ spec }) => spec.to === number)!.leg,
    );
    return { caller, first: first!, second: second! };
  }

  test('reports the end of each phone that was ringing or connected, once', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const { caller, first, second } = await dialling(world);
    world.telephony.pickUp(first);
    await world.advance(9_400);
    assert.deepEqual(
      ends(await actionsOf(world)).map(({ DialBLegUUID }) => DialBLegUUID),
      [second],
      'the phone that lost',
    );
    await world.restart({ downMs: 60_000 });
    await world.advance(5_000);
    const [, end, ...others] = ends(await actionsOf(world));
    assert.deepEqual(others, []);
    assert.deepEqual(
      [end?.CallUUID, end?.Event, end?.CallStatus, end?.DialALegUUID, end?.DialBLegUUID, end?.DialBLegStatus],
      [caller, 'DialAction', 'completed', caller, first, 'hangup'],
    );
    assert.deepEqual(
      [end?.DialBLegTo, end?.DialBLegHangupCauseCode, end?.DialBLegHangupSource, end?.To],
      [numbers[0], '5010', 'Error', '+12025550100'],
    );
    const seconds = Number(end?.DialBLegBillDuration);
    assert.ok(seconds >= 5 && seconds <= 10, `${seconds} s`);
    const received = world.customer.requests.filter(({ url, fields }) => {
      return url === callback && fields.DialBLegUUID === first && fields.DialAction === 'hangup';
    });
    assert.equal(received.length, 1);
    await world.restart();
    await world.advance(5_000);
    assert.equal(ends(await actionsOf(world)).length, 2);
  });

  test('reports phones that were still ringing', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const { first, second } = await dialling(world);
    world.telephony.startRinging(first);
    await world.advance(1_000);
    await world.restart();
    await world.advance(5_000);
    const found = ends(await actionsOf(world));
    assert.deepEqual(found.map(({ DialBLegUUID }) => DialBLegUUID).sort(), [first, second].sort());
    assert.deepEqual([...new Set(found.map(({ DialBLegDuration }) => DialBLegDuration))], ['0']);
  });

  test('does not report a phone again whose end the Dial has reported before', async () => {
    let commits: FailingCommits | undefined;
    const world = await openSimulatedWorld({
      database: open,
      phones: 'none',
      interpose(database) {
        commits = createFailingCommits(database);
        return commits.database;
      },
      loggedErrors: [
        'step not saved; it was undone',
        'delivery outcome not recorded; the event is delivered again',
      ],
    });
    const { caller, first, second } = await dialling(world);
    world.telephony.pickUp(first);
    await world.advance(2_000);
    // The end of the Dial is saved, and that of the leg is not.
    commits?.fail(1_000, { after: 1, error: databaseUnavailable });
    world.telephony.press(caller, '*');
    await world.advance(1_000);
    commits?.fail(0);
    await world.restart();
    await world.advance(5_000);
    assert.equal((await world.api('GET', `Call/${first}/`)).body.hangup_cause_code, 5010);
    assert.deepEqual(
      ends(await actionsOf(world)).map(({ DialBLegUUID }) => DialBLegUUID),
      [second, first],
    );
  });

  test('does not report a phone that a multiparty call has taken from it', async () => {
    const world = await openSimulatedWorld({ database: open, phones: 'none' });
    const { first } = await dialling(world);
    world.telephony.pickUp(first);
    await world.advance(1_000);
    const moved = { role: 'agent', call_uuid: first, stay_alone: true };
    assert.equal((await world.api('POST', 'MultiPartyCall/name_room/Participant/', moved)).status, 201);
    await world.advance(1_000);
    const before = ends(await actionsOf(world)).length;
    assert.equal(before, 2);
    await world.restart();
    await world.advance(5_000);
    assert.equal(ends(await actionsOf(world)).length, before);
  });
});
