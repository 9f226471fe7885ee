import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { incomingCall, type SimulatedWorld, worldOfSuite } from '@jackfield/testkit';
import { clipsOf, documentsOf, eventsOf, response, spoken } from './testing/documents.ts';

const bot = 'wss://bot.example/audio?k=secret';

describe('Documents that stream', () => {
  const suite = worldOfSuite({ phones: 'none' });
  const streamsOf = ({ node }: SimulatedWorld, leg: string) =>
    [...node.streams.streams.values()].filter(({ order }) => order.call === leg);

  test('each attribute becomes a setting of the stream of the call', async () => {
    const world = suite();
    const leg = await incomingCall(
      world,
      response(
        `<Stream bidirectional="true" contentType="AUDIO/x-mulaw;rate=8000" streamTimeout="60" keepCallAlive="true"
        extraHeaders="a=b" statusCallbackUrl="https://example.com/s" statusCallbackMethod="GET"
        statusCallbackEvents="PlayedStream" noiseCancellation="true" noiseCancellationLevel="60" resumable="true"
        fallbackUrl="wss://second.example/" binaryFrames="true" stopFrame="false"> ${bot} </Stream>`,
      ),
    );
    const [{ order, targets } = {} as never] = streamsOf(world, leg);
    const { stream, ...settings } = order;
    assert.deepEqual(settings, {
      call: leg,
      account: world.main.authId,
      dialect: 'plivo',
      encoding: 'audio/x-mulaw',
      sampleRate: 8000,
      tracks: [{ name: 'inbound', said: [leg], heard: [], keysOf: [leg] }],
      bidirectional: true,
      hearers: [leg],
      extraHeaders: 'a=b',
      noiseCancellationLevel: 60,
      binary: true,
      stopFrame: false,
      keepLostMs: 30_000,
    });
    assert.equal(targets[0]?.url, bot);
    const { body } = await world.api('GET', `Call/${leg}/Stream/${stream}/`);
    assert.deepEqual(
      [body.fallback_url, body.resumable, body.stream_timeout, body.audio_track],
      ['wss://second.example/', true, 60, 'inbound'],
    );
    const started = world.customer.requests.find(({ fields }) => fields.StreamID === stream);
    assert.deepEqual(
      [started?.url, started?.method, started?.fields.Direction, started?.fields.keepCallAlive],
      ['https://example.com/s', 'GET', 'inbound', 'true'],
    );
    world.node.streams.notify({ type: 'stream-cleared', stream });
    world.node.streams.notify({ type: 'stream-played', stream, name: 'x' });
    await world.advance(100);
    const sent = world.customer.requests.filter(({ fields }) => fields.StreamID === stream);
    assert.deepEqual(
      sent.map(({ fields }) => fields.Event),
      ['StartStream', 'PlayedStream'],
    );
  });

  test('dialect twilio has µ-law unless the element says so itself', async () => {
    const world = suite();
    const leg = await incomingCall(
      world,
      response(`<Stream dialect="twilio" keepCallAlive="true">${bot}</Stream>`),
    );
    const [{ order } = {} as never] = streamsOf(world, leg);
    assert.deepEqual([order.dialect, order.encoding, order.binary], ['twilio', 'audio/x-mulaw', false]);
  });

  test('keepCallAlive: the next element waits for the end of the stream', async () => {
    const world = suite();
    const elements = [`<Stream keepCallAlive="true">${bot}</Stream>`, '<Speak loop="0">Bye</Speak>'];
    const leg = await incomingCall(world, response(...elements));
    assert.deepEqual(clipsOf(world), []);
    for (const { order } of streamsOf(world, leg)) world.node.streams.lose(order.stream, 1000);
    await world.advance(20);
    assert.deepEqual(clipsOf(world), [[leg, spoken('Bye')]]);
  });

  test('a Stream without keepCallAlive runs beside the document, whose end ends the call', async () => {
    const world = suite();
    const elements = [`<Stream>${bot}</Stream>`, '<Stream audioTrack="both">wss://b.example</Stream>'];
    const leg = await incomingCall(world, response(...elements, '<Wait length="1" silence="true"/>'));
    const begun = streamsOf(world, leg).map(({ order }) => order.stream);
    assert.equal(begun.length, 2);
    await world.advance(1_100);
    assert.equal(documentsOf(world), 0);
    assert.deepEqual(
      begun.map((stream) => world.node.streams.closed.get(stream)),
      ['Call hangup', 'Call hangup'],
    );
  });

  test('a Stream that cannot be started emits a warning, and the next element runs', async () => {
    const world = suite();
    const eight = Array.from({ length: 8 }, (_, each) => `<Stream>wss://bot${each}.example</Stream>`);
    const leg = await incomingCall(
      world,
      response(...eight, `<Stream keepCallAlive="true">${bot}</Stream>`, '<Speak loop="0">Hello</Speak>'),
    );
    const events = await eventsOf(world, leg);
    const warnings = events.filter(({ type }) => type === 'call.document-warning');
    assert.deepEqual(
      warnings.map(({ data }) => data.Sentence),
      ['Stream: this call has 8 live streams already: stop one of them first'],
    );
    assert.deepEqual(clipsOf(world), [[leg, spoken('Hello')]]);
    assert.ok(!JSON.stringify(events).includes('secret'));
  });

  test('a transfer ends the stream that the document waits for', async () => {
    const world = suite();
    const leg = await incomingCall(world, response(`<Stream keepCallAlive="true">${bot}</Stream>`));
    const [{ order } = {} as never] = streamsOf(world, leg);
    world.customer.serve('https://example.com/next', response('<Speak loop="0">Hello</Speak>'));
    const moved = await world.api('POST', `Call/${leg}/`, {
      legs: 'aleg',
      aleg_url: 'https://example.com/next',
    });
    assert.equal(moved.status, 202);
    await world.advance(100);
    assert.equal(world.node.streams.closed.get(order.stream), 'API request');
    assert.deepEqual(clipsOf(world), [[leg, spoken('Hello')]]);
  });
});
