import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inSimulatedWorld, type SimulatedWorld } from '@jackfield/testkit';
import { add, customer, dialIn, element, members, room } from './testing/live-rooms.ts';

const bot = 'wss://bot.example/agent';

async function addAgent(world: SimulatedWorld, fields: object = {}): Promise<string> {
  const { status, body } = await world.api('POST', `${room}Participant/`, {
    role: 'AI-agent',
    ai_agent_stream_service_url: bot,
    enter_sound: 'none',
    exit_sound: 'none',
    stay_alone: true,
    ...fields,
  });
  assert.equal(status, 201, JSON.stringify(body));
  await world.advance(200);
  return body.calls[0].call_uuid;
}

const hearing = async (world: SimulatedWorld) => {
  const { participants } = (await world.api('GET', `${room}Hearing/`)).body;
  return participants;
};
const streamOf = (world: SimulatedWorld, leg: string) => world.node.streams.streams.get(leg);

describe('participants that are programs', () => {
  it('a program joins when its socket is connected, as a leg that hears as an agent does', () =>
    inSimulatedWorld({ seed: 71 }, async (world) => {
      const ann = await world.phone('ann');
      const phone = await add(world, ann, { role: 'customer' });
      const leg = await addAgent(world, {
        ai_agent_stream_content_type: 'audio/x-l16;rate=16000',
        ai_agent_stream_extra_headers: 'a=1,b=2',
        ai_agent_stream_status_callback_url: 'https://customer.example.com/agent',
      });
      const stream = streamOf(world, leg);
      assert.equal(stream?.isConnected, true);
      const { order } = stream!;
      assert.deepEqual(
        [order.asLeg, order.call, order.sampleRate, order.extraHeaders, order.bidirectional],
        [leg, leg, 16_000, 'a=1;b=2', true],
      );
      assert.deepEqual(stream?.tracks, [{ name: 'inbound', said: [], heard: [leg], keysOf: [phone] }]);
      assert.deepEqual(stream?.hearers, [phone]);
      const agent = (await members(world)).find(({ role }) => role === 'ai-agent');
      assert.equal(agent?.call_uuid, leg);
      assert.equal((await world.api('GET', `Call/${leg}/Stream/${leg}/`)).body.status, 'in-progress');
      await world.api('DELETE', room);
      await world.advance(500);
      const reported = world.customer.requests
        .filter(({ url }) => url.endsWith('/agent'))
        .map(({ fields }) => fields);
      assert.deepEqual(
        reported.map(({ Event, MPCName, MemberID }) => [Event, MPCName, MemberID]),
        [
          ['StartStream', 'room', agent?.member_id],
          ['StopStream', 'room', agent?.member_id],
        ],
      );
    }));

  it('every member hears a program, and a program hears a coach as agents do', () =>
    inSimulatedWorld({ seed: 72 }, async (world) => {
      const [ann, sue] = [await world.phone('ann'), await world.phone('sue')];
      await add(world, ann, { role: 'customer' });
      await add(world, sue, { role: 'supervisor' });
      await addAgent(world);
      const table = await hearing(world);
      const hears = (role: string): readonly string[] =>
        table.find((each: { role: string }) => each.role === role).hears;
      const id = (role: string) => table.find((each: { role: string }) => each.role === role).member_id;
      assert.deepEqual([...hears('ai-agent')].sort(), [id('customer'), id('supervisor')].sort());
      assert.deepEqual([...hears('customer')], [id('ai-agent')]);
      await world.api('DELETE', room);
    }));

  it('a program leaves when its socket ends, or when it is kicked', () =>
    inSimulatedWorld({ seed: 73 }, async (world) => {
      const ann = await world.phone('ann');
      await add(world, ann);
      const first = await addAgent(world);
      world.node.streams.lose(first, 1000);
      await world.advance(200);
      assert.equal((await members(world)).length, 1);
      const second = await addAgent(world);
      const kicked = (await members(world)).find(({ role }) => role === 'ai-agent');
      assert.equal((await world.api('DELETE', `${room}Participant/${kicked?.member_id}/`)).status, 204);
      await world.advance(200);
      assert.equal(streamOf(world, second), undefined);
      assert.equal((await members(world)).length, 1);
      ann.hangUp();
    }));

  it('a program that cannot be reached never joins, and a call without other participants ends', () =>
    inSimulatedWorld({ seed: 74 }, async (world) => {
      world.node.streams.serve(bot, 'refuses');
      await addAgent(world);
      await world.until(
        'the call has ended',
        async () => (await world.api('GET', room)).status === 404,
        20_000,
      );
    }));

  it('a program beyond the limit of the media engine leaves, and its stream callback says why', () =>
    inSimulatedWorld({ seed: 78 }, async (world) => {
      const ann = await world.phone('ann');
      await add(world, ann);
      const leg = await addAgent(world, {
        ai_agent_stream_status_callback_url: 'https://customer.example.com/agent',
      });
      world.node.streams.giveUp(leg, 'the media engine has no slot for a stream as a leg');
      await world.advance(200);
      const sentence = 'the media engine has no slot for a stream as a leg';
      assert.equal((await members(world)).length, 1);
      const { status, error } = (await world.api('GET', `Call/${leg}/Stream/${leg}/`)).body;
      assert.deepEqual([status, error], ['failed', sentence]);
      const reported = world.customer.requests.filter(({ url }) => url.endsWith('/agent')).at(-1)?.fields;
      assert.deepEqual([reported?.Event, reported?.Error], ['DroppedStream', sentence]);
      ann.hangUp();
    }));

  it('a kick ends a program while it is being connected', () =>
    inSimulatedWorld({ seed: 75 }, async (world) => {
      world.node.streams.serve(bot, 'silent');
      const ann = await world.phone('ann');
      await add(world, ann);
      const leg = await addAgent(world);
      const agent = (await members(world)).find(({ role }) => role === 'ai-agent');
      assert.equal((await world.api('DELETE', `${room}Participant/${agent?.member_id}/`)).status, 204);
      await world.advance(200);
      assert.equal(streamOf(world, leg), undefined);
      ann.hangUp();
    }));

  it('a document adds a program, and goes on with its caller', () =>
    inSimulatedWorld({ seed: 77 }, async (world) => {
      const agent = `<MultiPartyCall role="ai-agent" stayAlone="true" aiAgentStreamServiceUrl="${bot}" enterSound="none">room</MultiPartyCall>`;
      const ann = await customer(world, 'ann', `${agent}${element()}<Hangup/>`);
      const call = await dialIn(world, ann);
      await world.until('both are in', async () => (await members(world)).length === 2);
      await world.advance(200);
      const [{ call_uuid: leg } = {} as never] = (await members(world)).filter(
        ({ role }) => role === 'ai-agent',
      );
      assert.equal(streamOf(world, leg)?.isConnected, true);
      assert.equal(streamOf(world, leg)?.hearers.length, 1);
      await world.api('DELETE', room);
      await world.until('the document is over', () => !call.isUp);
      assert.equal(streamOf(world, leg), undefined);
    }));

  it('a program needs its URL and no call_uuid; other roles have no URL', () =>
    inSimulatedWorld({ seed: 76 }, async (world) => {
      const ai_agent_stream_service_url = bot;
      const call_uuid = '11111111-0000-4000-8000-000000000001';
      for (const [body, sentence] of [
        [{ role: 'ai-agent' }, /^ai_agent_stream_service_url parameter is missing/],
        [
          { role: 'ai-agent', ai_agent_stream_service_url: 'https://x.example/' },
          /^ai_agent_stream_service_url must/,
        ],
        [
          { role: 'ai-agent', ai_agent_stream_service_url, call_uuid },
          /^call_uuid must be left out where role/,
        ],
        [
          { role: 'agent', from: '+12025550100', to: '+12025550101', ai_agent_stream_service_url },
          /must be left out where role is not ai-agent/,
        ],
      ] as const) {
        const answer = await world.api('POST', `${room}Participant/`, body);
        assert.equal(answer.status, 400, JSON.stringify(answer.body));
        assert.match(answer.body.error, sentence);
      }
    }));
});
