import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { secondsOf } from './stream.ts';
import { leg, ScriptedStream, start } from './testing/scripted-stream.ts';

const fallbackUrl = 'wss://second.example/audio';

describe('a stream that begins', () => {
  it('is opened, its address looked up and checked, and only then connected', () => {
    const stream = ScriptedStream.ordered();
    assert.deepEqual(stream.orders, ['open', 'find-target']);
    assert.equal(stream.find('find-target')?.url, 'wss://bot.example/audio');
    stream.found();
    assert.deepEqual(stream.orders, ['connect']);
    assert.equal(stream.find('connect')?.resumed, false);
    stream.connected();
    assert.deepEqual(stream.orders, ['start-timer', 'emit', 'notify-begun']);
    assert.deepEqual(stream.events, [{ type: 'started' }]);
    assert.equal(stream.find('start-timer')?.at, start + 600_000);
  });

  it('fails after three attempts with a pause between them', () => {
    const stream = ScriptedStream.ordered();
    stream.found().unreachable().afterPause();
    assert.deepEqual(stream.orders, ['find-target']);
    stream.refused().afterPause().found().unreachable();
    assert.deepEqual(stream.events, [{ type: 'failed' }]);
    assert.deepEqual(stream.orders, ['close', 'emit', 'notify-ended']);
    assert.deepEqual(stream.stream.end, {
      outcome: 'failed',
      reason: 'Connection error',
      fault: { code: 'unreachable', sentence: 'nobody listens' },
    });
    assert.equal(secondsOf(stream.stream, stream.now), 0, 'nothing was streamed');
  });

  it('fails at once where the egress guard refuses the target', () => {
    assert.deepEqual(ScriptedStream.ordered().refused(true).events, [{ type: 'failed' }]);
  });

  it('tries its fallback URL three times as well', () => {
    const stream = ScriptedStream.ordered({ fallbackUrl });
    stream.refused(true);
    assert.equal(stream.find('find-target')?.url, fallbackUrl);
    for (let attempt = 1; attempt < 3; attempt++) stream.found().unreachable().afterPause();
    assert.deepEqual(stream.found().unreachable().events, [{ type: 'failed' }]);
  });

  it('ignores a late look-up', () => {
    const stream = ScriptedStream.ordered();
    stream.found().unreachable().afterPause();
    const target = { addresses: ['8.8.8.8'], port: 443, headers: {} };
    assert.deepEqual(stream.feed({ type: 'target-found', attempt: 1, target }).orders, []);
  });
});

