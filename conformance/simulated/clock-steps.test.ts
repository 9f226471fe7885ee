import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { homeOf } from '../support/simulated-nodes.ts';
import { SimulatedRoom } from '../support/simulated-room.ts';

const steps = [
  ['forward by a day', 86_400_000],
  ['back by an hour', -3_600_000],
] as const;

/** Instants of the API are UTC without saying so, or with their offset. */
function instantOf(text: string): number {
  return Date.parse(/[+Z]/.test(text.slice(10)) ? text : `${text.replace(' ', 'T')}Z`);
}

async function callRecord(world: SimulatedWorld, callUuid: string) {
  let record: { bill_duration: number; call_duration: number; billed_duration: number } & Record<
    'answer_time' | 'end_time',
    string
  >;
  await world.until('the record', async () => {
    record = (await world.api('GET', `Call/${callUuid}/`)).body;
    return typeof record.end_time === 'string';
  });
  return record!;
}

for (const [how, stepMs] of steps) {
  describe(`the wall clock is set ${how}`, () => {
    it('a call and a multiparty call last and cost what they would have without it', () =>
      inSimulatedWorld({ seed: 11 }, async (world) => {
        const phones = [await world.phone('ann'), await world.phone('bob')];
        const room = new SimulatedRoom(world);
        const began = world.now();
        const [added] = await room.gather(phones);
        await world.advance(3_000);
        world.clock.stepWall(stepMs);
        await world.advance(3_000);
        await room.end();
        assert.equal(await room.endedWith(), 3000);
        const lastedMs = world.now() - began;

        const { duration, billed_duration, creation_time, end_time } = await room.body();
        assert.ok(duration >= 6 && duration <= lastedMs / 1000 + 1, `the room lasted ${duration} s`);
        assert.equal(billed_duration, 2 * 60);
        assert.ok(instantOf(end_time) - instantOf(creation_time) <= lastedMs + 1_000);
        const record = await callRecord(world, added!.callUuid);
        assert.ok(record.bill_duration >= 6 && record.bill_duration <= 8, JSON.stringify(record));
        assert.ok(instantOf(record.end_time) >= instantOf(record.answer_time));
      }));

    it('a call that begins after the step has dates of the wall clock', () =>
      inSimulatedWorld({ seed: 12 }, async (world) => {
        const phones = [await world.phone('ann'), await world.phone('bob')];
        world.clock.stepWall(stepMs);
        const room = new SimulatedRoom(world);
        await room.gather(phones);
        await world.advance(5_000);
        await room.end();
        await room.endedWith();
        const { creation_time, end_time, duration } = await room.body();
        for (const time of [creation_time, end_time]) {
          assert.ok(Math.abs(instantOf(time) - world.clock.wallNow()) < 10_000, time);
        }
        assert.ok(duration >= 5 && duration <= 7);
        const { body } = await world.api('POST', 'Application/', {
          app_name: 'dated',
          answer_url: 'https://customer.example.com/answer',
        });
        assert.equal(typeof body.app_id, 'string');
        const { objects } = (await world.api('GET', 'Endpoint/')).body;
        const expires = instantOf(objects[0].sip_expires);
        assert.ok(expires > world.clock.wallNow() && expires <= world.clock.wallNow() + 3_600_000);
      }));

    it('a ring ends at its ring_timeout', () =>
      inSimulatedWorld({ seed: 13 }, async (world) => {
        const phone = await world.phone('ann');
        phone.behaviour = { does: 'ring' };
        const room = new SimulatedRoom(world);
        await room.add(phone, 'agent', { ring_timeout: 8 });
        await world.advance(4_000);
        world.clock.stepWall(stepMs);
        await world.advance(3_900);
        assert.ok(phone.call?.isRinging && phone.call.endedAt === undefined);
        await world.advance(200);
        assert.equal(phone.call?.end?.by, 'remote-cancel');
        assert.equal(await room.endedWith(), 1000);
      }));

    it('a multiparty call ends at its max_duration, and no bill is longer', () =>
      inSimulatedWorld({ seed: 14 }, async (world) => {
        const phones = [await world.phone('ann'), await world.phone('bob')];
        const room = new SimulatedRoom(world);
        const created = world.now();
        await room.gather(phones, 'agent', { max_duration: 300 });
        world.clock.stepWall(stepMs);
        await world.advance(created + 299_900 - world.now());
        assert.equal((await room.body()).status, 'Active');
        await world.advance(200);
        assert.equal(await room.endedWith(), 2000);
        assert.equal((await room.body()).billed_duration, 2 * 300);
      }));

    it('a stream ends at its stream_timeout, and shows its duration until then', () =>
      inSimulatedWorld({ seed: 15 }, async (world) => {
        const phones = [await world.phone('ann'), await world.phone('bob')];
        const room = new SimulatedRoom(world);
        const [added] = await room.gather(phones);
        const path = `Call/${added!.callUuid}/Stream/`;
        const started = await world.api('POST', path, {
          service_url: 'wss://customer.example.com/stream',
          stream_timeout: 60,
          status_callback_url: 'https://customer.example.com/streamed',
        });
        assert.equal(started.status, 202, JSON.stringify(started.body));
        const stream = `${path}${started.body.stream_id}/`;
        // Other nodes subtract its start from their wall clock.
        const home = homeOf(world);
        await world.advance(30_000);
        world.clock.stepWall(stepMs);
        const live = (await home.call('GET', stream)).body;
        assert.ok(live.bill_duration >= 29 && live.bill_duration <= 31, JSON.stringify(live));
        await world.advance(31_000);
        const over = (await world.api('GET', stream)).body;
        assert.equal(over.bill_duration, 60, JSON.stringify(over));
        await room.end();
        await room.endedWith();
      }));

    it('a callback is tried again after its pause', () =>
      inSimulatedWorld({ seed: 16 }, async (world) => {
        const url = 'https://customer.example.com/reported';
        world.customer.serve(url, { status: 503 });
        const phone = await world.phone('ann');
        const room = new SimulatedRoom(world);
        await room.gather([phone], 'agent', { status_callback_url: `${url}#rc=2&rp=5xx` });
        const attempts = () => world.customer.requests.filter((request) => request.url === url);
        await world.until('the first retry', () => attempts().length >= 2);
        const [first] = attempts();
        const mine = () => attempts().filter(({ eventId }) => eventId === first!.eventId);
        world.clock.stepWall(stepMs);
        await world.until('the second retry', () => mine().length === 3, 10_000);
        const [, second, third] = mine();
        // The pause before the third attempt is 5 s (docs of callbacks).
        assert.ok(Math.abs(third!.at - second!.at - 5_000) < 200, `${third!.at - second!.at} ms`);
        world.customer.serve(url, '');
        await room.end();
        await room.endedWith();
        await world.advance(700_000);
      }));

    for (const downMs of [0, 600_000]) {
      it(`a call that a killed process leaves behind costs no more than it lasted (${downMs / 1000} s down)`, () =>
        inSimulatedWorld({ seed: 17 }, async (world) => {
          const phones = [await world.phone('ann'), await world.phone('bob')];
          const room = new SimulatedRoom(world);
          const [added] = await room.gather(phones);
          await world.advance(12_000);
          world.clock.stepWall(stepMs);
          await world.advance(20_000);
          await world.restart({ downMs });
          const { duration, billed_duration } = await room.body();
          assert.ok(duration >= 27 && duration <= 35, `the room lasted ${duration} s`);
          assert.equal(billed_duration, 2 * 60);
          const record = await callRecord(world, added!.callUuid);
          assert.ok(record.bill_duration >= 27 && record.bill_duration <= 35, JSON.stringify(record));
          for (const phone of phones) phone.hangUp();
          await world.until('the phones are through', () =>
            phones.every(({ call }) => call?.end !== undefined),
          );
        }));
    }

    it('while no process was there, it changes no bill', () =>
      inSimulatedWorld({ seed: 18 }, async (world) => {
        const phones = [await world.phone('ann'), await world.phone('bob')];
        const room = new SimulatedRoom(world);
        const [added] = await room.gather(phones);
        await world.advance(30_000);
        world.clock.stepWall(stepMs);
        await world.restart();
        const { duration, billed_duration } = await room.body();
        assert.ok(duration >= 25 && duration <= 32, `the room lasted ${duration} s`);
        assert.equal(billed_duration, 2 * 60);
        const record = await callRecord(world, added!.callUuid);
        assert.ok(record.bill_duration >= 25 && record.bill_duration <= 32, JSON.stringify(record));
        for (const phone of phones) phone.hangUp();
        await world.until('the phones are through', () =>
          phones.every(({ call }) => call?.end !== undefined),
        );
      }));
  });
}
