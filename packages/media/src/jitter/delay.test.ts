import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createRtpHeader } from '../rtp/rtp-packet.ts';
import { DelayEstimator } from './delay-estimator.ts';
import { DelayPlan } from './delay-plan.ts';
import { FramePace } from './frame-pace.ts';
import { continuity, StreamContinuity } from './stream-continuity.ts';

/** An estimator that has observed packets of 20 ms with these delays. */
function observed(
  delays: readonly number[],
  { timestamp = 0, clockRate = 8000, fromMs = 1000 } = {},
): DelayEstimator {
  const estimator = new DelayEstimator(clockRate);
  estimator.restart(timestamp, fromMs + (delays[0] ?? 0));
  for (const [n, delay] of delays.entries()) {
    estimator.observe((timestamp + (n * clockRate) / 50) >>> 0, fromMs + n * 20 + delay);
  }
  return estimator;
}

const even = (count: number): number[] => new Array<number>(count).fill(0);

describe('the deviation of a packet from the fastest recent one', () => {
  for (const [rule, delays, timestamp, arrivalMs, deviation] of [
    ['is 0 for a packet in time', even(5), 5 * 160, 1100, 0],
    ['is positive for a late one', even(5), 5 * 160, 1107.5, 7.5],
    ['is negative for an early one', even(5), 5 * 160, 1095, -5],
    ['counts from the fastest, not from the first', [10, 10, 0, 10], 4 * 160, 1080, 0],
    ['of an older packet counts from its own timestamp', even(5), 160, 1100, 80],
  ] as const) {
    it(rule, () => assert.equal(observed(delays).deviationMs(timestamp, arrivalMs), deviation));
  }

  it('is the same across the wrap of the timestamp, at every clock rate', () => {
    for (const clockRate of [8000, 16_000, 48_000]) {
      const frame = clockRate / 50;
      const timestamp = (2 ** 32 - 3 * frame) >>> 0;
      const estimator = observed(even(6), { timestamp, clockRate });
      assert.ok(Math.abs(estimator.deviationMs(3 * frame, 1000 + 6 * 20 + 4) - 4) < 1e-6, `${clockRate}`);
      assert.ok(Math.abs(estimator.newestMs() - (1000 + 5 * 20)) < 1e-6);
    }
  });

  it('follows a path that became slower by a lasting 10 ms after two to four seconds', () => {
    const delays = [...even(10), ...new Array<number>(250).fill(10)];
    const at = (count: number): number =>
      observed(delays.slice(0, count)).deviationMs(count * 160, 1000 + count * 20 + 10);
    assert.equal(at(60), 10);
    assert.equal(at(100), 10);
    assert.equal(at(220), 0);
  });

  it('follows a faster path at once', () => {
    assert.equal(observed([...even(10), -8]).deviationMs(11 * 160, 1000 + 11 * 20), 8);
  });
});

describe('the delay within which a share of packets arrives', () => {
  it('is 0 before any packet, and one bin of a quarter millisecond on an even network', () => {
    const estimator = new DelayEstimator(8000);
    assert.equal(estimator.quantileMs(0.97), 0);
    assert.equal(observed(even(100)).quantileMs(0.97), 0.25);
    assert.equal(observed(even(100)).quantileMs(1), 0.25);
  });

  for (const [share, late, delayMs] of [
    [0.97, 3, 0.25],
    [0.97, 4, 40.25],
    [1, 1, 40.25],
    [0.5, 50, 0.25],
    [0.5, 51, 40.25],
  ] as const) {
    it(`with ${late} of 100 packets 40 ms late, ${share} of them arrive within ${delayMs} ms`, () => {
      const delays = Array.from({ length: 100 }, (_, n) => (n >= 100 - late ? 40 : 0));
      assert.equal(observed(delays).quantileMs(share), delayMs);
    });
  }

  it('a delay beyond the bins counts as the last one: 256 ms', () => {
    assert.equal(observed([...even(9), 5000]).quantileMs(1), 256);
  });

  it('forgets a burst after four to eight seconds', () => {
    const burst = [...even(20), 60, 60, 60, ...even(500)];
    assert.equal(observed(burst.slice(0, 150)).quantileMs(1), 60.25);
    assert.ok(observed(burst).quantileMs(1) <= 0.5);
  });

  it('restarts with nothing observed', () => {
    const estimator = observed([0, 50, 0, 50]);
    estimator.restart(77, 9000);
    estimator.observe(77, 9000);
    assert.deepEqual(
      [estimator.observed, estimator.quantileMs(1), estimator.deviationMs(77, 9003)],
      [1, 0.25, 3],
    );
  });

  it('is within two bins of the sorted delays above the least, for any delays of one second', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.nat(2000).map((value) => value / 10),
          { minLength: 1, maxLength: 50 },
        ),
        fc.constantFrom(0.5, 0.97, 0.995, 1),
        (delays, share) => {
          const least = Math.min(...delays);
          const sorted = delays.map((delay) => delay - least).sort((a, b) => b - a);
          const expected = sorted[Math.floor(delays.length * (1 - share))]!;
          const actual = observed(delays).quantileMs(share);
          assert.ok(Math.abs(actual - expected) <= 0.5, `${actual}, not ${expected}`);
        },
      ),
    );
  });
});

