import assert from 'node:assert/strict';
import { test } from 'node:test';
import { incomingCall, onEmbeddedDatabase } from '@jackfield/testkit';
import { openMultipartyWorld } from './testing/multiparty-world.ts';

const room = 'MultiPartyCall/name_room/';
const hourMs = 3_600_000;
const exitUrl = 'https://customer.example.com/exit';
const waits = '<Response><Wait length="86400" silence="true"/></Response>';

onEmbeddedDatabase('A multiparty call with a max_duration of eight hours', (open) => {
  test('it lasts that long for phones that it dials, and calls that came in: borrowed from a document, or moved', async () => {
    const world = await openMultipartyWorld(open);
    world.customer.serve(exitUrl, waits);
    const early = await incomingCall(world, waits);
    await world.advance(2 * hourMs);
    const borrowed = await incomingCall(
      world,
      `<Response><MultiPartyCall role="Customer" maxDuration="28800" onExitActionUrl="${exitUrl}">room</MultiPartyCall></Response>`,
    );
    const { mpc_uuid: mpc } = (await world.get(room)).body;
    const dialled = await world.join('room');
    const moved = await world.post(`${room}Participant/`, { role: 'customer', call_uuid: early });
    assert.equal(moved.status, 201);
    for (let hour = 1; hour < 8; hour++) await world.advance(hourMs);
    await world.advance(hourMs - 1000);
    assert.equal((await world.get(`${room}Participant/`)).body.meta.count, 3);
    await world.advance(1100);
    const ended = (await world.get(`MultiPartyCall/uuid_${mpc}/`)).body;
    assert.equal(ended.termination_cause_code, 2000);
    for (const leg of [dialled, early]) {
      assert.equal(await world.endOf(leg), '4020 Multiparty Call Ended, Service');
    }
    const exit = world.customer.requests.find(({ url }) => url === exitUrl);
    assert.equal(exit?.fields.ParticipantCallUUID, borrowed, 'its document goes on');
    await world.advance(1000);
    assert.equal(await world.endOf(borrowed), '6000 Scheduled Hangup, Service');
  });

  test('a call that was made by request keeps its time limit when it is moved into it', async () => {
    const world = await openMultipartyWorld(open);
    await world.join('room', { max_duration: 28_800, stay_alone: true });
    world.customer.serve(exitUrl, waits);
    const limits = [14_400, 20_000];
    const legs: string[] = [];
    for (const time_limit of [undefined, limits[1]]) {
      const call = { from: '+12025550111', to: '+12025550100', answer_url: exitUrl, time_limit };
      const { request_uuid: leg } = (await world.post('Call/', call)).body;
      await world.advance(0);
      world.telephony.pickUp(leg);
      await world.advance(100);
      legs.push(leg);
      const moved = await world.post(`${room}Participant/`, {
        role: 'customer',
        call_uuid: leg,
      });
      assert.equal(moved.status, 201, JSON.stringify(moved.body));
    }
    for (const [at, leg] of legs.entries()) {
      await world.advance(((limits[at] ?? 0) - (limits[at - 1] ?? 0)) * 1000);
      assert.equal(await world.endOf(leg), '6000 Scheduled Hangup, Service');
    }
  });

  test('a killed process bills the hours of its legs, also those after the fourth', async () => {
    const world = await openMultipartyWorld(open);
    const leg = await incomingCall(
      world,
      '<Response><MultiPartyCall role="Customer" stayAlone="true" maxDuration="28800">room</MultiPartyCall></Response>',
    );
    await world.advance(5 * hourMs);
    await world.restart();
    const { bill_duration: billed } = (await world.get(`Call/${leg}/`)).body;
    assert.ok(billed > 17_990, `${billed} s`);
  });
});
