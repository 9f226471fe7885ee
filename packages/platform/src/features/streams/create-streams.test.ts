import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEmbeddedDatabase } from '@jackfield/testkit';
import { exampleOrder } from './domain/testing/scripted-stream.ts';
import { botUrl, openStreamsWorld, type StreamsWorld } from './testing/streams-world.ts';

const callback = { status_callback_url: 'https://example.com/s' };

async function start(world: StreamsWorld, leg: string, body: object = {}): Promise<string> {
  const answer = await world.post(`Call/${leg}/Stream/`, {
    service_url: botUrl,
    bidirectional: true,
    ...callback,
    ...body,
  });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.stream_id;
}

/** Names of the callbacks, in order. */
const told = (world: StreamsWorld) =>
  world.events.flatMap(({ payload, callback: target }) => (target === undefined ? [] : [payload.Event]));
const last = (world: StreamsWorld) => world.events.at(-1)?.payload ?? {};

function assertNothingLeft(world: StreamsWorld): void {
  const { sessions, timers } = world.runner.census().stream!;
  assert.deepEqual({ sessions, timers }, { sessions: 0, timers: 0 });
  assert.deepEqual(world.sockets.census(), { streams: 0, attempts: 0 });
  assert.equal(world.playing.size, 0);
}

onEmbeddedDatabase('The life of a stream', (open) => {
  test('callbacks of a stream have the fields of the interface, and StartStream echoes the settings', async () => {
    const world = await openStreamsWorld(open);
    const leg = world.leg();
    const stream = await start(world, leg, { extra_headers: 'a=b', status_callback_method: 'get' });
    await world.pass(1_500);
    assert.deepEqual(world.events, [
      {
        type: 'stream.started',
        account: world.api.main.authId,
        mainAccount: world.api.main.authId,
        resource: `stream/${stream}`,
        payload: {
          Direction: 'inbound',
          Event: 'StartStream',
          StreamID: stream,
          CallUUID: leg,
          From: 'alice',
          To: '+12025550100',
          ParentAuthID: world.api.main.authId,
          Timestamp: '2026-01-01 00:00:00',
          ServiceURL: botUrl,
          status_callback_url: 'https://example.com/s',
          status_callback_method: 'GET',
          bidirectional: true,
          audioTrack: 'inbound',
          streamTimeout: 86_400,
          contentType: 'audio/x-l16;rate=8000',
          extraHeaders: 'a=b',
          keepCallAlive: false,
        },
        callback: { url: 'https://example.com/s', method: 'GET' },
      },
    ]);
    world.sockets.tell({ type: 'stream-played', stream, name: 'greeting' });
    world.sockets.tell({ type: 'stream-cleared', stream });
    const direction = 'from-socket';
    world.sockets.tell({ type: 'stream-degraded', stream, direction, droppedMs: 40, percentFull: 100 });
    world.sockets.tell({
      type: 'stream-refused-frame',
      stream,
      code: 'unsupported-audio',
      sentence: 'no audio in it',
    });
    await world.hangUp(leg);
    await world.pass(10);
    assert.deepEqual(told(world), [
      'StartStream',
      'PlayedStream',
      'ClearedAudio',
      'DegradedStream',
      'StopStream',
    ]);
    assert.equal(world.events[1]?.payload.Name, 'greeting');
    assert.equal(world.events[3]?.payload.DroppedMs, 40);
    assert.equal(world.events[4]?.type, 'stream.frame-refused');
    assert.deepEqual([last(world).StatusReason, last(world).Duration], ['Call hangup', 2]);
    assertNothingLeft(world);
  });

  test('status_callback_events selects the callbacks between beginning and end; the event stream has all', async () => {
    const world = await openStreamsWorld(open);
    const leg = world.leg();
    const stream = await start(world, leg, { status_callback_events: 'clearedaudio, StopStream' });
    const quiet = await start(world, leg, {
      service_url: 'wss://q.example/',
      status_callback_events: 'none',
    });
    await world.pass(10);
    for (const each of [stream, quiet]) {
      world.sockets.tell({ type: 'stream-played', stream: each, name: 'x' });
      world.sockets.tell({ type: 'stream-cleared', stream: each });
    }
    await world.hangUp(leg);
    await world.pass(10);
    const of = (each: string) =>
      world.events.flatMap((event) =>
        event.callback !== undefined && event.payload.StreamID === each ? [event.payload.Event] : [],
      );
    assert.deepEqual(of(stream), ['StartStream', 'ClearedAudio', 'StopStream']);
    assert.deepEqual(of(quiet), ['StartStream', 'StopStream']);
    assert.equal(world.events.filter(({ type }) => type === 'stream.played').length, 2);
  });

  test('each attempt is signed anew, for every form in which the server may see its URL', async () => {
    const world = await openStreamsWorld(open);
    const leg = world.leg();
    const service_url = 'wss://Bot.example:443?b=2&a=1';
    const stream = await start(world, leg, { service_url });
    await world.pass(10);
    const [target] = world.sockets.streams.get(stream)?.targets ?? [];
    assert.equal(target?.url, service_url);
    assert.deepEqual([target?.addresses, target?.port], [['192.0.2.80'], 443]);
    const headers = target?.headers ?? {};
    for (const prefix of ['X-Service-', 'X-Other-']) {
      assert.match(headers[`${prefix}Signature-V3-Nonce`] ?? '', /^\d{20}$/);
      assert.deepEqual(
        headers[`${prefix}Signature-V3`]?.split(',').map((each) => each.replace(/^MA</, '<')),
        [
          '<wss://Bot.example:443?a=1&b=2>',
          '<wss://bot.example/?a=1&b=2>',
          '<https://Bot.example:443?a=1&b=2>',
          '<https://bot.example/?a=1&b=2>',
          '<ws://Bot.example:443?a=1&b=2>',
          '<ws://bot.example/?a=1&b=2>',
          '<http://Bot.example:443?a=1&b=2>',
          '<http://bot.example/?a=1&b=2>',
        ],
      );
    }
  });

  test('a stream fails after three attempts, with DroppedStream and the reason; a refused address gets no attempt', async () => {
    const world = await openStreamsWorld(open);
    const leg = world.leg();
    world.sockets.serve(botUrl, 'refuses');
    const stream = await start(world, leg);
    await world.pass(1_500);
    assert.equal(world.sockets.streams.get(stream)?.targets.length, 2);
    await world.pass(1_500);
    assert.deepEqual(told(world), ['DroppedStream']);
    assert.deepEqual(
      [last(world).Error, last(world).ErrorCode, last(world).StatusReason, last(world).Duration],
      ['the connection was refused', 'unreachable', 'Connection error', 0],
    );
    const sentence = 'inside.example is 10.0.0.1, which is not open to requests';
    world.place('inside.example', { problem: { kind: 'refused', sentence } });
    await start(world, leg, { service_url: 'wss://inside.example/' });
    await world.pass(10);
    assert.deepEqual([last(world).Error, last(world).ErrorCode], [sentence, 'address-refused']);
    const { body } = await world.get(`Call/${leg}/Stream/${last(world).StreamID}/`);
    assert.deepEqual(
      [body.status, body.error, body.error_code, body.status_reason_code, body.start_time],
      ['failed', sentence, 'address-refused', 'connection-error', null],
    );
    assertNothingLeft(world);
  });

  test('a server that never answers fails the stream after its timeouts; the caller may hang up meanwhile', async () => {
    const world = await openStreamsWorld(open);
    const leg = world.leg();
    world.sockets.serve(botUrl, 'silent');
    await start(world, leg);
    await world.pass(3_000);
    await world.hangUp(leg);
    await world.pass(10);
    assert.deepEqual(told(world), ['StopStream']);
    assertNothingLeft(world);
  });

  test('stream_timeout ends a stream with the reason Stream timeout', async () => {
    const world = await openStreamsWorld(open);
    const stream = await start(world, world.leg(), { stream_timeout: 5 });
    await world.pass(5_005);
    await world.pass(10);
    assert.deepEqual(told(world), ['StartStream', 'StopStream']);
    assert.deepEqual([last(world).StatusReason, last(world).Duration], ['Stream timeout', 5]);
    assert.equal(world.sockets.closed.get(stream), 'Stream timeout');
    assertNothingLeft(world);
  });

  test('a lost socket is a DroppedStream; a resumable stream reconnects, with hold audio meanwhile', async () => {
    const world = await openStreamsWorld(open);
    const leg = world.leg();
    const stream = await start(world, leg);
    await world.pass(10);
    world.sockets.lose(stream, 1006);
    await world.pass(10);
    assert.deepEqual(told(world), ['StartStream', 'DroppedStream']);
    const service_url = 'wss://again.example/';
    const again = await start(world, leg, { service_url, resumable: true });
    assert.equal(world.sockets.streams.get(again)?.order.keepLostMs, 30_000);
    await world.pass(10);
    world.sockets.serve(service_url, 'refuses');
    world.sockets.lose(again, 1011);
    await world.pass(1_000);
    const [hold] = [...world.playing.values()];
    assert.deepEqual(hold?.to, [leg]);
    world.sockets.serve(service_url, 'accepts');
    await world.pass(2_000);
    assert.equal(world.playing.size, 0);
    assert.equal(world.sockets.streams.get(again)?.targets.at(-1)?.resumed, true);
    assert.deepEqual(told(world).slice(2), ['StartStream', 'InterruptedStream', 'ResumedStream']);
    world.sockets.lose(again, 1000);
    await world.pass(10);
    assert.equal(last(world).StatusReason, 'Closed by the application');
    assertNothingLeft(world);
  });

  test('owners get notices of begin and end; a stream that is a leg outlives the leg that it names', async () => {
    const world = await openStreamsWorld(open);
    const leg = world.leg();
    const account = world.api.main.authId;
    const about = { account, mainAccount: account, callUuid: leg };
    const stream = '33333333-0000-4000-8000-000000000001';
    const virtual = '33333333-0000-4000-8000-000000000002';
    assert.ok((await world.feature.start(exampleOrder({ ...about, stream }))).ok);
    assert.equal((await world.feature.start(exampleOrder({ ...about, stream: virtual }))).ok, false);
    const asLeg = 'agent-leg';
    const own = exampleOrder({
      ...about,
      stream: virtual,
      callUuid: asLeg,
      asLeg,
      owner: { kind: 'test', id: 'o2' },
    });
    assert.ok((await world.feature.start(own)).ok);
    await world.pass(10);
    assert.equal(world.sockets.streams.get(virtual)?.order.asLeg, asLeg);
    const tracks = [{ name: '7', said: ['other'], heard: [] }];
    world.feature.retrack(stream, tracks, ['other']);
    await world.pass(10);
    assert.deepEqual(world.sockets.streams.get(stream)?.tracks, tracks);
    assert.deepEqual(world.sockets.streams.get(stream)?.hearers, ['other']);
    await world.hangUp(leg);
    await world.pass(10);
    assert.ok(world.sockets.streams.has(virtual));
    world.feature.stop(virtual, 'API request');
    world.feature.stop(virtual, 'API request');
    await world.pass(10);
    assert.deepEqual(world.notices, [
      ['owner-1', { type: 'stream-begun', stream }],
      ['o2', { type: 'stream-begun', stream: virtual }],
      ['owner-1', { type: 'stream-ended', stream, outcome: 'stopped' }],
      ['o2', { type: 'stream-ended', stream: virtual, outcome: 'stopped' }],
    ]);
    assertNothingLeft(world);
  });

  test('a call that ends while the record of its stream is written ends the stream', async () => {
    const world = await openStreamsWorld(open);
    const account = world.api.main.authId;
    const order = exampleOrder({ account, mainAccount: account, callUuid: 'gone' });
    assert.ok((await world.feature.start(order)).ok);
    await world.pass(10);
    assert.deepEqual(told(world), ['StopStream']);
    assertNothingLeft(world);
  });
});
