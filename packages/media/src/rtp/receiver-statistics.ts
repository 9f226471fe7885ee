import type { ReportBlock } from './rtcp.ts';
import { sequenceDistance } from './serial-number.ts';

/** Statistics of one received RTP stream (RFC 3550 §6.4.1, A.1, A.3, A.8). */
export interface ReceiverStatistics {
  /** Counts a packet; `arrivalMs` is its arrival on a monotonic clock. */
  receive(ssrc: number, sequenceNumber: number, timestamp: number, arrivalMs: number): void;
  /** Stores the last sender report, for LSR and DLSR. */
  senderReport(ntpSeconds: number, ntpFraction: number, arrivalMs: number): void;
  /**
   * Fills the report block to be sent now; the fraction lost covers the time since the last call. False before any
   * packet.
   */
  report(nowMs: number, into: ReportBlock): boolean;
  readonly ssrc: number;
  readonly received: number;
  /** Expected minus received (RFC 3550 A.3); negative when there are duplicates. */
  readonly lost: number;
  /** Interarrival jitter in milliseconds (RFC 3550 A.8). */
  readonly jitterMs: number;
  readonly extendedHighestSequenceNumber: number;
  /** The state with which other statistics continue. */
  save(): SavedStatistics;
}

/** The state of receiver statistics, as plain data. */
export interface SavedStatistics {
  readonly ssrc: number;
  readonly received: number;
  readonly baseSequence: number;
  readonly maxSequence: number;
  readonly cycles: number;
  readonly badSequence: number;
  readonly expectedPrior: number;
  readonly receivedPrior: number;
  readonly lastTimestamp: number;
  readonly lastArrivalMs: number;
  /** In units of the RTP clock. */
  readonly jitter: number;
  readonly lastSenderReport: number;
  readonly senderReportMs: number;
}

/** RFC 3550 A.1. */
const maxDropout = 3000;
const maxMisorder = 100;

/** Creates the statistics of one received stream, or continues saved ones; a new SSRC resets them. */
export function createReceiverStatistics(clockRate: number, saved?: SavedStatistics): ReceiverStatistics {
  const statistics = new Statistics(clockRate);
  if (saved !== undefined) statistics.restore(saved);
  return statistics;
}

class Statistics implements ReceiverStatistics {
  ssrc = -1;
  received = 0;
  readonly #clockRate: number;
  #baseSequence = 0;
  #maxSequence = 0;
  #cycles = 0;
  #badSequence = -1;
  #expectedPrior = 0;
  #receivedPrior = 0;
  #lastTimestamp = 0;
  #lastArrivalMs = 0;
  #jitter = 0;
  #lastSenderReport = 0;
  #senderReportMs = 0;

  constructor(clockRate: number) {
    this.#clockRate = clockRate;
  }

  save(): SavedStatistics {
    return {
      ssrc: this.ssrc,
      received: this.received,
      baseSequence: this.#baseSequence,
      maxSequence: this.#maxSequence,
      cycles: this.#cycles,
      badSequence: this.#badSequence,
      expectedPrior: this.#expectedPrior,
      receivedPrior: this.#receivedPrior,
      lastTimestamp: this.#lastTimestamp,
      lastArrivalMs: this.#lastArrivalMs,
      jitter: this.#jitter,
      lastSenderReport: this.#lastSenderReport,
      senderReportMs: this.#senderReportMs,
    };
  }

  restore(saved: SavedStatistics): void {
    this.ssrc = saved.ssrc;
    this.received = saved.received;
    this.#baseSequence = saved.baseSequence;
    this.#maxSequence = saved.maxSequence;
    this.#cycles = saved.cycles;
    this.#badSequence = saved.badSequence;
    this.#expectedPrior = saved.expectedPrior;
    this.#receivedPrior = saved.receivedPrior;
    this.#lastTimestamp = saved.lastTimestamp;
    this.#lastArrivalMs = saved.lastArrivalMs;
    this.#jitter = saved.jitter;
    this.#lastSenderReport = saved.lastSenderReport;
    this.#senderReportMs = saved.senderReportMs;
  }

  get lost(): number {
    return this.received === 0 ? 0 : this.#expected() - this.received;
  }

