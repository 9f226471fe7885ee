import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '@jackfield/ports';
import {
  answeredCall,
  eventStreamOf,
  openSimulatedWorld,
  type SimulatedWorld,
  worldOfSuite,
} from '@jackfield/testkit';

let streamsBegun = 0;

/** The world of a suite for one test, with a server of its own and a receiver of its callbacks. */
function streamsIn(world: SimulatedWorld) {
  const { streams, media, platform } = world.node;
  const number = ++streamsBegun;
  const botUrl = `wss://bot${number}.example/audio?room=1`;
  const status_callback_url = `https://example.com/streamed-${number}`;
  const callbacks = () =>
    world.customer.requests.filter(({ url }) => url === status_callback_url).map(({ fields }) => fields);
  return {
    world,
    streams,
    botUrl,
    status_callback_url,
    callbacks,
    /** Names of the callbacks, in order. */
    names: () => callbacks().map(({ Event }) => Event),
    last: () => callbacks().at(-1) ?? {},
    async start(leg: string, body: object = {}): Promise<string> {
      const request = { service_url: botUrl, bidirectional: true, status_callback_url, ...body };
      const answer = await world.api('POST', `Call/${leg}/Stream/`, request);
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      return answer.body.stream_id;
    },
    async eventsOf(stream: string) {
      return (await eventStreamOf(world)).filter(({ resource }) => resource === `stream/${stream}`);
    },
    assertNothingLeft() {
      const { sessions, timers } = platform.runner.census().stream!;
      assert.deepEqual({ sessions, timers }, { sessions: 0, timers: 0 });
      assert.deepEqual(streams.census(), { streams: 0, attempts: 0 });
      assert.deepEqual(media.orders.plays, []);
    },
  };
}

