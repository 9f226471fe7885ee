import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedPhone, type SimulatedWorld } from '@jackfield/testkit';

const room = 'MultiPartyCall/name_support/';
const service_url = 'wss://scribe.example/room';

async function add(world: SimulatedWorld, phone: SimulatedPhone, fields: object = {}) {
  const { status, body } = await world.api('POST', `${room}Participant/`, {
    from: '+12025550000',
    to: phone.username,
    role: 'agent',
    stay_alone: true,
    enter_sound: 'none',
    exit_sound: 'none',
    ...fields,
  });
  assert.equal(status, 201, JSON.stringify(body));
  await world.until(`${phone.username} is in`, () => phone.call?.isUp);
  await world.advance(100);
  const { objects } = (await world.api('GET', `${room}Participant/?call_uuid=${body.calls[0].call_uuid}`))
    .body;
  return { leg: body.calls[0].call_uuid as string, member: objects[0].member_id as string };
}

async function start(world: SimulatedWorld, body: object = {}) {
  const answer = await world.api('POST', `${room}Stream/`, { service_url, ...body });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  await world.advance(100);
  return answer.body;
}

const streamOf = (world: SimulatedWorld, id: string) => world.node.streams.streams.get(id);
const saidOn = (world: SimulatedWorld, id: string) =>
  Object.fromEntries(streamOf(world, id)?.tracks.map(({ name, said }) => [name, said]) ?? []);