/** A plan for frames of 20 ms at 8 kHz that has seen 25 frames with this slack. */
function decided(
  slackMs: number,
  {
    estimator = observed(even(100)),
    packet = 160,
    buffered = 0,
    patience = 0,
    plan = new DelayPlan(8000, 160, 0, 200),
  } = {},
) {
  plan.patienceMs = patience;
  plan.notePacket(packet);
  for (let n = 0; n < 25; n++) {
    plan.noteSlack(slackMs);
    plan.decide(estimator, buffered);
  }
  return plan;
}

describe('the plan of the delay', () => {
  for (const [rule, slackMs, pending] of [
    ['stays while the slack is between the least and one frame more', 5, 0],
    ['stays with exactly the quantile', 0.25, 0],
    ['grows by a frame when packets come too late', -3, -160],
    ['grows by two frames when they are a frame late', -21, -320],
    ['shrinks by the whole frames of surplus', 45, 320],
    ['does not shrink by a part of a frame', 21, 0],
  ] as const) {
    it(rule, () => assert.equal(decided(slackMs).pending + 0, pending));
  }

  it('changes in steps of the common divisor of packet and frame', () => {
    for (const [packet, pending] of [
      [80, 240],
      [240, 240],
      [160, 160],
      [320, 160],
    ] as const) {
      assert.equal(decided(32, { packet }).pending, pending, `packets of ${packet / 8} ms`);
    }
  });

  it('removes buffered audio between two steps', () =>
    assert.equal(decided(5, { buffered: 170 }).pending, 10));

  it('needs no delay for the time that a frame can be deferred', () => {
    assert.equal(decided(-3, { patience: 5 }).pending + 0, 0);
    assert.equal(decided(-6, { patience: 5 }).pending, -160);
  });

  it('grows only after fifty packets, and shrinks before', () => {
    const few = observed(even(49));
    assert.equal(decided(-3, { estimator: few }).pending + 0, 0);
    assert.equal(decided(45, { estimator: few }).pending, 320);
  });

  it('decides after 25 frames, with slack seen in at least five of them', () => {
    const plan = new DelayPlan(8000, 160, 0, 200);
    const estimator = observed(even(100));
    for (let n = 0; n < 24; n++) {
      plan.noteSlack(45);
      plan.decide(estimator, 0);
    }
    assert.equal(plan.pending, 0);
    plan.decide(estimator, 0);
    assert.equal(plan.pending, 320);
    const unseen = new DelayPlan(8000, 160, 0, 200);
    for (let n = 0; n < 4; n++) unseen.noteSlack(45);
    for (let n = 0; n < 60; n++) unseen.decide(estimator, 0);
    assert.equal(unseen.pending, 0);
    unseen.noteSlack(45);
    unseen.decide(estimator, 0);
    assert.equal(unseen.pending, 320);
  });

  it('the least slack counts, not the last', () => {
    const plan = new DelayPlan(8000, 160, 0, 200);
    plan.noteSlack(-30);
    assert.equal(decided(45, { plan }).pending, -320);
  });

  it('acts before a slow sender has used the slack up: twice the decline counts', () => {
    const plan = new DelayPlan(8000, 160, 0, 200);
    decided(4, { plan });
    assert.equal(plan.pending + 0, 0);
    decided(2, { plan });
    // 0.25 − 2 + 2 · 2 = 2.25 ms are missing.
    assert.equal(plan.pending, -160);
  });

  it('after a change of time a decision takes eight frames', () => {
    const plan = new DelayPlan(8000, 160, 0, 200);
    plan.retime();
    const estimator = observed(even(100));
    for (let n = 0; n < 7; n++) {
      plan.noteSlack(45);
      plan.decide(estimator, 0);
    }
    assert.equal(plan.pending, 0);
    plan.noteSlack(45);
    plan.decide(estimator, 0);
    assert.equal(plan.pending, 320);
  });

  for (const [age, hurries, likeness] of [
    [0, false, 0.85],
    [25, false, 0.85],
    [26, false, 0.5],
    [0, true, 0.5],
    [50, true, 0.5],
    [51, false, -1],
  ] as const) {
    it(`requires a likeness of ${likeness} after ${age} frames${hurries ? ' when it hurries' : ''}`, () => {
      const plan = new DelayPlan(8000, 160, 0, 200);
      plan.age = age;
      assert.equal(plan.requiredLikeness(hurries), likeness);
    });
  }

  it('the first packet waits for the jitter, between the limits, and for packets that do not fit the frame', () => {
    const late = observed(Array.from({ length: 100 }, (_, n) => (n % 2) * 30));
    const starting = (least: number, most: number, packet = 160): number => {
      const plan = new DelayPlan(8000, 160, least, most);
      plan.notePacket(packet);
      return plan.startingSlackMs(late);
    };
    assert.equal(starting(0, 200), 30.25);
    assert.equal(starting(50, 200), 50);
    assert.equal(starting(0, 10), 10);
    // Packets of 30 ms share 10 ms with frames of 20.
    assert.equal(starting(0, 200, 240), 40.25);
    assert.equal(starting(0, 200, 0), 30.25);
  });
});

