import assert from 'node:assert/strict';
import { test } from 'node:test';
import { databaseUnavailable, onEmbeddedDatabase, type SimulatedWorldOptions } from '@jackfield/testkit';
import { type MultipartyWorld, openMultipartyWorld } from './testing/multiparty-world.ts';

const room = 'MultiPartyCall/name_room/';
const recordingUrl = 'https://customer.example.com/recording';
const callUrl = 'https://customer.example.com/call';
const undone = 'step not saved; it was undone';

const callbacksAt = ({ customer }: MultipartyWorld, at: string) =>
  customer.requests.filter(({ url }) => url === at).map(({ fields }) => fields);

onEmbeddedDatabase('What was accepted while the database refuses writes', (open) => {
  /** A room with one participant. */
  async function openRoom(loggedErrors: SimulatedWorldOptions['loggedErrors'] = []) {
    const world = await openMultipartyWorld(open, { loggedErrors });
    await world.join('room', { stay_alone: true });
    await world.advance(100);
    return world;
  }

  /** Refuses the writes behind that of the request itself. */
  async function refusing(
    world: MultipartyWorld,
    count: number,
    path: string,
    body: object,
    error: Error = databaseUnavailable,
  ) {
    world.failCommits(count, { after: 1, error });
    const { status, body: answer } = await world.post(`${room}${path}`, body);
    await world.advance(0);
    return { status, answer };
  }

  test('a recording begins when the database is back, and its end is reported', async () => {
    const world = await openRoom([undone]);
    const order = { recording_callback_url: recordingUrl };
    const { status, answer } = await refusing(world, 3, 'Record/', order);
    assert.equal(status, 202);
    await world.advance(4_000);
    const path = `Recording/${answer.recording_id}/`;
    assert.equal((await world.get(path)).status, 200);
    assert.equal((await world.remove(`${room}Record/`)).status, 204);
    await world.advance(1_000);
    const events = callbacksAt(world, recordingUrl).map((each) => [each.EventName, each.RecordingUUID]);
    assert.deepEqual(
      events,
      ['MPCRecordingInitiated', 'MPCRecordingCompleted'].map((name) => [name, answer.recording_id]),
    );
  });

  test('a recording whose record is refused for good is reported as failed', async () => {
    const world = await openRoom([undone, 'recording of a multiparty call not started']);
    const order = { recording_callback_url: recordingUrl };
    const { status, answer } = await refusing(world, 1, 'Record/', order, new Error('a bug'));
    assert.equal(status, 202);
    await world.advance(1_000);
    const events = callbacksAt(world, recordingUrl).map((each) => [
      each.EventName,
      each.RecordingUUID,
      each.RecordingErrorCode,
    ]);
    assert.deepEqual(events, [['MPCRecordingFailed', answer.recording_id, 'internal']]);
    assert.equal((await world.get(room)).body.recording, 'not-recording');
  });

  const customer = { role: 'customer', from: '+12025550199', to: '+12025550101', ring_timeout: 30 };
  const added = { ...customer, call_status_callback_url: callUrl };

  test('a phone is dialled when the database is back within ring_timeout, and rings no longer than that', async () => {
    const world = await openRoom([undone]);
    const { status, answer } = await refusing(world, 10, 'Participant/', added);
    assert.equal(status, 201);
    const leg = answer.calls[0].call_uuid;
    assert.equal(world.telephony.dialled.length, 1);
    await world.advance(11_000);
    assert.equal(world.telephony.dialled.at(-1)?.leg, leg);
    world.telephony.startRinging(leg);
    await world.advance(18_000);
    assert.equal(world.isHungUp(leg), false);
    await world.advance(1_500);
    assert.equal(await world.endOf(leg), '6010 Ring Timeout Reached, Service');
  });

  test('a phone is not dialled when ring_timeout passes before the database is back, and its call ends', async () => {
    const world = await openRoom([undone]);
    const { status, answer } = await refusing(world, 60, 'Participant/', added);
    assert.equal(status, 201);
    await world.advance(90_000);
    assert.equal(world.telephony.dialled.length, 1);
    const leg = answer.calls[0].call_uuid;
    assert.equal(await world.endOf(leg), '5010 Internal Error, Error');
    assert.deepEqual(
      callbacksAt(world, callUrl).map((each) => [each.Event, each.CallUUID, each.HangupCauseCode]),
      [['Hangup', leg, '5010']],
    );
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 1);
  });

  test('a call whose record is refused for good sends its Hangup callback', async () => {
    const world = await openRoom([undone, 'record of a dialled leg not written']);
    const { status, answer } = await refusing(world, 1, 'Participant/', added, new Error('a bug'));
    assert.equal(status, 201);
    await world.advance(1_000);
    assert.deepEqual(
      callbacksAt(world, callUrl).map((each) => [each.Event, each.CallUUID, each.HangupCauseCode]),
      [['Hangup', answer.calls[0].call_uuid, '5010']],
    );
  });

  test('a program as agent is connected when the database is back', async () => {
    const world = await openRoom([undone]);
    const agent = { role: 'ai-agent', ai_agent_stream_service_url: 'wss://bot.example.com/' };
    const { status, answer } = await refusing(world, 3, 'Participant/', agent);
    assert.equal(status, 201);
    await world.advance(4_000);
    assert.equal(world.node.streams.streams.get(answer.calls[0].call_uuid)?.isConnected, true);
    await world.remove(room);
  });
});
