import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createDigitReceiver, type ReceivedDigit } from './digit-receiver.ts';
import { createDigitSender } from './digit-sender.ts';
import {
  digitOfEvent,
  eventOfDigit,
  readTelephoneEvent,
  type TelephoneEvent,
  writeTelephoneEvent,
} from './telephone-event.ts';

interface SentReport {
  readonly atMs: number;
  readonly timestamp: number;
  readonly marker: boolean;
  readonly report: TelephoneEvent;
}

/** Runs a sender frame by frame until it is idle. */
function sendAll(digits: string, startTimestamp = 0): { reports: SentReport[]; frames: number } {
  const sender = createDigitSender({ clockRate: 8000 });
  assert.equal(sender.queue(digits), digits.length);
  const reports: SentReport[] = [];
  for (let frame = 0; ; frame++) {
    const state = sender.next((startTimestamp + frame * 160) >>> 0);
    if (state === 'idle') return { reports, frames: frame };
    if (state === 'event') {
      const { eventTimestamp: timestamp, marker } = sender;
      reports.push({ atMs: frame * 20, timestamp, marker, report: { ...sender.report } });
    }
  }
}

function receiveAll(reports: readonly SentReport[]): ReceivedDigit[] {
  const receiver = createDigitReceiver({ clockRate: 8000 });
  const digits: ReceivedDigit[] = [];
  for (const { timestamp, report, atMs } of reports)
    digits.push(...receiver.receive(timestamp, report, atMs));
  digits.push(...receiver.expire((reports.at(-1)?.atMs ?? 0) + 1000));
  return digits;
}

const text = (digits: readonly ReceivedDigit[]) => digits.map(({ digit }) => digit).join('');

describe('telephone-event payload', () => {
  it('reads event, end bit, volume and duration (RFC 4733 §2.3)', () => {
    const into = { event: 0, end: false, volume: 0, duration: 0 };
    assert.ok(readTelephoneEvent(Uint8Array.of(9, 11, 0x8a, 0x03, 0x20), 1, 4, into));
    assert.deepEqual(into, { event: 11, end: true, volume: 10, duration: 800 });
    assert.equal(readTelephoneEvent(Uint8Array.of(1, 2, 3), 0, 3, into), false);
    assert.equal(readTelephoneEvent(Uint8Array.of(1, 2, 3, 4), 1, 4, into), false);
  });

  it('is read as written', () => {
    const report = { event: 15, end: true, volume: 63, duration: 65_535 };
    const out = new Uint8Array(4);
    assert.equal(writeTelephoneEvent(out, 0, report), 4);
    const into = { event: 0, end: false, volume: 0, duration: 0 };
    assert.ok(readTelephoneEvent(out, 0, 4, into));
    assert.deepEqual(into, report);
  });

  it('0–9, *, # and A–D are events 0–15 (RFC 4733 §3.2)', () => {
    assert.equal(
      Array.from({ length: 18 }, (_, event) => digitOfEvent(event) ?? '?').join(''),
      '0123456789*#ABCD??',
    );
    assert.deepEqual([eventOfDigit('*'), eventOfDigit('#'), eventOfDigit('d')], [10, 11, 15]);
    assert.deepEqual(
      [eventOfDigit('E'), eventOfDigit(''), eventOfDigit('12')],
      [undefined, undefined, undefined],
    );
  });
});

describe('digit sender', () => {
  it('sends one packet every 20 ms with rising duration, and the last one three times (RFC 4733 §2.5.1)', () => {
    const { reports } = sendAll('5', 3200);
    assert.deepEqual(
      reports.map(({ report }) => report.duration),
      [160, 320, 480, 640, 800, 800, 800],
    );
    assert.deepEqual(
      reports.map(({ report }) => report.end),
      [false, false, false, false, true, true, true],
    );
    assert.deepEqual(new Set(reports.map(({ timestamp }) => timestamp)), new Set([3200]));
    assert.deepEqual(
      reports.map(({ marker }) => marker),
      [true, false, false, false, false, false, false],
    );
  });

  it('keeps a gap between keys, and `w` and `W` wait half a second and a second', () => {
    const start = (digits: string) => sendAll(digits).reports.find(({ report }) => report.event === 2)!.atMs;
    assert.equal(start('12'), 180);
    assert.equal(start('1w2'), 180 + 500);
    assert.equal(start('1W2'), 180 + 1000);
  });

  it('queues all keys or none: no other characters, at most maxQueued', () => {
    const sender = createDigitSender({ clockRate: 8000, maxQueued: 4 });
    assert.equal(sender.queue('12x'), 0);
    assert.equal(sender.queue('12345'), 0);
    assert.equal(sender.queue('1234'), 4);
    assert.equal(sender.queue('5'), 0);
    sender.clear();
    assert.equal(sender.next(0), 'idle');
  });

  it('ends the key that is being sent when the queue is cleared', () => {
    const sender = createDigitSender({ clockRate: 8000 });
    sender.queue('123');
    sender.next(0);
    sender.clear();
    let ends = 0;
    for (let frame = 1; frame < 20; frame++) {
      if (sender.next(frame * 160) === 'event' && sender.report.end) ends++;
    }
    assert.equal(ends, 3);
    assert.equal(sender.next(4000), 'idle');
  });
});