describe('the pace of a stream', () => {
  const paceOf = (delays: readonly number[]): FramePace =>
    new FramePace(observed(delays), new DelayPlan(8000, 160, 0, 200));

  it('is unknown before ten packets', () => {
    assert.ok(Number.isNaN(paceOf(even(9)).readyMs));
    assert.equal(paceOf(even(10)).readyMs, 1000 + 9 * 20 + 1.25);
  });

  it('an edge is twice the lateness of the latest packet, at most 2 ms, and none where a turn can wait', () => {
    assert.equal(paceOf(even(20)).edgeMs, 0.5);
    assert.equal(paceOf([...even(20), 0.6]).edgeMs, 1.5);
    assert.equal(paceOf([...even(20), 30]).edgeMs, 2);
    const patient = paceOf([...even(20), 30]);
    patient.patienceMs = 5;
    assert.equal(patient.edgeMs, 0);
  });

  it('the present turn may come before the audio is ready while 98.5 % of the packets are in time', () => {
    // Bins of 0.25 ms. The packet that is 4 ms late counts among 99.5 %, not among 98.5 %.
    const late = observed(Array.from({ length: 100 }, (_, n) => (n === 50 ? 4 : 0)));
    const stayEdgeMs = (slackMs: number, patienceMs = 0): number => {
      const plan = new DelayPlan(8000, 160, 0, 200);
      plan.patienceMs = patienceMs;
      for (let frame = 0; frame < 25; frame++) {
        plan.noteSlack(slackMs);
        plan.decide(late, 0);
      }
      return new FramePace(late, plan).stayEdgeMs;
    };
    assert.equal(stayEdgeMs(3), 0.25 - (4.25 + 1));
    assert.equal(stayEdgeMs(5.25 + 1.9), 0.25 - (4.25 + 1), 'within the edge of 2 ms');
    assert.equal(stayEdgeMs(5.25 + 2), 2, 'the buffer holds an extra frame');
    assert.equal(stayEdgeMs(0.1, 5), 0, 'a turn that can wait has no edge');
    assert.equal(paceOf(even(100)).stayEdgeMs, 0.5, 'unknown after a change');
  });

  it('repeats every 20 ms, and every 10 ms for packets of 10 or 30 ms', () => {
    for (const [packet, everyMs] of [
      [160, 20],
      [80, 10],
      [240, 10],
      [480, 20],
    ] as const) {
      const plan = new DelayPlan(8000, 160, 0, 200);
      plan.notePacket(packet);
      assert.equal(new FramePace(observed(even(20)), plan).everyMs, everyMs);
    }
  });
});

