import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { StreamInput } from './stream.ts';
import { leg, ScriptedStream, uuid } from './testing/scripted-stream.ts';

const ends = ['stopped', 'timeout', 'failed'];
const inputs = fc.oneof(
  fc.constantFrom<StreamInput>(
    { type: 'stream-connected', stream: uuid },
    { type: 'stream-unreachable', stream: uuid, sentence: 'nobody listens' },
    { type: 'stream-played', stream: uuid, name: 'x' },
    { type: 'stream-cleared', stream: uuid },
    { type: 'stream-refused-frame', stream: uuid, code: 'malformed-frame', sentence: 'no audio' },
    { type: 'stream-degraded', stream: uuid, direction: 'to-socket', droppedMs: 20, percentFull: 100 },
    { type: 'retrack-asked', tracks: [], hearers: [leg, 'other'] },
    { type: 'retrack-asked', tracks: [], hearers: [] },
    { type: 'stop-asked', reason: 'API request' },
    { type: 'stop-asked', reason: 'Call hangup' },
    { type: 'process-restarted', diedAt: 0 },
    { type: 'timer-fired', key: 'pause' },
    { type: 'timer-fired', key: 'hold' },
    { type: 'timer-fired', key: 'timeout' },
  ),
  fc
    .constantFrom(1000, 1001, 1005, 1006, 1011)
    .map((code): StreamInput => ({ type: 'stream-lost', stream: uuid, code, sentence: 'lost' })),
  fc.record({ attempt: fc.integer({ min: 0, max: 6 }), isFinal: fc.boolean() }).map(
    (about): StreamInput => ({
      type: 'target-refused',
      fault: { code: 'unreachable', sentence: 'not there' },
      ...about,
    }),
  ),
  fc.integer({ min: 0, max: 6 }).map((attempt): StreamInput => {
    const target = { addresses: ['8.8.8.8'], port: 443, headers: {} };
    return { type: 'target-found', attempt, target };
  }),
);

test('random inputs cause at most one start and one end, no effect after it, and all is closed', () => {
  const options = fc.record({
    resumable: fc.boolean(),
    hasFallback: fc.boolean(),
    bidirectional: fc.boolean(),
  });
  const steps = fc.array(fc.tuple(inputs, fc.nat({ max: 40_000 })), { maxLength: 60 });
  fc.assert(
    fc.property(options, steps, ({ resumable, hasFallback, bidirectional }, walk) => {
      const stream = ScriptedStream.ordered({
        resumable,
        bidirectional,
        hearers: bidirectional ? [leg] : [],
        ...(hasFallback ? { fallbackUrl: 'wss://second.example/' } : {}),
      });
      const events: string[] = [];
      const timers = new Set<string>();
      let isHeld = false;
      let closes = 0;
      let reportedEnds = 0;
      const look = () => {
        for (const effect of stream.effects) {
          switch (effect.do) {
            case 'emit':
              assert.ok(!events.some((event) => ends.includes(event)), `${effect.event.type} after the end`);
              events.push(effect.event.type);
              break;
            case 'start-timer':
              assert.ok(effect.at >= stream.now);
              timers.add(effect.key);
              break;
            case 'cancel-timer':
              timers.delete(effect.key);
              break;
            case 'hold':
              assert.ok(!isHeld);
              isHeld = true;
              break;
            case 'end-hold':
              assert.ok(isHeld);
              isHeld = false;
              break;
            case 'close':
              closes++;
              break;
            case 'notify-ended':
              reportedEnds++;
              break;
            case 'connect':
            case 'find-target':
              assert.equal(closes, 0);
          }
        }
      };
      look();
      for (const [input, ms] of walk) {
        stream.after(ms);
        if (input.type === 'timer-fired' && !timers.delete(input.key)) continue;
        stream.feed(input);
        look();
      }
      stream.feed({ type: 'stop-asked', reason: 'Call hangup' });
      look();
      const isVanished = stream.stream.phase === 'over';
      stream.over();
      look();
      assert.equal(stream.stream.phase, 'over');
      assert.equal(events.filter((event) => ends.includes(event)).length, 1);
      assert.ok(events.filter((event) => event === 'started').length <= 1);
      assert.equal(closes, isVanished ? 0 : 1);
      assert.equal(reportedEnds, 1);
      assert.equal(isHeld, false);
      assert.deepEqual([...timers], []);
      assert.ok(stream.stream.endedAt !== null && stream.stream.end !== null);
    }),
    { numRuns: 300 },
  );
});
