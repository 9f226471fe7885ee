import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answeredCall, eachDatabase, openSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';

const minute = 60_000;
const service_url = 'wss://bot.example/audio';

/** Starts a stream and ends it. */
async function ended(world: SimulatedWorld, path: string): Promise<string> {
  const stream = await started(world, path);
  assert.equal((await world.api('DELETE', `${path}Stream/${stream}/`)).status, 204);
  await world.advance(1_000);
  return stream;
}

async function started(world: SimulatedWorld, path: string): Promise<string> {
  const { status, body } = await world.api('POST', `${path}Stream/`, { service_url });
  assert.equal(status, 202, JSON.stringify(body));
  await world.advance(1_000);
  return body.stream_id;
}

async function left(world: SimulatedWorld, path: string): Promise<readonly string[]> {
  const { body } = await world.api('GET', `${path}Stream/`);
  return body.objects.map((each: { readonly stream_id: string }) => each.stream_id);
}

/** A multiparty call with one member who has answered. */
async function room(world: SimulatedWorld, friendlyName: string): Promise<string> {
  const fields = { role: 'agent', from: '+12025550000', to: '+12025550199', stay_alone: true };
  await world.api('POST', `MultiPartyCall/name_${friendlyName}/Participant/`, fields);
  await world.advance(10);
  world.telephony.pickUp(world.telephony.dialled.at(-1)!.leg);
  await world.advance(100);
  const { body } = await world.api('GET', `MultiPartyCall/name_${friendlyName}/`);
  return `MultiPartyCall/uuid_${body.mpc_uuid}/`;
}

eachDatabase('The retention of streams', (open) => {
  for (const [kept, others] of [
    ['calls', 'multiparty calls'],
    ['multiparty calls', 'calls'],
  ] as const) {
    test(`streams of ${kept} are removed after the time of ${kept}; live streams and those of ${others} stay`, async () => {
      const keepMs = 60 * minute;
      const settings = kept === 'calls' ? { keepCallsMs: keepMs } : { keepMultipartyCallsMs: keepMs };
      const world = await openSimulatedWorld({ database: open, phones: 'none', settings });
      const [call, mpc] = [`Call/${await answeredCall(world)}/`, await room(world, 'support')];
      const [of, beside] = kept === 'calls' ? [call, mpc] : [mpc, call];
      await ended(world, of);
      const other = await ended(world, beside);
      await world.clock.leap(40 * minute);
      const young = await ended(world, of);
      const live = await started(world, of);
      await world.clock.leap(20 * minute);
      await world.advance(2 * minute);
      assert.deepEqual(await left(world, of), [live, young]);
      assert.deepEqual(await left(world, beside), [other]);
    });
  }
});