describe('the end of a stream', () => {
  for (const [what, state] of [
    ['while its address is looked up', () => ScriptedStream.ordered()],
    ['while it connects', () => ScriptedStream.ordered().found()],
    ['between two attempts', () => ScriptedStream.ordered().found().unreachable()],
    ['while it streams', () => ScriptedStream.streaming()],
    ['while it is interrupted', () => ScriptedStream.streaming({ resumable: true }).lost()],
  ] as const) {
    it(`is reported once when the caller hangs up ${what}, and no effect follows`, () => {
      const stream = state();
      stream.feed({ type: 'stop-asked', reason: 'Call hangup' });
      assert.deepEqual(stream.orders.slice(-3), ['close', 'emit', 'notify-ended']);
      assert.deepEqual(stream.events, [{ type: 'stopped' }]);
      assert.equal(stream.stream.end?.reason, 'Call hangup');
      for (const after of [
        () => stream.found(),
        () => stream.connected(),
        () => stream.lost(),
        () => stream.feed({ type: 'stop-asked', reason: 'API request' }),
        () => stream.fire('timeout'),
        () => stream.fire('pause'),
        () => stream.over(),
        () => stream.over(),
      ]) {
        assert.deepEqual(after().effects, []);
      }
      assert.equal(stream.stream.phase, 'over');
      assert.equal(stream.stream.statistics?.framesSent, 5);
    });
  }

  for (const code of [1000, 1005]) {
    it(`is a stop when the application closes with ${code}`, () => {
      const stream = ScriptedStream.streaming({ resumable: true }).after(2_500).lost(code);
      assert.deepEqual(stream.events, [{ type: 'stopped' }]);
      assert.equal(stream.stream.end?.reason, 'Closed by the application');
      assert.equal(secondsOf(stream.stream, stream.now + 9_000), 3);
    });
  }

  for (const code of [1001, 1002, 1006, 1008, 1009, 1011, 4000]) {
    it(`is a failure when the socket closes with ${code}`, () => {
      const stream = ScriptedStream.streaming().lost(code);
      assert.deepEqual(stream.events, [{ type: 'failed' }]);
      assert.deepEqual(stream.stream.end?.fault, {
        code: 'connection-lost',
        sentence: `closed with ${code}`,
      });
    });
  }

  it('is a timeout after stream_timeout, also while the socket is lost', () => {
    for (const stream of [ScriptedStream.streaming(), ScriptedStream.streaming({ resumable: true }).lost()]) {
      assert.deepEqual(stream.fire('timeout').events, [{ type: 'timeout' }]);
      assert.equal(stream.stream.end?.reason, 'Stream timeout');
    }
  });

  it('by timeout has the instant of the timeout, also with a late timer', () => {
    const stream = ScriptedStream.streaming({ timeoutSeconds: 60 }).after(60_001).fire('timeout').stream;
    assert.equal(secondsOf(stream, start + 60_001), 60);
  });

  it('comes with the restart of the process, without a close', () => {
    const stream = ScriptedStream.streaming().feed({ type: 'process-restarted', diedAt: 0 });
    assert.deepEqual(stream.orders, ['emit', 'notify-ended']);
    assert.equal(stream.stream.phase, 'over');
    assert.equal(stream.stream.end?.reason, 'Connection error');
    assert.equal(stream.stream.end?.fault?.code, 'platform-restarted');
  });

  it('after a kill has the last sign of life of the process, between the beginning and stream_timeout', () => {
    const endOf = (diedAt: number) => {
      const stream = ScriptedStream.streaming({ timeoutSeconds: 60 }).feed({
        type: 'process-restarted',
        diedAt,
      });
      return (stream.stream.endedAt ?? 0) - (stream.stream.startedAt ?? 0);
    };
    assert.equal(endOf(start + 20_000), 20_000);
    assert.equal(endOf(start - 20_000), 0);
    assert.equal(endOf(0), 0);
    assert.equal(endOf(start + 90_000), 60_000);
  });

  it('comes when the media engine ends the stream', () => {
    const stream = ScriptedStream.streaming().over();
    assert.deepEqual(stream.events, [{ type: 'failed' }]);
    assert.equal(stream.stream.phase, 'over');
    assert.equal(stream.stream.end?.fault?.code, 'internal');
    const refused = ScriptedStream.streaming().over('no slot');
    assert.deepEqual(refused.stream.end?.fault, { code: 'no-capacity', sentence: 'no slot' });
  });
});

