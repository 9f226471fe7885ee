import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EventScale } from './event-scale.ts';

/** Start and durations after the conversion of one packet with these durations. */
function converted(scale: EventScale, timestamp: number, event: number, ...durations: number[]): number[] {
  const bytes = Uint8Array.from([99, ...durations.flatMap((each) => [event, 0x8a, each >> 8, each]), 99]);
  const start = scale.startOf(timestamp >>> 0, event);
  scale.convert(bytes, 1, bytes.length - 2);
  assert.deepEqual([bytes[0], bytes.at(-1)], [99, 99], 'no byte beside the payload is written');
  const reports = durations.map((_, n) => [...bytes.subarray(1 + 4 * n, 5 + 4 * n)]);
  for (const [code, flags] of reports) assert.deepEqual([code, flags], [event, 0x8a]);
  return [start, ...reports.map(([, , high, low]) => (high! << 8) | low!)];
}

describe('the scale of event reports', () => {
  it('converts each report of a payload (RFC 4733 §2.5.1.5)', () => {
    const scale = new EventScale(48_000, 8000);
    assert.deepEqual(converted(scale, 1000, 5, 4800, 2400, 0xffff), [1000, 800, 400, 10_923]);
  });

  it('joins segments over the wrap of the timestamp, also when one overtakes another', () => {
    const scale = new EventScale(48_000, 8000);
    const start = 0xffff_ff00;
    const [second, third] = [start + 0xffff, start + 2 * 0xffff];
    assert.deepEqual(
      [
        converted(scale, start, 5, 48_000),
        converted(scale, second, 5, 4800),
        converted(scale, start, 5, 0xffff),
        converted(scale, second, 5, 9600),
        converted(scale, third, 5, 6),
      ],
      [8000, 11_723, 10_923, 12_523, 21_846].map((duration) => [start, duration]),
    );
  });

  it('begins anew with another key, and with another start', () => {
    const scale = new EventScale(48_000, 8000);
    converted(scale, 0, 5, 0xffff);
    converted(scale, 0xffff, 5, 600);
    assert.deepEqual(converted(scale, 2 * 0xffff, 6, 600), [2 * 0xffff, 100]);
    assert.deepEqual(converted(scale, 2 * 0xffff, 7, 600), [2 * 0xffff, 100]);
    assert.deepEqual(converted(scale, 500_000, 7, 600), [500_000, 100]);
  });

  it('leaves a payload that is shorter than a report', () => {
    const bytes = Uint8Array.of(5, 0, 200);
    new EventScale(48_000, 8000).convert(bytes, 0, 3);
    assert.deepEqual([...bytes], [5, 0, 200]);
  });
});
