import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { answer, openDocumentWorld, response } from './testing/document-world.ts';

const bot = 'wss://bot.example/audio?k=secret';

onEmbeddedDatabase('Documents that stream', (open) => {
  async function talking(...elements: readonly string[]) {
    const world = await openDocumentWorld(open);
    world.customer.serve(answer, response(...elements));
    await world.phones.callIn({ leg: 'leg' });
    await world.pass(100);
    world.phones.pickUp('leg');
    await world.pass(0);
    return world;
  }

  const warnings = (world: Awaited<ReturnType<typeof talking>>) =>
    world.events.flatMap(({ type, payload }) => (type === 'call.document-warning' ? [payload.Sentence] : []));

  test('each attribute becomes a setting of the stream of the call', async () => {
    const world = await talking(
      `<Stream bidirectional="true" contentType="AUDIO/x-mulaw;rate=8000" streamTimeout="60" keepCallAlive="true"
        extraHeaders="a=b" statusCallbackUrl="https://example.com/s" statusCallbackMethod="GET"
        statusCallbackEvents="PlayedStream" noiseCancellation="true" noiseCancellationLevel="60" resumable="true"
        fallbackUrl="wss://second.example/" binaryFrames="true" stopFrame="false"> ${bot} </Stream>`,
    );
    const [{ stream, account, mainAccount, from, to, ...order } = {} as never] = [
      ...world.streaming.values(),
    ];
    assert.match(stream, /^0{8}-/);
    assert.deepEqual(order, {
      serviceUrl: bot,
      fallbackUrl: 'wss://second.example/',
      bidirectional: true,
      audioTrack: 'inbound',
      contentType: 'audio/x-mulaw;rate=8000',
      timeoutSeconds: 60,
      extraHeaders: 'a=b',
      noiseCancellationLevel: 60,
      statusCallback: { url: 'https://example.com/s', method: 'GET', middle: ['PlayedStream'] },
      binary: true,
      resumable: true,
      stopFrame: false,
      keepCallAlive: true,
      owner: { kind: 'document', id: 'leg' },
      callUuid: 'leg',
      tracks: [{ name: 'inbound', said: ['leg'], heard: [], keysOf: ['leg'] }],
      hearers: ['leg'],
      fields: { Direction: 'inbound' },
    });
  });

  test('keepCallAlive: the next element waits for the end of the stream', async () => {
    const world = await talking(`<Stream keepCallAlive="true">${bot}</Stream><Speak>Bye</Speak>`);
    assert.equal(world.playing.size, 0);
    await world.finishStreams();
    assert.equal(world.playing.size, 1);
  });

  test('a Stream without keepCallAlive runs beside the document, whose end ends the call', async () => {
    const world = await talking(`<Stream>${bot}</Stream><Stream audioTrack="both">wss://b.example</Stream>`);
    assert.equal(world.streaming.size, 2);
    assert.deepEqual(world.streamStops, []);
    assert.equal(world.runs, 0);
  });

  test('a Stream that cannot be started emits a warning, and the next element runs', async () => {
    const world = await openDocumentWorld(open);
    world.refuseStreams('this call has 8 live streams already');
    world.customer.serve(
      answer,
      response(`<Stream keepCallAlive="true">${bot}</Stream><Speak>Hello</Speak>`),
    );
    await world.phones.callIn({ leg: 'leg' });
    await world.pass(100);
    world.phones.pickUp('leg');
    await world.pass(0);
    assert.deepEqual(warnings(world), ['Stream: this call has 8 live streams already']);
    assert.equal(world.playing.size, 1);
    assert.ok(!JSON.stringify(world.events).includes('secret'));
  });

  test('a transfer ends the stream that the document waits for', async () => {
    const world = await talking(`<Stream keepCallAlive="true">${bot}</Stream>`);
    world.customer.serve('https://example.com/next', response('<Speak>Hello</Speak>'));
    const { status } = await world.post('Call/leg/', { legs: 'aleg', aleg_url: 'https://example.com/next' });
    assert.equal(status, 202);
    await world.pass(100);
    assert.deepEqual(world.streamStops, ['API request']);
    assert.equal(world.playing.size, 1);
  });
});