describe('a resumable stream', () => {
  const lost = () => ScriptedStream.streaming({ resumable: true, fallbackUrl }).after(20_000).lost();

  it('reconnects at once; a short loss plays no hold audio', () => {
    const stream = lost();
    assert.deepEqual(stream.events, [
      { type: 'interrupted', fault: { code: 'connection-lost', sentence: 'closed with 1006' } },
    ]);
    assert.deepEqual(stream.orders, ['emit', 'start-timer', 'find-target']);
    assert.equal(stream.find('start-timer')?.key, 'hold');
    stream.found();
    assert.equal(stream.find('connect')?.resumed, true);
    stream.after(300).connected();
    assert.deepEqual(stream.events, [{ type: 'resumed', afterMs: 300 }]);
    assert.deepEqual(stream.orders, ['emit']);
  });

  it('plays hold audio 0.4 s after the loss, until it is resumed', () => {
    const stream = lost().fire('hold');
    assert.deepEqual(stream.effects, [{ do: 'hold', hearers: [leg] }]);
    assert.deepEqual(stream.connected().orders, ['end-hold', 'emit']);
  });

  it('plays hold audio to the legs that hear it at that moment, and none without such legs', () => {
    const stream = lost().fire('hold');
    stream.feed({ type: 'retrack-asked', tracks: [], hearers: ['other'] });
    assert.deepEqual(stream.orders, ['retrack', 'replay', 'end-hold', 'hold']);
    const silent = ScriptedStream.streaming({ resumable: true, bidirectional: false, hearers: [] }).lost();
    assert.deepEqual(silent.orders, ['emit', 'find-target']);
  });

  it('fails after 30 s of attempts with growing pauses and three attempts on the other URL', () => {
    const stream = lost();
    const lostAt = stream.now;
    const pauses: number[] = [];
    while (stream.stream.attempt.url === 'service') {
      const before = stream.now;
      stream.found().unreachable();
      if (stream.stream.attempt.url === 'service') {
        stream.afterPause();
        pauses.push(stream.now - before);
      }
    }
    assert.deepEqual(pauses.slice(0, 5), [500, 1000, 2000, 4000, 4000]);
    assert.ok(stream.now - lostAt > 25_000 && stream.now - lostAt < 30_000);
    assert.equal(stream.find('find-target')?.url, fallbackUrl);
    stream.found().unreachable().afterPause().found().unreachable().afterPause().found();
    assert.equal(stream.find('connect')?.url, fallbackUrl);
    assert.deepEqual(stream.unreachable().events, [{ type: 'failed' }]);
  });

  it('reconnects to the URL that it used last', () => {
    const stream = lost().refused(true).found().connected();
    assert.deepEqual(stream.events, [{ type: 'resumed', afterMs: 0 }]);
    stream.after(60_000).lost();
    assert.equal(stream.find('find-target')?.url, fallbackUrl);
    stream.refused(true);
    assert.equal(stream.find('find-target')?.url, 'wss://bot.example/audio');
  });

  it('gains no time from a server that accepts each connection and drops it', () => {
    const stream = ScriptedStream.streaming({ resumable: true }).after(20_000).lost();
    const lostAt = stream.now;
    for (let turn = 0; stream.stream.phase !== 'closing'; turn++) {
      assert.ok(turn < 200, 'it never ends');
      if (stream.find('find-target') === undefined) stream.afterPause();
      stream.found().connected().after(200).lost();
    }
    assert.ok(stream.now - lostAt <= 30_200);
    assert.deepEqual(stream.events, [{ type: 'failed' }]);
  });
});

describe('an event in the middle of a stream', () => {
  it('is emitted with its fields', () => {
    const stream = ScriptedStream.streaming();
    const about = { stream: stream.stream.order.stream };
    assert.deepEqual(stream.feed({ type: 'stream-played', name: 'greeting', ...about }).events, [
      { type: 'played', name: 'greeting' },
    ]);
    assert.deepEqual(stream.feed({ type: 'stream-cleared', ...about }).events, [{ type: 'cleared' }]);
  });

  it('is emitted up to the limit of a second, and omitted events are counted', () => {
    const stream = ScriptedStream.streaming({}, { eventsPerSecond: 3 });
    const cleared = () =>
      stream.feed({ type: 'stream-cleared', stream: stream.stream.order.stream }).events.length;
    assert.deepEqual([cleared(), cleared(), cleared(), cleared(), cleared()], [1, 1, 1, 0, 0]);
    stream.after(1_000);
    assert.equal(cleared(), 1);
    assert.equal(stream.stream.chatter.omitted, 2);
    const about = { stream: stream.stream.order.stream, count: 981 };
    assert.deepEqual(stream.feed({ type: 'stream-notices-omitted', ...about }).effects, []);
    assert.equal(stream.stream.chatter.omitted, 983);
  });

  it('moves the stream to other legs; a bidirectional stream changes its listeners in the media engine', () => {
    const tracks = [{ name: 'inbound', said: ['other'], heard: [] }];
    const moved = (bidirectional: boolean) =>
      ScriptedStream.streaming({ bidirectional }).feed({ type: 'retrack-asked', tracks, hearers: ['other'] });
    assert.deepEqual(moved(true).effects, [
      { do: 'retrack', tracks },
      { do: 'replay', hearers: ['other'] },
    ]);
    assert.deepEqual(moved(false).effects, [{ do: 'retrack', tracks }]);
  });
});
