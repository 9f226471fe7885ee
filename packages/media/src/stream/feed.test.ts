import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toneLevel } from '../dsp/tone-level.ts';
import { Feed } from './feed.ts';

function createFeed(frameSamples = 160, mostMs = 60_000, mostMarks = 1024): { feed: Feed; played: string[] } {
  const played: string[] = [];
  let ids = 0;
  const feed = new Feed({
    name: 'f',
    mostMs,
    mostMarks,
    frameSamples,
    played: (mark) => played.push(mark),
    createSource: (samples) => ({ id: ++ids, frame: new Int16Array(samples), active: false }),
  });
  return { feed, played };
}

function tone(rate: number, hz: number, ms: number): Int16Array {
  return Int16Array.from({ length: (rate * ms) / 1000 }, (_, n) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hz * n) / rate)),
  );
}

/** Takes a frame and reports it as sent. */
function turn(feed: Feed): Int16Array {
  feed.advance();
  const frame = feed.source.active ? feed.source.frame.slice() : new Int16Array(feed.source.frame.length);
  feed.sent();
  return frame;
}

function turns(feed: Feed, count: number): Int16Array {
  return Int16Array.from(Array.from({ length: count }, () => [...turn(feed)]).flat());
}

test('samples at the rate of the listeners are unchanged, in pieces of any size', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 40 }), (pieces) => {
      const { feed, played } = createFeed();
      const all: number[] = [];
      for (const piece of pieces) {
        const samples = Int16Array.from({ length: piece }, () => 1000 + ((all.length * 31) % 7000));
        all.push(...samples);
        assert.ok(feed.put(samples, 8000));
      }
      feed.mark('end');
      const frames = Math.ceil(all.length / 160);
      const heard = turns(feed, frames + 3);
      assert.deepEqual([...heard.subarray(0, all.length)], all);
      assert.ok(heard.subarray(all.length).every((sample) => sample === 0));
      assert.deepEqual(played, ['end']);
      assert.equal(feed.queuedMs, 0);
    }),
    { numRuns: 60 },
  );
});

test('a mark is reported when the frame with the last sample before it was sent, not earlier', () => {
  const { feed, played } = createFeed();
  feed.put(tone(8000, 400, 45), 8000);
  feed.mark('a');
  feed.put(tone(8000, 400, 20), 8000);
  feed.mark('b');
  feed.advance();
  feed.sent();
  feed.advance();
  feed.sent();
  assert.deepEqual(played, []);
  feed.advance();
  assert.deepEqual(played, []);
  feed.sent();
  assert.deepEqual(played, ['a']);
  turn(feed);
  assert.deepEqual(played, ['a', 'b']);
  turn(feed);
  feed.mark('nothing waits');
  assert.deepEqual(played, ['a', 'b', 'nothing waits']);
});

test('a mark after converted audio is reported one frame later, when the filter is flushed', () => {
  const { feed, played } = createFeed();
  feed.put(tone(24_000, 400, 40), 24_000);
  feed.mark('a');
  turns(feed, 2);
  assert.deepEqual(played, []);
  turns(feed, 2);
  assert.deepEqual(played, ['a']);
});

for (const [rate, target] of [
  [8000, 16_000],
  [16_000, 8000],
  [24_000, 8000],
  [22_050, 16_000],
  [44_100, 8000],
  [48_000, 48_000],
  [9001, 24_000],
] as const) {
  test(`a tone at ${rate} Hz is heard at ${target} Hz, at its level and duration`, () => {
    const { feed } = createFeed(target / 50);
    const samples = tone(rate, 1000, 1000);
    for (let at = 0; at < samples.length; at += 333) feed.put(samples.subarray(at, at + 333), rate);
    const heard = turns(feed, 55);
    const middle = heard.subarray(target / 10, target - target / 10);
    assert.ok(Math.abs(toneLevel(middle, target, 1000) - 20 * Math.log10(10_000 / 32_768)) < 0.1);
    const last = heard.findLastIndex((sample) => Math.abs(sample) > 300);
    assert.ok(Math.abs(last - target) < target / 500, `${last} of ${target} samples`);
  });
}

test('runs of different rates follow one another without a gap', () => {
  const { feed } = createFeed();
  feed.put(tone(8000, 1000, 500), 8000);
  feed.put(tone(24_000, 1000, 500), 24_000);
  feed.put(tone(11_025, 1000, 400), 11_025);
  feed.put(tone(8000, 1000, 200), 8000);
  const heard = turns(feed, 80);
  for (let frame = 0; frame < 79; frame++) {
    const level = toneLevel(heard.subarray(frame * 160, frame * 160 + 320), 8000, 1000);
    assert.ok(level > -14, `frame ${frame} at ${level} dB`);
  }
});

test('clear takes effect in the next frame, drops waiting marks and frees the queue', () => {
  const { feed, played } = createFeed(160, 1000);
  assert.ok(feed.put(tone(8000, 700, 1000), 8000));
  feed.mark('never');
  turns(feed, 3);
  assert.ok(!feed.put(tone(8000, 700, 100), 8000), 'the queue is full');
  assert.equal(Math.round(feed.queuedMs), 940);
  assert.deepEqual(feed.clear(), ['never']);
  assert.deepEqual([feed.queuedMs, feed.clear()], [0, []]);
  assert.ok(turn(feed).every((sample) => sample === 0));
  assert.ok(feed.put(tone(8000, 700, 1000), 8000));
  turns(feed, 60);
  assert.deepEqual(played, []);
});

test('samples that exceed the queue are refused whole, also in small pieces of changing rates', () => {
  const { feed } = createFeed(160, 100, 2);
  assert.ok(!feed.put(tone(8000, 700, 120), 8000));
  assert.equal(feed.queuedMs, 0);
  let taken = 0;
  for (let n = 0; n < 5000; n++) if (feed.put(Int16Array.of(1), 8000 + n)) taken++;
  assert.ok(taken < 400, `${taken} runs are kept`);
  assert.ok(feed.mark('1') && feed.mark('2') && !feed.mark('3'));
});

test('a paused stream source is silent and keeps its queue and marks', () => {
  const { feed, played } = createFeed();
  feed.put(tone(8000, 700, 100), 8000);
  feed.mark('m');
  turns(feed, 2);
  feed.pause(true);
  assert.ok(turns(feed, 10).every((sample) => sample === 0));
  feed.pause(false);
  assert.ok(turns(feed, 3).some((sample) => sample > 5000));
  assert.deepEqual(played, ['m']);
});

test('audio in pieces of 20 ms waits one turn, so that late pieces make no gap', () => {
  const { feed } = createFeed();
  const samples = tone(8000, 1000, 2000);
  const heard: number[] = [];
  for (let frame = 0; frame < 90; frame++) {
    // Every third piece arrives after the turn for which it would be due.
    const late = frame % 3 === 2;
    if (!late) feed.put(samples.subarray(frame * 160, frame * 160 + 160), 8000);
    heard.push(...turn(feed));
    if (late) feed.put(samples.subarray(frame * 160, frame * 160 + 160), 8000);
  }
  const first = heard.findIndex((sample) => sample !== 0);
  assert.ok(first <= 161);
  assert.deepEqual(heard.slice(160, 160 + 80 * 160), [...samples.subarray(0, 80 * 160)]);
});