  get jitterMs(): number {
    return (this.#jitter * 1000) / this.#clockRate;
  }

  get extendedHighestSequenceNumber(): number {
    return this.#cycles + this.#maxSequence;
  }

  receive(ssrc: number, sequenceNumber: number, timestamp: number, arrivalMs: number): void {
    if (ssrc !== this.ssrc) {
      this.ssrc = ssrc;
      this.#start(sequenceNumber);
      this.#jitter = 0;
      this.#lastSenderReport = 0;
    } else if (!this.#follow(sequenceNumber)) return;
    // A restarted sender has a new clock: its first packet has no predecessor.
    else if (this.received > 0) {
      // RFC 3550 A.8: a difference of differences, so neither clock needs an origin.
      const units = ((arrivalMs - this.#lastArrivalMs) * this.#clockRate) / 1000;
      const difference = Math.abs(units - ((timestamp - this.#lastTimestamp) | 0));
      // A jump of more than 10 s is a restart of the sender's clock, not jitter.
      if (difference < this.#clockRate * 10) this.#jitter += (difference - this.#jitter) / 16;
    }
    this.received++;
    this.#lastTimestamp = timestamp;
    this.#lastArrivalMs = arrivalMs;
  }

  senderReport(ntpSeconds: number, ntpFraction: number, arrivalMs: number): void {
    this.#lastSenderReport = middleOfNtp(ntpSeconds, ntpFraction);
    this.#senderReportMs = arrivalMs;
  }

  report(nowMs: number, into: ReportBlock): boolean {
    if (this.received === 0) return false;
    const expected = this.#expected();
    const expectedInterval = expected - this.#expectedPrior;
    const lostInterval = expectedInterval - (this.received - this.#receivedPrior);
    this.#expectedPrior = expected;
    this.#receivedPrior = this.received;
    into.ssrc = this.ssrc;
    into.fractionLost =
      expectedInterval <= 0 || lostInterval <= 0
        ? 0
        : Math.min(255, Math.floor((lostInterval * 256) / expectedInterval));
    // RFC 3550 A.3: 24 bits, signed, clamped rather than wrapped.
    into.cumulativeLost = Math.max(-0x800000, Math.min(0x7fffff, this.lost));
    into.extendedHighestSequenceNumber = this.extendedHighestSequenceNumber >>> 0;
    into.jitter = Math.floor(this.#jitter);
    into.lastSenderReport = this.#lastSenderReport;
    into.delaySinceLastSenderReport =
      this.#lastSenderReport === 0 ? 0 : Math.round(((nowMs - this.#senderReportMs) * 65536) / 1000) >>> 0;
    return true;
  }

  #start(sequenceNumber: number): void {
    this.#baseSequence = sequenceNumber;
    this.#maxSequence = sequenceNumber;
    this.#cycles = 0;
    this.#badSequence = -1;
    this.received = 0;
    this.#expectedPrior = 0;
    this.#receivedPrior = 0;
  }

  #follow(sequenceNumber: number): boolean {
    const step = sequenceDistance(this.#maxSequence, sequenceNumber);
    if (step > 0 && step < maxDropout) {
      if (sequenceNumber < this.#maxSequence) this.#cycles += 0x10000;
      this.#maxSequence = sequenceNumber;
      this.#badSequence = -1;
      return true;
    }
    if (step <= 0 && step > -maxMisorder) return true;
    // RFC 3550 A.1: two consecutive packets after a large jump show an unannounced restart of the sender.
    if (sequenceNumber === this.#badSequence) {
      this.#start(sequenceNumber);
      this.#jitter = 0;
      return true;
    }
    this.#badSequence = (sequenceNumber + 1) & 0xffff;
    return false;
  }

  #expected(): number {
    return this.extendedHighestSequenceNumber - this.#baseSequence + 1;
  }
}

/** The middle 32 bits of an NTP time, the format of LSR (RFC 3550 §6.4.1). */
export function middleOfNtp(ntpSeconds: number, ntpFraction: number): number {
  return (((ntpSeconds & 0xffff) << 16) | (ntpFraction >>> 16)) >>> 0;
}

/**
 * Round-trip time in milliseconds from a returned report block: A − LSR − DLSR (RFC 3550 §6.4.1). Undefined when the
 * block names no sender report, or when clock errors make it negative.
 */
export function roundTripMs(block: ReportBlock, nowNtpMiddle: number): number | undefined {
  if (block.lastSenderReport === 0) return undefined;
  const units = (nowNtpMiddle - block.lastSenderReport - block.delaySinceLastSenderReport) | 0;
  return units < 0 ? undefined : (units * 1000) / 65536;
}