describe('how a packet relates to the stream (RFC 3550 A.1)', () => {
  const names = ['same', 'fresh', 'stray'] as const;
  type Packet = readonly [
    change: {
      ssrc?: number;
      sequence?: number;
      timestamp?: number;
      audio?: boolean;
      ahead?: number;
      deviation?: number;
    },
    atMs: number,
  ];
  function judged(...packets: readonly Packet[]): string {
    const stream = new StreamContinuity(8000);
    const header = createRtpHeader();
    return packets
      .map(([{ ssrc = 1, sequence = 0, timestamp = 0, audio = true, ahead = 0, deviation = 0 }, atMs]) => {
        Object.assign(header, { ssrc, sequenceNumber: sequence, timestamp });
        return names[stream.judge(header, audio, ahead, deviation, atMs)];
      })
      .join(' ');
  }

  for (const [rule, packets, expected] of [
    ['the first audio begins the stream', [[{}, 0]], 'fresh'],
    [
      'an event before any audio shows no clock',
      [
        [{ audio: false }, 0],
        [{}, 20],
      ],
      'stray fresh',
    ],
    [
      '2,999 ahead is loss',
      [
        [{}, 0],
        [{ ahead: 3000 }, 20],
      ],
      'fresh same',
    ],
    [
      '3,001 ahead is a jump',
      [
        [{}, 0],
        [{ ahead: 3001 }, 20],
      ],
      'fresh stray',
    ],
    [
      '100 behind is reordering',
      [
        [{}, 0],
        [{ ahead: -100 }, 20],
      ],
      'fresh same',
    ],
    [
      '101 behind is a jump',
      [
        [{}, 0],
        [{ ahead: -101 }, 20],
      ],
      'fresh stray',
    ],
    [
      'audio two seconds late is of this clock',
      [
        [{}, 0],
        [{ deviation: 2000 }, 20],
      ],
      'fresh same',
    ],
    [
      'audio more than two seconds late is of another',
      [
        [{}, 0],
        [{ deviation: 2001 }, 20],
      ],
      'fresh stray',
    ],
    [
      'audio more than two seconds early is of another',
      [
        [{}, 0],
        [{ deviation: -2001 }, 20],
      ],
      'fresh stray',
    ],
    [
      'an event may have any timestamp',
      [
        [{}, 0],
        [{ audio: false, deviation: 9999 }, 20],
      ],
      'fresh same',
    ],
    [
      'a jump is confirmed by its next packet',
      [
        [{}, 0],
        [{ ahead: 9000, sequence: 9000 }, 20],
        [{ ahead: 9001, sequence: 9001, timestamp: 160 }, 40],
      ],
      'fresh stray fresh',
    ],
    [
      'a jump is not confirmed by a packet with a gap',
      [
        [{}, 0],
        [{ ahead: 9000, sequence: 9000 }, 20],
        [{ ahead: 9002, sequence: 9002 }, 40],
      ],
      'fresh stray stray',
    ],
    [
      'a jump is not confirmed by a timestamp a second away',
      [
        [{}, 0],
        [{ ahead: 9000, sequence: 9000 }, 20],
        [{ ahead: 9001, sequence: 9001, timestamp: 8000 }, 40],
      ],
      'fresh stray stray',
    ],
    [
      'a jump is not confirmed by an event',
      [
        [{}, 0],
        [{ ahead: 9000, sequence: 9000 }, 20],
        [{ ahead: 9001, sequence: 9001, audio: false }, 40],
      ],
      'fresh stray stray',
    ],
    [
      'another SSRC while the first one sends needs two packets',
      [
        [{}, 0],
        [{ ssrc: 2, sequence: 5 }, 59],
        [{ ssrc: 2, sequence: 6 }, 60],
      ],
      'fresh stray fresh',
    ],
    [
      'another SSRC after 60 ms of silence needs one',
      [
        [{}, 0],
        [{ ssrc: 2 }, 60],
      ],
      'fresh fresh',
    ],
    [
      'an event of another SSRC begins no stream',
      [
        [{}, 0],
        [{ ssrc: 2, audio: false }, 500],
      ],
      'fresh stray',
    ],
    [
      'two strangers do not confirm each other',
      [
        [{}, 0],
        [{ ssrc: 2, sequence: 5 }, 20],
        [{ ssrc: 3, sequence: 6 }, 40],
      ],
      'fresh stray stray',
    ],
    [
      'a jump after a second of silence needs one packet',
      [
        [{}, 0],
        [{ ahead: 9000 }, 1000],
      ],
      'fresh fresh',
    ],
    [
      'a jump after less needs two',
      [
        [{}, 0],
        [{ ahead: 9000 }, 999],
      ],
      'fresh stray',
    ],
    [
      'stray packets do not end the silence',
      [
        [{}, 0],
        [{ ssrc: 2 }, 59],
        [{ ssrc: 3 }, 61],
      ],
      'fresh stray fresh',
    ],
    [
      'a confirmed stream continues over the wrap of the number',
      [
        [{}, 0],
        [{ ssrc: 2, sequence: 65_535 }, 20],
        [{ ssrc: 2, sequence: 0, timestamp: 160 }, 40],
      ],
      'fresh stray fresh',
    ],
  ] as const satisfies readonly (readonly [string, readonly Packet[], string])[]) {
    it(rule, () => assert.equal(judged(...packets), expected));
  }

  it('after a reset any audio begins the stream', () => {
    const stream = new StreamContinuity(8000);
    const header = createRtpHeader();
    assert.equal(stream.judge(header, true, 0, 0, 0), continuity.fresh);
    stream.reset();
    assert.equal(stream.judge(header, true, 9000, 9000, 5), continuity.fresh);
  });
});
