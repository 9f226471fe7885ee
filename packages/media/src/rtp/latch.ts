import { sequenceDistance } from './serial-number.ts';

/** Tunes a latch. */
export interface LatchOptions {
  /** Packets in a row, of one SSRC and without a step back or a jump, before a source is accepted; default 2 (RFC 3550 A.1). */
  readonly probation?: number;
  /** The same from an address that signalling did not name (a phone behind NAT); default 3. */
  readonly probationElsewhere?: number;
  /** The latched source must have been silent for this long before another one may take over; default 5,000 ms. */
  readonly silentMs?: number;
  /** How long other sources wait for the signalled one to speak first after arming; default 200 ms. */
  readonly preferSignalledMs?: number;
}

/** What a latch has turned away. */
export interface LatchCounters {
  /** Packets dropped during a probation. */
  probation: number;
  /** Packets dropped because another source is latched: what RTPbleed would have heard or injected. */
  foreign: number;
  /** How often a source was latched. */
  latched: number;
}

/** Decides which sender's packets belong to a leg; time and addresses are arguments. */
export interface Latch {
  /**
   * True when the packet may be played and answered. `source` names the sender's address and port, e.g.
   * `192.0.2.1:4000`; equal sources have equal strings.
   */
  accept(source: string, ssrc: number, sequenceNumber: number, nowMs: number): boolean;
  /**
   * Signalling named the address to expect, or named it anew (re-INVITE, UPDATE): any source may be latched again, the
   * named one before others. The present source goes on until then.
   */
  arm(signalled: string | undefined, nowMs: number): void;
  /** Where to send: the latched source, before that the signalled address, else undefined. */
  readonly source: string | undefined;
  /** False until some source has passed its probation. */
  readonly isLatched: boolean;
  readonly counters: LatchCounters;
}

/**
 * Creates a symmetric RTP latch. A source is accepted after a probation (SSRC and sequence continuity); once latched,
 * packets from elsewhere are dropped and counted, unless they come from the signalled address, the latched source has been
 * silent for `silentMs`, or signalling re-arms it. A port scan or a single forged packet therefore never redirects or joins a stream.
 */
export function createLatch(options: LatchOptions = {}): Latch {
  return new SymmetricLatch(options);
}

/** Sources whose probation is followed at once, so that a stranger cannot keep the phone out by talking in between. */
const maxCandidates = 4;

class SymmetricLatch implements Latch {
  readonly counters: LatchCounters = { probation: 0, foreign: 0, latched: 0 };
  readonly #probation: number;
  readonly #probationElsewhere: number;
  readonly #silentMs: number;
  readonly #preferSignalledMs: number;
  #signalled: string | undefined;
  #armed = true;
  #armedAtMs = Number.NEGATIVE_INFINITY;
  #latched: string | undefined;
  #heardMs = 0;
  readonly #candidates = Array.from({ length: maxCandidates }, () => ({
    source: '',
    ssrc: 0,
    sequenceNumber: 0,
    run: 0,
    heardMs: Number.NEGATIVE_INFINITY,
  }));

  constructor(options: LatchOptions) {
    this.#probation = options.probation ?? 2;
    this.#probationElsewhere = options.probationElsewhere ?? 3;
    this.#silentMs = options.silentMs ?? 5000;
    this.#preferSignalledMs = options.preferSignalledMs ?? 200;
  }

  get source(): string | undefined {
    return this.#latched ?? this.#signalled;
  }

  get isLatched(): boolean {
    return this.#latched !== undefined;
  }

  arm(signalled: string | undefined, nowMs: number): void {
    this.#signalled = signalled;
    this.#armed = true;
    this.#armedAtMs = nowMs;
    this.#forgetCandidates();
    // Where signalling names the source that is latched already, nothing is left to be decided.
    if (this.#latched !== undefined && this.#latched === signalled) this.#armed = false;
  }

  accept(source: string, ssrc: number, sequenceNumber: number, nowMs: number): boolean {
    if (source === this.#latched) {
      this.#heardMs = nowMs;
      return true;
    }
    // Where a stranger was quicker than a slow phone, the one that signalling named gets its place when it speaks.
    const mayTakeOver =
      this.#latched === undefined ||
      this.#armed ||
      source === this.#signalled ||
      nowMs - this.#heardMs >= this.#silentMs;
    if (!mayTakeOver) {
      this.counters.foreign++;
      return false;
    }
    if (!this.#passesProbation(source, ssrc, sequenceNumber, nowMs)) {
      this.counters.probation++;
      return false;
    }
    this.#latched = source;
    this.#heardMs = nowMs;
    this.#armed = false;
    this.#forgetCandidates();
    this.counters.latched++;
    return true;
  }

  #passesProbation(source: string, ssrc: number, sequenceNumber: number, nowMs: number): boolean {
    const isSignalled = source === this.#signalled;
    const candidate = this.#candidateFor(source);
    if (source === candidate.source && ssrc === candidate.ssrc && candidate.run > 0) {
      const step = sequenceDistance(candidate.sequenceNumber, sequenceNumber);
      // A lost packet is no break; a repeated or older one proves nothing and ends nothing.
      if (step <= 0 && step > -16) return false;
      candidate.run = step <= 16 && step > 0 ? candidate.run + 1 : 1;
    } else {
      candidate.source = source;
      candidate.ssrc = ssrc;
      candidate.run = 1;
    }
    candidate.sequenceNumber = sequenceNumber;
    candidate.heardMs = nowMs;
    if (candidate.run < (isSignalled ? this.#probation : this.#probationElsewhere)) return false;
    if (isSignalled || this.#signalled === undefined) return true;
    return nowMs - this.#armedAtMs >= this.#preferSignalledMs;
  }

  /** The place of this source, else that of the source which was heard longest ago. */
  #candidateFor(source: string) {
    let oldest = this.#candidates[0]!;
    for (const candidate of this.#candidates) {
      if (candidate.source === source) return candidate;
      if (candidate.heardMs < oldest.heardMs) oldest = candidate;
    }
    return oldest;
  }

  #forgetCandidates(): void {
    for (const candidate of this.#candidates) {
      candidate.source = '';
      candidate.run = 0;
      candidate.heardMs = Number.NEGATIVE_INFINITY;
    }
  }
}
