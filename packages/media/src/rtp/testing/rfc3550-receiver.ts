/*
 * The receiver of RFC 3550 Appendix A, written from its C code with the names of its variables: slow, plain, and without any
 * code of the package. It has no probation of new sources (MIN_SEQUENTIAL 0), as a receiver behind a latch.
 */

const maxDropout = 3000;
const maxMisorder = 100;
const seqMod = 1 << 16;

/** The fields of a report block that Appendix A computes. */
export interface ReferenceReport {
  readonly fraction: number;
  readonly lost: number;
  readonly extendedMax: number;
  readonly jitter: number;
}

/** Statistics of one source (A.1, A.3, A.8). */
export class Rfc3550Receiver {
  maxSeq = 0;
  cycles = 0;
  baseSeq = 0;
  badSeq = seqMod + 1;
  received = 0;
  expectedPrior = 0;
  receivedPrior = 0;
  transit: number | undefined;
  jitter = 0;

  constructor(seq: number) {
    this.initSeq(seq);
  }

  /** A.1: init_seq. */
  initSeq(seq: number): void {
    this.baseSeq = seq;
    this.maxSeq = seq;
    this.badSeq = seqMod + 1;
    this.cycles = 0;
    this.received = 0;
    this.receivedPrior = 0;
    this.expectedPrior = 0;
  }

  /** A.1: update_seq; false for a packet that does not count. */
  updateSeq(seq: number): boolean {
    const udelta = (((seq - this.maxSeq) % seqMod) + seqMod) % seqMod;
    if (udelta < maxDropout) {
      if (seq < this.maxSeq) this.cycles += seqMod;
      this.maxSeq = seq;
    } else if (udelta <= seqMod - maxMisorder) {
      if (seq !== this.badSeq) {
        this.badSeq = (seq + 1) & (seqMod - 1);
        return false;
      }
      this.initSeq(seq);
      this.transit = undefined;
      this.jitter = 0;
    }
    this.received++;
    return true;
  }

  /** A.8, with arrivals in timestamp units and the difference of 32-bit timestamps. */
  updateJitter(timestamp: number, arrival: number): void {
    if (this.transit !== undefined) {
      const wraps = 2 ** 32;
      let d = arrival - timestamp - this.transit;
      // Transit times are modulo 2³²; the difference is the nearest to zero.
      d -= Math.round(d / wraps) * wraps;
      this.jitter += (1 / 16) * (Math.abs(d) - this.jitter);
    }
    this.transit = arrival - timestamp;
  }

  /** A.3: one report; the next one covers what follows. */
  report(): ReferenceReport {
    const extendedMax = this.cycles + this.maxSeq;
    const expected = extendedMax - this.baseSeq + 1;
    const lost = expected - this.received;
    const expectedInterval = expected - this.expectedPrior;
    this.expectedPrior = expected;
    const receivedInterval = this.received - this.receivedPrior;
    this.receivedPrior = this.received;
    const lostInterval = expectedInterval - receivedInterval;
    const fraction =
      expectedInterval === 0 || lostInterval <= 0 ? 0 : Math.floor((lostInterval * 256) / expectedInterval);
    return { fraction, lost, extendedMax, jitter: Math.floor(this.jitter) };
  }
}
