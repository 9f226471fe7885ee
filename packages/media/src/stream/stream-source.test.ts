import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toneLevel } from '../dsp/tone-level.ts';
import { StreamSource } from './stream-source.ts';

function createStreamSource(
  frameSamples = 160,
  mostMs = 60_000,
  mostMarks = 1024,
): { streamSource: StreamSource; played: string[] } {
  const played: string[] = [];
  let ids = 0;
  const streamSource = new StreamSource({
    name: 'f',
    mostMs,
    mostMarks,
    frameSamples,
    played: (mark) => played.push(mark),
    createSource: (samples) => ({ id: ++ids, frame: new Int16Array(samples), active: false }),
  });
  return { streamSource, played };
}

function tone(rate: number, hz: number, ms: number): Int16Array {
  return Int16Array.from({ length: (rate * ms) / 1000 }, (_, n) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hz * n) / rate)),
  );
}

/** Takes a frame and reports it as sent. */
function turn(streamSource: StreamSource): Int16Array {
  streamSource.advance();
  const frame = streamSource.source.active
    ? streamSource.source.frame.slice()
    : new Int16Array(streamSource.source.frame.length);
  streamSource.sent();
  return frame;
}

function turns(streamSource: StreamSource, count: number): Int16Array {
  return Int16Array.from(Array.from({ length: count }, () => [...turn(streamSource)]).flat());
}

test('samples at the rate of the listeners are unchanged, in pieces of any size', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 40 }), (pieces) => {
      const { streamSource, played } = createStreamSource();
      const all: number[] = [];
      for (const piece of pieces) {
        const samples = Int16Array.from({ length: piece }, () => 1000 + ((all.length * 31) % 7000));
        all.push(...samples);
        assert.ok(streamSource.put(samples, 8000));
      }
      streamSource.mark('end');
      const frames = Math.ceil(all.length / 160);
      const heard = turns(streamSource, frames + 3);
      assert.deepEqual([...heard.subarray(0, all.length)], all);
      assert.ok(heard.subarray(all.length).every((sample) => sample === 0));
      assert.deepEqual(played, ['end']);
      assert.equal(streamSource.queuedMs, 0);
    }),
    { numRuns: 60 },
  );
});

test('a mark is reported when the frame with the last sample before it was sent, not earlier', () => {
  const { streamSource, played } = createStreamSource();
  streamSource.put(tone(8000, 400, 45), 8000);
  streamSource.mark('a');
  streamSource.put(tone(8000, 400, 20), 8000);
  streamSource.mark('b');
  streamSource.advance();
  streamSource.sent();
  streamSource.advance();
  streamSource.sent();
  assert.deepEqual(played, []);
  streamSource.advance();
  assert.deepEqual(played, []);
  streamSource.sent();
  assert.deepEqual(played, ['a']);
  turn(streamSource);
  assert.deepEqual(played, ['a', 'b']);
  turn(streamSource);
  streamSource.mark('nothing waits');
  assert.deepEqual(played, ['a', 'b', 'nothing waits']);
});

test('a mark after converted audio is reported one frame later, when the filter is flushed', () => {
  const { streamSource, played } = createStreamSource();
  streamSource.put(tone(24_000, 400, 40), 24_000);
  streamSource.mark('a');
  turns(streamSource, 2);
  assert.deepEqual(played, []);
  turns(streamSource, 2);
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
    const { streamSource } = createStreamSource(target / 50);
    const samples = tone(rate, 1000, 1000);
    for (let at = 0; at < samples.length; at += 333) streamSource.put(samples.subarray(at, at + 333), rate);
    const heard = turns(streamSource, 55);
    const middle = heard.subarray(target / 10, target - target / 10);
    assert.ok(Math.abs(toneLevel(middle, target, 1000) - 20 * Math.log10(10_000 / 32_768)) < 0.1);
    const last = heard.findLastIndex((sample) => Math.abs(sample) > 300);
    assert.ok(Math.abs(last - target) < target / 500, `${last} of ${target} samples`);
  });
}

test('runs of different rates follow one another without a gap', () => {
  const { streamSource } = createStreamSource();
  streamSource.put(tone(8000, 1000, 500), 8000);
  streamSource.put(tone(24_000, 1000, 500), 24_000);
  streamSource.put(tone(11_025, 1000, 400), 11_025);
  streamSource.put(tone(8000, 1000, 200), 8000);
  const heard = turns(streamSource, 80);
  for (let frame = 0; frame < 79; frame++) {
    const level = toneLevel(heard.subarray(frame * 160, frame * 160 + 320), 8000, 1000);
    assert.ok(level > -14, `frame ${frame} at ${level} dB`);
  }
});

test('clear takes effect in the next frame, drops waiting marks and frees the queue', () => {
  const { streamSource, played } = createStreamSource(160, 1000);
  assert.ok(streamSource.put(tone(8000, 700, 1000), 8000));
  streamSource.mark('never');
  turns(streamSource, 3);
  assert.ok(!streamSource.put(tone(8000, 700, 100), 8000), 'the queue is full');
  assert.equal(Math.round(streamSource.queuedMs), 940);
  assert.deepEqual(streamSource.clear(), ['never']);
  assert.deepEqual([streamSource.queuedMs, streamSource.clear()], [0, []]);
  assert.ok(turn(streamSource).every((sample) => sample === 0));
  assert.ok(streamSource.put(tone(8000, 700, 1000), 8000));
  turns(streamSource, 60);
  assert.deepEqual(played, []);
});

test('samples that exceed the queue are refused whole, also in small pieces of changing rates', () => {
  const { streamSource } = createStreamSource(160, 100, 2);
  assert.ok(!streamSource.put(tone(8000, 700, 120), 8000));
  assert.equal(streamSource.queuedMs, 0);
  let taken = 0;
  for (let n = 0; n < 5000; n++) if (streamSource.put(Int16Array.of(1), 8000 + n)) taken++;
  assert.ok(taken < 400, `${taken} runs are kept`);
  assert.ok(streamSource.mark('1') && streamSource.mark('2') && !streamSource.mark('3'));
});

test('a paused stream source is silent and keeps its queue and marks', () => {
  const { streamSource, played } = createStreamSource();
  streamSource.put(tone(8000, 700, 100), 8000);
  streamSource.mark('m');
  turns(streamSource, 2);
  streamSource.pause(true);
  assert.ok(turns(streamSource, 10).every((sample) => sample === 0));
  streamSource.pause(false);
  assert.ok(turns(streamSource, 3).some((sample) => sample > 5000));
  assert.deepEqual(played, ['m']);
});

test('audio in pieces of 20 ms waits one turn, so that late pieces make no gap', () => {
  const { streamSource } = createStreamSource();
  const samples = tone(8000, 1000, 2000);
  const heard: number[] = [];
  for (let frame = 0; frame < 90; frame++) {
    // Every third piece arrives after the turn for which it would be due.
    const late = frame % 3 === 2;
    if (!late) streamSource.put(samples.subarray(frame * 160, frame * 160 + 160), 8000);
    heard.push(...turn(streamSource));
    if (late) streamSource.put(samples.subarray(frame * 160, frame * 160 + 160), 8000);
  }
  const first = heard.findIndex((sample) => sample !== 0);
  assert.ok(first <= 161);
  assert.deepEqual(heard.slice(160, 160 + 80 * 160), [...samples.subarray(0, 80 * 160)]);
});
