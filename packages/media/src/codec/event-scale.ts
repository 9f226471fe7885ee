import { timestampDistance } from '../rtp/serial-number.ts';
import { telephoneEventBytes } from './telephone-event.ts';

/** Durations of reports have 16 bits; a longer event has several segments (RFC 4733 §2.5.1.3). */
const longestDuration = 0xffff;

/**
 * Converts the durations of relayed event reports to another clock (RFC 4733 §2.3). The segments of an event are joined: the start of
 * each follows the longest duration of the sender's clock, so a receiver with another clock would take each for a new key.
 */
export class EventScale {
  readonly #ratio: number;
  #event = -1;
  /** Timestamp of the present segment, and the units of the event before it. */
  #segment = 0;
  #before = 0;

  constructor(fromClockRate: number, toClockRate: number) {
    this.#ratio = toClockRate / fromClockRate;
  }

  /** Timestamp of the start of an event, from a packet of it. */
  startOf(timestamp: number, event: number): number {
    const step = timestampDistance(this.#segment, timestamp);
    const isSegment = event === this.#event && Math.abs(step) === longestDuration;
    if (isSegment) this.#before = Math.max(0, this.#before + step);
    else if (event !== this.#event || step !== 0) this.#before = 0;
    this.#event = event;
    this.#segment = timestamp;
    return (timestamp - this.#before) >>> 0;
  }

  /** Converts the reports of the packet of which `startOf` was called last, in place. */
  convert(bytes: Uint8Array, offset: number, length: number): void {
    let before = this.#before;
    for (let at = offset; at + telephoneEventBytes <= offset + length; at += telephoneEventBytes) {
      const duration = before + ((bytes[at + 2]! << 8) | bytes[at + 3]!);
      const converted = Math.min(longestDuration, Math.round(duration * this.#ratio));
      bytes[at + 2] = converted >>> 8;
      bytes[at + 3] = converted;
      before = 0;
    }
  }
}