describe('a stream of a whole multiparty call', () => {
  it('has one track for each participant, named by the member, through joins, leaves, mutes and holds', () =>
    inSimulatedWorld({ seed: 61 }, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      const one = await add(world, ann);
      const { stream_id, mpc_uuid, call_uuid, resource_uri } = await start(world, {
        status_callback_url: 'https://customer.example.com/s',
      });
      assert.equal(call_uuid, one.leg);
      assert.ok(resource_uri.endsWith(`/MultiPartyCall/uuid_${mpc_uuid}/Stream/${stream_id}/`));
      assert.deepEqual(saidOn(world, stream_id), { [one.member]: [one.leg] });
      const two = await add(world, bob, { role: 'customer' });
      assert.deepEqual(saidOn(world, stream_id), { [one.member]: [one.leg], [two.member]: [two.leg] });
      assert.deepEqual(streamOf(world, stream_id)?.hearers, []);
      for (const change of ['mute', 'hold']) {
        await world.api('POST', `${room}Participant/${two.member}/`, { [change]: true });
        await world.advance(100);
        assert.deepEqual(saidOn(world, stream_id), { [one.member]: [one.leg], [two.member]: [] }, change);
        await world.api('POST', `${room}Participant/${two.member}/`, { [change]: false });
      }
      ann.hangUp();
      await world.until('ann is off', () => Object.keys(saidOn(world, stream_id)).length === 1);
      assert.deepEqual(saidOn(world, stream_id), { [two.member]: [two.leg] });
      assert.ok(streamOf(world, stream_id)?.isConnected, 'it does not end with the call that it names');
      assert.equal((await world.api('DELETE', room)).status, 204);
      await world.advance(500);
      const callbacks = world.customer.requests
        .filter(({ url }) => url.endsWith('/s'))
        .map(({ fields }) => fields);
      assert.deepEqual(
        callbacks.map(({ Event, MPCName, MPCUUID }) => [Event, MPCName, MPCUUID]),
        [
          ['StartStream', 'support', mpc_uuid],
          ['StopStream', 'support', mpc_uuid],
        ],
      );
      assert.equal(callbacks[1]?.StatusReason, 'Call hangup');
      const { body } = await world.api('GET', `MultiPartyCall/uuid_${mpc_uuid}/Stream/`);
      assert.deepEqual(
        body.objects.map(({ stream_id: each }: { stream_id: string }) => each),
        [stream_id],
      );
    }));

  it('speaks to all participants who listen, or to the roles in speak_to', () =>
    inSimulatedWorld({ seed: 62 }, async (world) => {
      const [ann, bob] = [await world.phone('ann'), await world.phone('bob')];
      const one = await add(world, ann);
      const two = await add(world, bob, { role: 'customer' });
      const all = await start(world, { bidirectional: true });
      const whisper = await start(world, {
        service_url: 'wss://whisper.example/',
        bidirectional: true,
        speak_to: 'Agent, supervisor',
      });
      assert.deepEqual(streamOf(world, all.stream_id)?.hearers, [one.leg, two.leg]);
      assert.deepEqual(streamOf(world, whisper.stream_id)?.hearers, [one.leg]);
      await world.api('POST', `${room}Participant/${one.member}/`, { hold: true });
      await world.advance(100);
      assert.deepEqual(streamOf(world, all.stream_id)?.hearers, [two.leg]);
      assert.deepEqual(streamOf(world, whisper.stream_id)?.hearers, []);
      assert.equal((await world.api('DELETE', `${room}Stream/${all.stream_id}/`)).status, 204);
      await world.advance(100);
      assert.equal((await world.api('DELETE', `${room}Stream/${all.stream_id}/`)).status, 404);
      assert.equal((await world.api('DELETE', `${room}Stream/`)).status, 204);
      await world.advance(100);
      assert.equal(world.node.streams.streams.size, 0);
      await world.api('DELETE', room);
    }));

  it('is silent before the conversation begins', () =>
    inSimulatedWorld({ seed: 63 }, async (world) => {
      const ann = await world.phone('ann');
      const one = await add(world, ann, { start_mpc_on_enter: false });
      const { stream_id } = await start(world, { bidirectional: true });
      assert.deepEqual(saidOn(world, stream_id), { [one.member]: [] });
      assert.deepEqual(streamOf(world, stream_id)?.hearers, []);
      await world.api('POST', room, { status: 'active' });
      await world.advance(100);
      assert.deepEqual(saidOn(world, stream_id), { [one.member]: [one.leg] });
      assert.deepEqual(streamOf(world, stream_id)?.hearers, [one.leg]);
      await world.api('DELETE', room);
    }));

  it('is refused by the rules of streams, and by the rules of speak_to', () =>
    inSimulatedWorld({ seed: 64 }, async (world) => {
      assert.equal((await world.api('POST', `${room}Stream/`, { service_url })).status, 404);
      assert.equal((await world.api('GET', `${room}Stream/`)).status, 404);
      const ann = await world.phone('ann');
      await add(world, ann);
      for (const [body, sentence] of [
        [{ service_url: 'https://x.example/' }, /^service_url must be/],
        [{ service_url, bidirectional: true, speak_to: 'boss' }, /^speak_to must be a list of agent/],
        [{ service_url, speak_to: 'agent' }, /^speak_to must be left out where bidirectional/],
      ] as const) {
        const { status, body: answer } = await world.api('POST', `${room}Stream/`, body);
        assert.equal(status, 400);
        assert.match(answer.error, sentence);
      }
      const { stream_id } = await start(world);
      assert.equal((await world.api('POST', `${room}Stream/`, { service_url })).status, 400);
      assert.equal((await world.api('GET', `${room}Stream/${stream_id}/`)).body.status, 'in-progress');
      await world.api('DELETE', room);
    }));

  it('of one participant is a stream of its call', () =>
    inSimulatedWorld({ seed: 65 }, async (world) => {
      const ann = await world.phone('ann');
      const { leg } = await add(world, ann);
      const { status, body } = await world.api('POST', `Call/${leg}/Stream/`, {
        service_url,
        audio_track: 'both',
      });
      assert.equal(status, 202);
      assert.deepEqual(
        streamOf(world, body.stream_id)?.tracks.map(({ name, said, heard }) => [name, said, heard]),
        [
          ['inbound', [leg], []],
          ['outbound', [], [leg]],
        ],
      );
      ann.hangUp();
      await world.advance(500);
      assert.equal(
        (await world.api('GET', `Call/${leg}/Stream/${body.stream_id}/`)).body.status,
        'completed',
      );
    }));
});
