import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDigitReceiver, type DigitReceiver } from './digit-receiver.ts';
import { createDigitSender, type DigitSender, type DigitSenderOptions } from './digit-sender.ts';
import { digitOfEvent, eventOfDigit } from './telephone-event.ts';

const report = (event: number, duration: number, end = false) => ({ event, end, volume: 10, duration });

/** The digits that reports complete, one every 20 ms: `digit duration`. */
function received(
  receiver: DigitReceiver,
  ...reports: readonly (readonly [timestamp: number, event: number, duration: number, end?: boolean])[]
): string[] {
  return reports.flatMap(([timestamp, event, duration, end], n) =>
    receiver
      .receive(timestamp, report(event, duration, end), n * 20)
      .map(({ digit, durationMs }) => `${digit} ${durationMs}`),
  );
}

const open = (clockRate = 8000): DigitReceiver => createDigitReceiver({ clockRate });

describe('the durations of received keys', () => {
  for (const [rule, clockRate, units, ms] of [
    ['8 units are a millisecond at 8 kHz', 8000, 800, 100],
    ['48 units are one at 48 kHz', 48_000, 4800, 100],
    ['half a millisecond is rounded up', 8000, 804, 101],
    ['a report without duration is a key of 0 ms', 8000, 0, 0],
    ['the longest report at 48 kHz', 48_000, 65_535, 1365],
  ] as const) {
    it(rule, () => assert.deepEqual(received(open(clockRate), [0, 1, units, true]), [`1 ${ms}`]));
  }

  it('a smaller duration in a packet out of order does not shorten a key (RFC 4733 §2.5.2.2)', () => {
    assert.deepEqual(received(open(), [0, 1, 800], [0, 1, 320], [0, 1, 480, true]), ['1 100']);
  });

  it('a key of three segments has the sum of their durations (RFC 4733 §2.5.1.3)', () => {
    const long = 0xffff;
    assert.deepEqual(
      received(open(), [100, 7, long], [100 + long, 7, long], [100 + 2 * long, 7, 800, true]),
      [`7 ${Math.round((2 * long + 800) / 8)}`],
    );
  });

  it('another event where a segment would begin is another key', () => {
    assert.deepEqual(received(open(), [100, 7, 0xffff], [100 + 0xffff, 8, 800, true]), ['7 8192', '8 100']);
  });

  it('a step of one unit less than a segment is another key', () => {
    assert.deepEqual(received(open(), [100, 7, 800], [100 + 0xfffe, 7, 800, true]), ['7 100', '7 100']);
  });
});