describe('The life of a stream', () => {
  const suite = worldOfSuite({ phones: 'none', settings: { signaturePrefixes: ['X-Service-', 'X-Other-'] } });

  test('callbacks of a stream have the fields of the interface, and StartStream echoes the settings', async () => {
    const { world, streams, botUrl, status_callback_url, ...of } = streamsIn(suite());
    const leg = await answeredCall(world);
    const stream = await of.start(leg, { extra_headers: 'a=b', status_callback_method: 'get' });
    await world.advance(1_500);
    const about = {
      Direction: 'outbound',
      Event: 'StartStream',
      StreamID: stream,
      CallUUID: leg,
      From: '+12025550111',
      To: '+12025550100',
      ParentAuthID: world.main.authId,
      ServiceURL: botUrl,
      status_callback_url,
      status_callback_method: 'GET',
      bidirectional: true,
      audioTrack: 'inbound',
      streamTimeout: 86_400,
      contentType: 'audio/x-l16;rate=8000',
      extraHeaders: 'a=b',
      keepCallAlive: false,
    };
    const [{ Timestamp, ...sent } = { Timestamp: '' }] = of.callbacks();
    assert.match(Timestamp, /^2026-01-01 \d\d:\d\d:\d\d$/);
    assert.deepEqual(
      sent,
      Object.fromEntries(Object.entries(about).map(([name, each]) => [name, String(each)])),
    );
    const [started] = await of.eventsOf(stream);
    assert.deepEqual([started?.type, started?.account], ['stream.started', world.main.authId]);
    assert.deepEqual(started?.data, { ...about, Timestamp });
    assert.equal(world.customer.requests.find(({ url }) => url === status_callback_url)?.method, 'GET');
    streams.notify({ type: 'stream-played', stream, name: 'greeting' });
    streams.notify({ type: 'stream-cleared', stream });
    const direction = 'from-socket';
    streams.notify({ type: 'stream-degraded', stream, direction, droppedMs: 40, percentFull: 100 });
    streams.notify({
      type: 'stream-refused-frame',
      stream,
      code: 'unsupported-audio',
      sentence: 'no audio in it',
    });
    world.telephony.leave(leg);
    await world.advance(100);
    assert.deepEqual(of.names(), [
      'StartStream',
      'PlayedStream',
      'ClearedAudio',
      'DegradedStream',
      'StopStream',
    ]);
    const events = await of.eventsOf(stream);
    assert.equal(events[1]?.data.Name, 'greeting');
    assert.equal(events[3]?.data.DroppedMs, 40);
    assert.equal(events[4]?.type, 'stream.frame-refused');
    assert.deepEqual([of.last().StatusReason, of.last().Duration], ['Call hangup', '2']);
    of.assertNothingLeft();
  });

  test('status_callback_events selects the callbacks between beginning and end; the event stream has all', async () => {
    const { world, streams, ...of } = streamsIn(suite());
    const leg = await answeredCall(world);
    const stream = await of.start(leg, { status_callback_events: 'clearedaudio, StopStream' });
    const quiet = await of.start(leg, {
      service_url: 'wss://q.example/',
      status_callback_events: 'none',
    });
    await world.advance(10);
    for (const each of [stream, quiet]) {
      streams.notify({ type: 'stream-played', stream: each, name: 'x' });
      streams.notify({ type: 'stream-cleared', stream: each });
    }
    world.telephony.leave(leg);
    await world.advance(100);
    const sentOf = (each: string) =>
      of.callbacks().flatMap(({ StreamID, Event }) => (StreamID === each ? [Event] : []));
    assert.deepEqual(sentOf(stream), ['StartStream', 'ClearedAudio', 'StopStream']);
    assert.deepEqual(sentOf(quiet), ['StartStream', 'StopStream']);
    for (const each of [stream, quiet]) {
      const played = (await of.eventsOf(each)).filter(({ type }) => type === 'stream.played');
      assert.equal(played.length, 1);
    }
  });

  test('each attempt is signed anew, under each prefix, and goes to the checked addresses', async () => {
    const { world, streams, ...of } = streamsIn(suite());
    const leg = await answeredCall(world);
    const service_url = 'wss://Bot.example:443?b=2&a=1';
    streams.serve(service_url, 'refuses');
    const stream = await of.start(leg, { service_url });
    await world.advance(1_500);
    const targets = streams.streams.get(stream)?.targets ?? [];
    assert.equal(targets.length, 2);
    for (const { url, addresses, port } of targets) {
      assert.deepEqual([url, addresses, port], [service_url, ['192.0.2.80'], 443]);
    }
    for (const prefix of ['X-Service-', 'X-Other-']) {
      // The forms of the URL that are signed: sign-upgrade.test.ts.
      for (const { headers } of targets) {
        assert.equal(headers[`${prefix}Signature-V3`]?.split(',').length, 8);
      }
      const nonces = targets.map(({ headers }) => headers[`${prefix}Signature-V3-Nonce`]);
      for (const nonce of nonces) assert.match(nonce ?? '', /^\d{20}$/);
      assert.notEqual(nonces[0], nonces[1]);
    }
  });

  test('a stream fails after three attempts, with DroppedStream and the reason; a refused address gets no attempt', async () => {
    const { world, streams, botUrl, ...of } = streamsIn(suite());
    const leg = await answeredCall(world);
    streams.serve(botUrl, 'refuses');
    const stream = await of.start(leg);
    await world.advance(1_500);
    assert.equal(streams.streams.get(stream)?.targets.length, 2);
    await world.advance(1_500);
    assert.deepEqual(of.names(), ['DroppedStream']);
    assert.deepEqual(
      [of.last().Error, of.last().ErrorCode, of.last().StatusReason, of.last().Duration],
      ['the connection was refused', 'unreachable', 'Connection error', '0'],
    );
    const sentence = 'inside.example is 10.0.0.1, which is not open to requests';
    world.customer.resolveAs('inside.example', { problem: { kind: 'refused', sentence } });
    await of.start(leg, { service_url: 'wss://inside.example/' });
    await world.advance(10);
    assert.deepEqual([of.last().Error, of.last().ErrorCode], [sentence, 'address-refused']);
    const { body } = await world.api('GET', `Call/${leg}/Stream/${of.last().StreamID}/`);
    assert.deepEqual(
      [body.status, body.error, body.error_code, body.status_reason_code, body.start_time],
      ['failed', sentence, 'address-refused', 'connection-error', null],
    );
    of.assertNothingLeft();
  });

  test('a server that never answers fails the stream after its timeouts; the caller may hang up meanwhile', async () => {
    const { world, streams, botUrl, ...of } = streamsIn(suite());
    const leg = await answeredCall(world);
    streams.serve(botUrl, 'silent');
    await of.start(leg);
    await world.advance(3_000);
    world.telephony.leave(leg);
    await world.advance(10);
    assert.deepEqual(of.names(), ['StopStream']);
    of.assertNothingLeft();
  });

  test('stream_timeout ends a stream with the reason Stream timeout', async () => {
    const { world, streams, botUrl, ...of } = streamsIn(suite());
    const stream = await of.start(await answeredCall(world), { stream_timeout: 5 });
    await world.advance(5_005);
    await world.advance(10);
    assert.deepEqual(of.names(), ['StartStream', 'StopStream']);
    assert.deepEqual([of.last().StatusReason, of.last().Duration], ['Stream timeout', '5']);
    assert.equal(streams.closed.get(stream), 'Stream timeout');
    of.assertNothingLeft();
  });

  test('a lost socket is a DroppedStream; a resumable stream reconnects, with hold audio meanwhile', async () => {
    const { world, streams, botUrl, ...of } = streamsIn(suite());
    const leg = await answeredCall(world);
    const stream = await of.start(leg);
    await world.advance(10);
    streams.lose(stream, 1006);
    await world.advance(10);
    assert.deepEqual(of.names(), ['StartStream', 'DroppedStream']);
    const service_url = 'wss://again.example/';
    const again = await of.start(leg, { service_url, resumable: true });
    assert.equal(streams.streams.get(again)?.order.keepLostMs, 30_000);
    await world.advance(10);
    streams.serve(service_url, 'refuses');
    streams.lose(again, 1011);
    await world.advance(1_000);
    const [hold] = world.node.media.orders.plays;
    assert.deepEqual(hold?.to, [leg]);
    streams.serve(service_url, 'accepts');
    await world.advance(2_000);
    assert.deepEqual(world.node.media.orders.plays, []);
    assert.equal(streams.streams.get(again)?.targets.at(-1)?.resumed, true);
    assert.deepEqual(of.names().slice(2), ['StartStream', 'InterruptedStream', 'ResumedStream']);
    streams.lose(again, 1000);
    await world.advance(10);
    assert.equal(of.last().StatusReason, 'Closed by the application');
    of.assertNothingLeft();
  });

  test('a call that ends while the record of its stream is written ends the stream', async () => {
    let beforeCommit = async () => {};
    const interpose = (database: Database): Database => ({
      ...database,
      async transact(work) {
        const first = beforeCommit;
        beforeCommit = async () => {};
        await first();
        return database.transact(work);
      },
    });
    const world = await openSimulatedWorld({ phones: 'none', interpose });
    const of = streamsIn(world);
    const leg = await answeredCall(world);
    const { runner } = world.node.platform;
    beforeCommit = async () => {
      world.telephony.leave(leg);
      while (runner.census()['call-leg']?.sessions !== 0) await new Promise(setImmediate);
    };
    await of.start(leg);
    await world.advance(100);
    assert.deepEqual(of.names(), ['StopStream']);
    of.assertNothingLeft();
    await world.assertNothingLeft();
    await world.close();
  });
});
