import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { StreamQueue } from './stream-queue.ts';
import { StreamSource } from './stream-source.ts';

/** Samples that show their position. */
const counted = (from: number, count: number): Int16Array =>
  Int16Array.from({ length: count }, (_, n) => from + n);

function taken(queue: StreamQueue, most: number): number[] {
  const all: number[] = [];
  const count = queue.take(most, (samples, offset, length) =>
    all.push(...samples.subarray(offset, offset + length)),
  );
  assert.equal(all.length, count);
  return all;
}

describe('a queue of samples', () => {
  it('returns what was put, in order and by runs of one rate, as a plain list of runs does', () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('put' as const),
        count: fc.integer({ min: 0, max: 5000 }),
        rate: fc.constantFrom(8000, 16_000),
      }),
      fc.record({ do: fc.constant('take' as const), count: fc.nat(6000) }),
      fc.record({ do: fc.constant('clear' as const), draw: fc.nat(5) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const queue = new StreamQueue(1e9);
        let model: { value: number; rate: number }[] = [];
        let put = 0;
        for (const each of steps) {
          if (each.do === 'put') {
            assert.ok(queue.add(counted(put, each.count), each.rate));
            for (let n = 0; n < each.count; n++)
              model.push({ value: ((put + n) << 16) >> 16, rate: each.rate });
            put += each.count;
          } else if (each.do === 'take') {
            const { rate } = model[0] ?? { rate: 0 };
            const run = model.findIndex((sample) => sample.rate !== rate);
            const expected = model.splice(0, Math.min(each.count, run < 0 ? model.length : run));
            assert.deepEqual(
              taken(queue, each.count),
              expected.map(({ value }) => value),
            );
          } else if (each.draw === 0) {
            queue.clear();
            model = [];
          }
          assert.equal(queue.rate, model[0]?.rate ?? 0);
          assert.equal(queue.isEmpty, model.length === 0);
          assert.equal(queue.put - queue.taken, model.length);
          const ms = model.reduce((sum, { rate }) => sum + 1000 / rate, 0);
          assert.ok(Math.abs(queue.ms - ms) < 1e-6, `${queue.ms}, not ${ms}`);
        }
      }),
      { numRuns: 25 },
    );
  });

  for (const [rule, pieces, isAccepted] of [
    ['exactly the limit fits', [[800, 8000]], true],
    ['one sample more does not', [[801, 8000]], false],
    ['the limit is a duration, not a count', [[4800, 48_000]], true],
    [
      'runs of several rates count together',
      [
        [400, 8000],
        [801, 16_000],
      ],
      false,
    ],
    [
      'nothing always fits',
      [
        [800, 8000],
        [0, 8000],
      ],
      true,
    ],
  ] as const) {
    it(`of 100 ms: ${rule}`, () => {
      const queue = new StreamQueue(100);
      const results = pieces.map(([count, rate]) => queue.add(new Int16Array(count), rate));
      assert.equal(results.at(-1), isAccepted);
    });
  }

  it('a refused piece leaves no part of it', () => {
    const queue = new StreamQueue(100);
    queue.add(counted(1, 10), 8000);
    assert.equal(queue.add(counted(100, 5000), 8000), false);
    assert.deepEqual(taken(queue, 99), [...counted(1, 10)]);
    assert.deepEqual([queue.put, queue.taken, queue.ms, queue.rate], [10, 10, 0, 0]);
  });

  it('keeps a copy: the caller may overwrite its samples', () => {
    const queue = new StreamQueue(100);
    const samples = counted(5, 3);
    queue.add(samples, 8000);
    samples.fill(0);
    assert.deepEqual(taken(queue, 9), [5, 6, 7]);
  });

  it('samples beyond one block go on in the next', () => {
    const queue = new StreamQueue(60_000);
    queue.add(counted(0, 4000), 8000);
    queue.add(counted(4000, 4000), 8000);
    assert.deepEqual(taken(queue, 9000), [...counted(0, 8000)]);
  });
});