describe('repeated, late and lost reports', () => {
  for (const [rule, reports, digits] of [
    [
      'three ends are one key',
      [
        [0, 1, 800, true],
        [0, 1, 800, true],
        [0, 1, 800, true],
      ],
      ['1 100'],
    ],
    [
      'an end after the end of the next key is ignored',
      [
        [0, 1, 800, true],
        [2000, 2, 800, true],
        [0, 1, 800, true],
      ],
      ['1 100', '2 100'],
    ],
    [
      'a report of the key before, within the next, is ignored',
      [
        [0, 1, 800],
        [2000, 2, 160],
        [0, 1, 800, true],
        [2000, 2, 800, true],
      ],
      ['1 100', '2 100'],
    ],
    [
      'the next key ends one without an end',
      [
        [0, 1, 640],
        [2000, 1, 800, true],
      ],
      ['1 80', '1 100'],
    ],
    [
      'a key whose start is at the end of the last one',
      [
        [0, 1, 800, true],
        [1, 2, 800, true],
      ],
      ['1 100', '2 100'],
    ],
    [
      'a step back of less than 10 s is reordering',
      [
        [80_000, 1, 800, true],
        [1, 2, 800, true],
      ],
      ['1 100'],
    ],
    [
      'a step back of 10 s is a restarted stream',
      [
        [80_000, 1, 800, true],
        [0, 2, 800, true],
      ],
      ['1 100', '2 100'],
    ],
    [
      'a step back of 10 s within a key ends it, too',
      [
        [90_000, 1, 800],
        [10_000, 2, 800, true],
      ],
      ['1 100', '2 100'],
    ],
    [
      'a step back of less within a key is reordering',
      [
        [90_000, 1, 800],
        [10_001, 2, 800, true],
        [90_000, 1, 960, true],
      ],
      ['1 120'],
    ],
    [
      'a step back over the wrap is reordering',
      [
        [5, 1, 800, true],
        [0xffffff00, 2, 800, true],
      ],
      ['1 100'],
    ],
  ] as const) {
    it(rule, () => assert.deepEqual(received(open(), ...reports), digits));
  }

  it('the limit of reordering is in seconds, not in units: 10 s at 48 kHz', () => {
    assert.deepEqual(received(open(48_000), [480_000, 1, 4800, true], [1, 2, 4800, true]), ['1 100']);
    assert.deepEqual(received(open(48_000), [480_000, 1, 4800, true], [0, 2, 4800, true]), [
      '1 100',
      '2 100',
    ]);
  });

  it('a key without its end expires 120 ms after its last report, once, and its late end is ignored', () => {
    const receiver = open();
    received(receiver, [0, 5, 160], [0, 5, 320]);
    assert.deepEqual(receiver.expire(139), []);
    assert.deepEqual(receiver.expire(140), [{ digit: '5', durationMs: 40 }]);
    assert.deepEqual(receiver.expire(1000), []);
    assert.deepEqual(receiver.receive(0, report(5, 800, true), 1020), []);
  });

  it('a flash between keys ends the key before it, and is not a key', () => {
    assert.deepEqual(received(open(), [0, 1, 640], [2000, 16, 800, true], [4000, 3, 800, true]), [
      '1 80',
      '3 100',
    ]);
  });

  it('after reset the same timestamps are a new stream', () => {
    const receiver = open();
    received(receiver, [0, 1, 800, true], [4000, 2, 160]);
    receiver.reset();
    assert.deepEqual(receiver.expire(10_000), []);
    assert.deepEqual(received(receiver, [0, 1, 800, true]), ['1 100']);
  });

  it('another receiver continues within a key and after one, without a second report of it', () => {
    const first = open();
    received(first, [0, 1, 160], [0, 1, 320]);
    const saved = first.save();
    const second = open();
    second.restore(saved);
    assert.deepEqual(received(second, [0, 1, 800, true]), ['1 100']);
    // The saved state is a copy: the first receiver still has its key.
    assert.deepEqual(first.expire(500), [{ digit: '1', durationMs: 40 }]);
    const third = open();
    third.restore(second.save());
    assert.deepEqual(received(third, [0, 1, 800, true], [2000, 2, 800, true]), ['2 100']);
    third.restore(open().save());
    assert.deepEqual(received(third, [0, 1, 800, true]), ['1 100']);
  });
});

/** What a sender does in each frame: `.` idle, `-` wait, or `event duration` with `M` marker and `E` end. */
function sent(sender: DigitSender, frames: number, from = 0, units = 160): string[] {
  return Array.from({ length: frames }, (_, n) => {
    const state = sender.next(from + n * units);
    if (state !== 'event') return state === 'idle' ? '.' : '-';
    const { event, end, duration } = sender.report;
    return `${event} ${duration}${sender.marker ? 'M' : ''}${end ? 'E' : ''}`;
  });
}

function sending(digits: string, options: Partial<DigitSenderOptions> = {}): DigitSender {
  const sender = createDigitSender({ clockRate: 8000, ...options });
  assert.equal(sender.queue(digits), digits.length);
  return sender;
}

