import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  inSimulatedWorld,
  type PhoneCall,
  type SimulatedPhone,
  type SimulatedWorld,
} from '@jackfield/testkit';

const base = 'https://customer.example.com';
const bot = 'wss://bot.example/audio';

/** A phone whose calls run this document. */
async function caller(world: SimulatedWorld, ...elements: readonly string[]): Promise<SimulatedPhone> {
  world.customer.serve(`${base}/answer`, `<Response>${elements.join('')}</Response>`);
  const application = await world.api('POST', 'Application/', {
    app_name: 'bot',
    answer_url: `${base}/answer`,
  });
  const phone = await world.phone('ann');
  const { objects } = (await world.api('GET', 'Endpoint/')).body;
  const { app_id } = application.body;
  assert.equal((await world.api('POST', `Endpoint/${objects[0].endpoint_id}/`, { app_id })).status, 202);
  return phone;
}

const callbacks = (world: SimulatedWorld) =>
  world.customer.requests.filter(({ url }) => url === `${base}/streamed`).map(({ fields }) => fields);

/** Whether the phone heard audio in the last milliseconds. */
function isLoud(call: PhoneCall, world: SimulatedWorld, ms: number): boolean {
  return call.heard.some(
    ({ at, samples }) => at > world.now() - ms && samples.some((sample) => Math.abs(sample) > 500),
  );
}

const stream = (attributes: string) =>
  `<Stream bidirectional="true" statusCallbackUrl="${base}/streamed" ${attributes}>${bot}</Stream>`;

describe('streams on real phones', () => {
  it('plays hold audio from the loss of the socket until it is back; the end of the stream continues the document', () =>
    inSimulatedWorld({ seed: 81 }, async (world) => {
      const phone = await caller(
        world,
        stream('keepCallAlive="true" resumable="true"'),
        '<Wait length="1"/>',
      );
      const call = phone.dial('support');
      const { streams } = world.node;
      await world.until('it streams', () => [...streams.streams.values()][0]?.isConnected);
      const [name = ''] = streams.streams.keys();
      await world.advance(1_000);
      assert.ok(!isLoud(call, world, 500));
      streams.serve(bot, 'refuses');
      streams.lose(name, 1006);
      await world.advance(3_000);
      assert.ok(isLoud(call, world, 500), 'the caller hears hold audio');
      streams.serve(bot, 'accepts');
      await world.until('it streams again', () => streams.streams.get(name)?.isConnected, 10_000);
      await world.advance(1_000);
      assert.ok(!isLoud(call, world, 500));
      streams.lose(name, 1000);
      await world.until('the document is over', () => !call.isUp, 5_000);
      await world.advance(500);
      assert.deepEqual(
        callbacks(world).map(({ Event, StatusReason }) => [Event, StatusReason]),
        [
          ['StartStream', undefined],
          ['InterruptedStream', undefined],
          ['ResumedStream', undefined],
          ['StopStream', 'Closed by the application'],
        ],
      );
    }));

  for (const [what, server] of [
    ['while the socket is connected', { late: 2_000 }],
    ['while the server does not answer', 'silent'],
    ['between two attempts', 'refuses'],
    ['while it streams', 'accepts'],
  ] as const) {
    it(`sends one callback about the end when the caller hangs up ${what}`, () =>
      inSimulatedWorld({ seed: 82 }, async (world) => {
        world.node.streams.serve(bot, server);
        const phone = await caller(world, stream('keepCallAlive="true"'));
        const call = phone.dial('support');
        await world.until('it was begun', () => world.node.streams.streams.size === 1);
        await world.advance(500);
        assert.ok(call.isUp);
        phone.hangUp();
        await world.advance(1_000);
        const ends = callbacks(world).filter(({ Event }) => Event !== 'StartStream');
        assert.deepEqual(
          ends.map(({ Event, StatusReason }) => [Event, StatusReason]),
          [['StopStream', 'Call hangup']],
        );
      }));
  }

  it('fails once after the death of the process', () =>
    inSimulatedWorld({ seed: 83 }, async (world) => {
      const phone = await caller(world, stream(''), '<Wait length="60" silence="true"/>');
      phone.dial('support');
      await world.until('it streams', () => callbacks(world).length === 1);
      await world.restart();
      await world.until('the callback is sent', () => callbacks(world).length === 2);
      assert.deepEqual(
        [callbacks(world)[1]?.Event, callbacks(world)[1]?.StatusReason],
        ['DroppedStream', 'Connection error'],
      );
      phone.hangUp();
    }));

  it('sends a callback for each checkpoint of half a minute, in order', () =>
    inSimulatedWorld({ seed: 84 }, async (world) => {
      const phone = await caller(world, stream('keepCallAlive="true"'));
      phone.dial('support');
      const { streams } = world.node;
      await world.until('it streams', () => [...streams.streams.values()][0]?.isConnected);
      const [name = ''] = streams.streams.keys();
      for (let each = 0; each < 60; each++) {
        streams.notify({ type: 'stream-played', stream: name, name: String(each) });
        await world.advance(500);
      }
      assert.deepEqual(
        callbacks(world).flatMap(({ Event, Name }) => (Event === 'PlayedStream' ? [Number(Name)] : [])),
        Array.from({ length: 60 }, (_, each) => each),
      );
      phone.hangUp();
    }));
});