describe('digit receiver', () => {
  it('reports each key once, when it is released, with its duration', () => {
    assert.deepEqual(receiveAll(sendAll('1').reports), [{ digit: '1', durationMs: 100 }]);
    assert.equal(text(receiveAll(sendAll('1123*#ABCD0').reports)), '1123*#ABCD0');
  });

  it('needs no marker bit: the timestamp identifies an event (RFC 4733 §2.2.1)', () => {
    // The first packet may even be lost.
    assert.equal(text(receiveAll(sendAll('12').reports.filter(({ marker }) => !marker))), '12');
  });

  it('ends a key whose end packets are all lost at the next key, or after lostEndMs', () => {
    const { reports } = sendAll('77');
    assert.equal(text(receiveAll(reports.filter(({ report }) => !report.end))), '77');
    const receiver = createDigitReceiver({ clockRate: 8000, lostEndMs: 100 });
    receiver.receive(0, { event: 7, end: false, volume: 0, duration: 160 }, 0);
    assert.deepEqual(receiver.expire(99), []);
    assert.deepEqual(receiver.expire(100), [{ digit: '7', durationMs: 20 }]);
    assert.deepEqual(receiver.expire(300), []);
  });

  it('ignores a report after the end of its event', () => {
    const { reports } = sendAll('12');
    const swapped = [...reports];
    [swapped[3], swapped[4]] = [swapped[4]!, swapped[3]!];
    assert.equal(text(receiveAll(swapped)), '12');
  });

  it('continues an event of more than 65,535 units in a further segment (RFC 4733 §2.5.1.3)', () => {
    const receiver = createDigitReceiver({ clockRate: 8000 });
    const report = { event: 3, end: false, volume: 0, duration: 0xffff };
    assert.deepEqual(receiver.receive(1000, report, 0), []);
    assert.deepEqual(receiver.receive(1000 + 0xffff, { ...report, duration: 160 }, 20), []);
    assert.deepEqual(receiver.receive(1000 + 0xffff, { ...report, duration: 320, end: true }, 40), [
      { digit: '3', durationMs: Math.round((0xffff + 320) / 8) },
    ]);
  });

  it('ignores a flash and other events that are not digits', () => {
    const receiver = createDigitReceiver({ clockRate: 8000 });
    assert.deepEqual(receiver.receive(0, { event: 16, end: true, volume: 0, duration: 800 }, 0), []);
    assert.deepEqual(receiver.receive(5000, { event: 200, end: true, volume: 0, duration: 800 }, 500), []);
  });

  it('handles wraps of the timestamp between and within keys', () => {
    assert.equal(text(receiveAll(sendAll('123456', 0xffffffff - 2000).reports)), '123456');
  });

  it('reports every key once and in order with any loss that leaves one packet of each', () => {
    const keys = fc.string({ unit: fc.constantFrom(...'0123456789*#ABCD'), minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        keys,
        fc.array(fc.integer({ min: 0, max: 127 }), { minLength: 12, maxLength: 12 }),
        (digits, masks) => {
          const { reports } = sendAll(digits, 0xffffff00);
          const left = reports.filter((_, i) => {
            const key = Math.floor(i / 7);
            const mask = masks[key]! === 0 ? 1 : masks[key]!;
            return (mask & (1 << (i % 7))) !== 0;
          });
          assert.equal(text(receiveAll(left)), digits);
        },
      ),
    );
  });

  it('does not throw for random reports', () => {
    const report = fc.record({
      timestamp: fc.integer({ min: 0, max: 0xffffffff }),
      event: fc.integer({ min: 0, max: 255 }),
      end: fc.boolean(),
      duration: fc.integer({ min: 0, max: 0xffff }),
    });
    fc.assert(
      fc.property(fc.array(report, { maxLength: 50 }), (list) => {
        const receiver = createDigitReceiver({ clockRate: 8000 });
        for (const [i, { timestamp, event, end, duration }] of list.entries()) {
          receiver.receive(timestamp, { event, end, volume: 0, duration }, i * 20);
          receiver.expire(i * 20 + 10);
        }
      }),
    );
  });
});