describe('the frames of sent keys', () => {
  for (const [rule, digits, options, frames] of [
    [
      'a key of 100 ms, its end three times, and 60 ms of gap',
      '1',
      {},
      ['1 160M', '1 320', '1 480', '1 640', '1 800E', '1 800E', '1 800E', '-', '-', '.'],
    ],
    [
      'the second key begins in the third frame of the gap',
      '12',
      { digitMs: 40 },
      ['1 160M', '1 320E', '1 320E', '1 320E', '-', '-', '2 160M'],
    ],
    [
      'a key is at least one frame and its ends',
      '1',
      { digitMs: 20 },
      ['1 160M', '1 160E', '1 160E', '1 160E', '-', '-', '.'],
    ],
    [
      'a length between two frames is kept exactly',
      '1',
      { digitMs: 50 },
      ['1 160M', '1 320', '1 400E', '1 400E', '1 400E', '-', '-', '.'],
    ],
    [
      'no gap: the next key begins in the next frame',
      '12',
      { digitMs: 40, gapMs: 0 },
      ['1 160M', '1 320E', '1 320E', '1 320E', '2 160M', '2 320E'],
    ],
    [
      'a gap between two frames is rounded up',
      '1',
      { digitMs: 40, gapMs: 50 },
      ['1 160M', '1 320E', '1 320E', '1 320E', '-', '-', '.'],
    ],
    [
      'frames of 10 ms',
      '1',
      { digitMs: 30, gapMs: 20, frameMs: 10 },
      ['1 80M', '1 160', '1 240E', '1 240E', '1 240E', '-', '.'],
    ],
    ['units of 48 kHz', '1', { clockRate: 48_000, digitMs: 40 }, ['1 960M', '1 1920E', '1 1920E', '1 1920E']],
    [
      'a key longer than 65,535 units ends there',
      '1',
      { digitMs: 20_000, frameMs: 5000 },
      ['1 40000M', '1 65535E', '1 65535E', '1 65535E'],
    ],
  ] as const) {
    it(rule, () => assert.deepEqual(sent(sending(digits, options), frames.length), frames));
  }

  it('`w` is 25 frames and `W` 50, and they add up', () => {
    for (const [digits, frames] of [
      ['w', 25],
      ['W', 50],
      ['wW', 75],
    ] as const) {
      const states = sent(sending(digits), 100);
      assert.equal(states.indexOf('.'), frames, digits);
    }
  });

  it('has the volume of its option and the timestamp of the first frame, also beyond its wrap', () => {
    const sender = sending('9', { volume: 3 });
    sent(sender, 3, 2 ** 32 - 160);
    assert.deepEqual([sender.report.volume, sender.eventTimestamp], [3, 0xffffff60]);
    assert.equal(createDigitSender({ clockRate: 8000 }).report.volume, 10);
  });

  it('every key has its event, and every event its key', () => {
    for (const key of '0123456789*#ABCDabcd') {
      const sender = sending(key);
      sender.next(0);
      assert.equal(sender.report.event, eventOfDigit(key));
      assert.equal(digitOfEvent(sender.report.event), key.toUpperCase());
    }
  });

  for (const [rule, digits, queued] of [
    ['400 characters', '1'.repeat(400), 400],
    ['401 characters', '1'.repeat(401), 0],
    ['nothing', '', 0],
    ['a letter beyond D', '1E', 0],
    ['a comma', '1,2', 0],
    ['a line break at the end', '1\n', 0],
    ['a full-width digit', '１', 0],
  ] as const) {
    it(`of ${rule}, ${queued} are queued`, () =>
      assert.equal(createDigitSender({ clockRate: 8000 }).queue(digits), queued));
  }

  it('keys can be queued while others are sent; a sent key makes room', () => {
    const sender = sending('12', { maxQueued: 2, digitMs: 20, gapMs: 0 });
    assert.equal(sender.queue('3'), 0);
    sender.next(0);
    assert.equal(sender.queue('3'), 1);
    assert.deepEqual(
      sent(sender, 11, 160).filter((frame) => frame.includes('M')),
      ['2 160M', '3 160M'],
    );
  });

  it('another sender continues in any frame: within a key, between its ends, in a gap and in a wait', () => {
    const expected = sent(sending('1w2'), 60);
    for (let at = 0; at < 60; at++) {
      const first = sending('1w2');
      const frames = sent(first, at);
      const second = createDigitSender({ clockRate: 8000 });
      second.restore(first.save());
      // The saved state is a copy.
      sent(first, 3, at * 160);
      frames.push(...sent(second, 60 - at, at * 160));
      assert.deepEqual(frames, expected, `from frame ${at} on`);
    }
  });

  it('a continued key keeps the timestamp of its start', () => {
    const first = sending('1');
    sent(first, 2, 5000);
    const second = createDigitSender({ clockRate: 8000 });
    second.restore(first.save());
    second.next(9000);
    assert.equal(second.eventTimestamp, 5000);
  });
});