describe('the marks of a stream source', () => {
  function open(mostMarks = 1024) {
    const played: string[] = [];
    let ids = 0;
    const streamSource = new StreamSource({
      name: 'f',
      mostMarks,
      frameSamples: 160,
      played: (mark) => played.push(mark),
      createSource: (samples) => ({ id: ++ids, frame: new Int16Array(samples), active: false }),
    });
    const turn = (): void => {
      streamSource.advance();
      streamSource.sent();
    };
    return { streamSource, played, turn };
  }

  for (const [rule, samples, turns] of [
    ['of a whole frame is reported with that frame', 320, 2],
    ['after a part of a frame is reported with the frame that is filled up', 321, 3],
    ['before any audio is reported at once', 0, 0],
  ] as const) {
    it(`a mark ${rule}`, () => {
      const { streamSource, played, turn } = open();
      streamSource.put(new Int16Array(samples).fill(500), 8000);
      streamSource.mark('m');
      for (let n = 0; n < turns; n++) {
        assert.deepEqual(played, []);
        turn();
      }
      assert.deepEqual(played, ['m']);
    });
  }

  it('several marks at one position are reported together and in order', () => {
    const { streamSource, played, turn } = open();
    streamSource.put(new Int16Array(160).fill(500), 8000);
    for (const mark of ['a', 'b', 'c']) streamSource.mark(mark);
    turn();
    assert.deepEqual(played, ['a', 'b', 'c']);
  });

  it('a mark after flowing audio waits for its end, although the queue is empty', () => {
    const { streamSource, played, turn } = open();
    streamSource.put(new Int16Array(480).fill(500), 8000);
    for (let n = 0; n < 3; n++) turn();
    streamSource.mark('late');
    assert.deepEqual(played, []);
    turn();
    assert.deepEqual(played, ['late']);
  });

  it('a mark beyond the limit of waiting marks is refused, and reported ones make room', () => {
    const { streamSource, played, turn } = open(2);
    streamSource.put(new Int16Array(320).fill(500), 8000);
    assert.deepEqual(
      [streamSource.mark('a'), streamSource.mark('b'), streamSource.mark('c')],
      [true, true, false],
    );
    turn();
    turn();
    assert.deepEqual(played, ['a', 'b']);
    assert.equal(streamSource.mark('d'), true);
  });

  it('audio of less than 40 ms begins in the second turn, at once with a mark, and what follows goes on', () => {
    const { streamSource, turn } = open();
    streamSource.put(new Int16Array(160).fill(500), 8000);
    turn();
    assert.deepEqual([streamSource.source.active, streamSource.playedMs], [false, 0]);
    turn();
    assert.deepEqual([streamSource.source.active, streamSource.playedMs], [true, 20]);
    const marked = open();
    marked.streamSource.put(new Int16Array(160).fill(500), 8000);
    marked.streamSource.mark('m');
    marked.turn();
    assert.equal(marked.streamSource.source.active, true);
  });

  it('a pause keeps the queue, and silence is played but not heard', () => {
    const { streamSource, turn } = open();
    streamSource.put(new Int16Array(480), 8000);
    turn();
    assert.deepEqual([streamSource.source.active, streamSource.playedMs], [false, 20]);
    streamSource.pause(true);
    assert.equal(streamSource.isIdle, true);
    turn();
    assert.equal(streamSource.playedMs, 20);
    streamSource.pause(false);
    assert.equal(streamSource.isIdle, false);
    turn();
    assert.equal(streamSource.playedMs, 40);
  });

  it('another frame length replaces the source, the same one does not', () => {
    const { streamSource, turn } = open();
    const { source } = streamSource;
    assert.equal(streamSource.retune(160, false), false);
    assert.equal(streamSource.source, source);
    streamSource.put(new Int16Array(1600).fill(500), 16_000);
    assert.equal(streamSource.retune(320, false), true);
    assert.notEqual(streamSource.source.id, source.id);
    turn();
    assert.ok(streamSource.source.frame.every((sample) => sample === 500));
  });
});
