import type { RtpHeader } from '../rtp/rtp-packet.ts';
import { sequenceDistance, timestampDistance } from '../rtp/serial-number.ts';

/** How a packet relates to the current stream. */
export const continuity = {
  /** A packet of the same stream. */
  same: 0,
  /** The first packet of a new stream: another SSRC, or a restart of the sender. */
  fresh: 1,
  /** Neither, and not confirmed by a second packet. */
  stray: 2,
} as const;

/** After this much silence, a sender may return with any timestamp. */
const forgottenMs = 1000;
/** Audio this far from its expected time belongs to another clock. */
const implausibleMs = 2000;
/** One packet of another SSRC suffices when the present one has been silent for three packets of 20 ms. */
const replacedMs = 60;
/** RFC 3550 A.1: MAX_DROPOUT and MAX_MISORDER. */
const maxDropout = 3000;
const maxMisorder = 100;

/**
 * Distinguishes a restarted stream from a stray packet, as in RFC 3550 A.1: a jump of SSRC, sequence number or
 * timestamp is valid if the next packet continues it.
 */
export class StreamContinuity {
  #ssrc = 0;
  #started = false;
  #lastArrivalMs = 0;
  #straySsrc = -1;
  #straySequence = -1;
  #strayTimestamp = 0;
  readonly #clockRate: number;

  constructor(clockRate: number) {
    this.#clockRate = clockRate;
  }

  reset(): void {
    this.#started = false;
  }

  /** `ahead` and `deviationMs` are the distances from the expected sequence number and arrival. */
  judge(header: RtpHeader, isAudio: boolean, ahead: number, deviationMs: number, arrivalMs: number): number {
    // Only audio shows the clock: events keep the timestamp of their start (RFC 4733 §2.2.1).
    if (!this.#started) return isAudio ? this.#follow(header, arrivalMs) : continuity.stray;
    const idleMs = arrivalMs - this.#lastArrivalMs;
    if (header.ssrc !== this.#ssrc) {
      if (isAudio && idleMs >= replacedMs) return this.#follow(header, arrivalMs);
      return this.#probation(header, isAudio, arrivalMs);
    }
    const jumps =
      ahead > maxDropout ||
      ahead < -maxMisorder ||
      (isAudio && (deviationMs > implausibleMs || deviationMs < -implausibleMs));
    if (jumps) {
      if (isAudio && idleMs >= forgottenMs) return this.#follow(header, arrivalMs);
      return this.#probation(header, isAudio, arrivalMs);
    }
    this.#lastArrivalMs = arrivalMs;
    return continuity.same;
  }

  #probation(header: RtpHeader, isAudio: boolean, arrivalMs: number): number {
    if (!isAudio) return continuity.stray;
    const continues =
      header.ssrc === this.#straySsrc &&
      sequenceDistance(this.#straySequence, header.sequenceNumber) === 1 &&
      Math.abs(timestampDistance(this.#strayTimestamp, header.timestamp)) < this.#clockRate;
    if (continues) return this.#follow(header, arrivalMs);
    this.#straySsrc = header.ssrc;
    this.#straySequence = header.sequenceNumber;
    this.#strayTimestamp = header.timestamp;
    return continuity.stray;
  }

  #follow(header: RtpHeader, arrivalMs: number): number {
    this.#started = true;
    this.#ssrc = header.ssrc;
    this.#straySsrc = -1;
    this.#lastArrivalMs = arrivalMs;
    return continuity.fresh;
  }
}
