import { sequenceDistance } from './serial-number.ts';

/** Tunes a latch. */
export interface LatchOptions {
  /** Packets in a row, of one SSRC and without a step back or a jump, before a source is accepted; default 2 (RFC 3550 A.1). */
  readonly probation?: number;
  /** The same from an address and port that SDP does not name (a phone behind NAT); default 3. */
  readonly probationElsewhere?: number;
  /** The latched source must have been silent for this long before another port of its address may take over; default 5,000 ms. */
  readonly silentMs?: number;
  /** How long other sources wait for the signalled one to send first after arming; default 200 ms. */
  readonly preferSignalledMs?: number;
  /** Addresses of the operator from which a source may be latched although signalling names none of them; default none. */
  readonly isAdmitted?: (address: string) => boolean;
}

/** Where packets of a leg may come from, as its signalling says. */
export interface SignalledSource {
  /** Of SDP. */
  readonly address: string;
  readonly port: number;
  /** Addresses that the signalling itself came from: the public address of a phone behind NAT. */
  readonly signalledFrom?: readonly string[];
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
   * `192.0.2.1:4000`; equal sources have equal strings. `isProven`: the packet was authenticated with the leg's key (SRTP), which
   * shows its sender whatever its address.
   */
  accept(
    source: string,
    address: string,
    ssrc: number,
    sequenceNumber: number,
    nowMs: number,
    isProven?: boolean,
  ): boolean;
  /**
   * Signalling named the source to expect, or named it anew (re-INVITE, UPDATE): that one, or another of the addresses that it names,
   * may be latched again. The present source goes on until then.
   */
  arm(signalled: SignalledSource, nowMs: number): void;
  /** Where to send: the latched source, before that the signalled address, else undefined. */
  readonly source: string | undefined;
  /** False until some source has passed its probation. */
  readonly isLatched: boolean;
  readonly counters: LatchCounters;
}

/**
 * Creates a symmetric RTP latch. A source is accepted after a probation (SSRC and sequence continuity), and only from an address that
 * SDP names, that the signalling came from, or that the operator admits. Once latched, packets from elsewhere are dropped and counted.
 * Three things move a latch: packets from the signalled address and port, packets from another port of the latched address after
 * `silentMs` of silence (a NAT that bound anew), and signalling that re-arms it. Silence alone lets no other address in: a phone that
 * is muted, on hold or suppresses silence keeps its leg.
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
  readonly #isAdmitted: (address: string) => boolean;
  #signalled: string | undefined;
  #expected: readonly string[] = [];
  #armed = true;
  #armedAtMs = Number.NEGATIVE_INFINITY;
  #latched: string | undefined;
  #latchedAddress: string | undefined;
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
    this.#isAdmitted = options.isAdmitted ?? (() => false);
  }

  get source(): string | undefined {
    return this.#latched ?? this.#signalled;
  }

  get isLatched(): boolean {
    return this.#latched !== undefined;
  }

  arm({ address, port, signalledFrom = [] }: SignalledSource, nowMs: number): void {
    const signalled = `${address}:${port}`;
    const isSame = signalled === this.#signalled;
    this.#signalled = signalled;
    this.#expected = [address, ...signalledFrom].map(withoutMapping);
    if (isSame && this.#latchedAddress === undefined) return;
    // Where signalling names the source that is latched already, nothing is left to be decided.
    if (this.#latched === signalled || (isSame && this.#expected.includes(this.#latchedAddress!))) {
      this.#armed = false;
      return;
    }
    this.#armed = true;
    this.#armedAtMs = nowMs;
    this.#forgetCandidates();
  }

  accept(
    source: string,
    address: string,
    ssrc: number,
    sequenceNumber: number,
    nowMs: number,
    isProven = false,
  ): boolean {
    if (source === this.#latched) {
      this.#heardMs = nowMs;
      return true;
    }
    if (!this.#mayTakeOver(source, address, nowMs, isProven)) {
      this.counters.foreign++;
      return false;
    }
    if (!this.#passesProbation(source, ssrc, sequenceNumber, nowMs)) {
      this.counters.probation++;
      return false;
    }
    this.#latched = source;
    this.#latchedAddress = withoutMapping(address);
    this.#heardMs = nowMs;
    this.#armed = false;
    this.#forgetCandidates();
    this.counters.latched++;
    return true;
  }

  #mayTakeOver(source: string, address: string, nowMs: number, isProven: boolean): boolean {
    // Where another source was quicker than a slow phone, the one that SDP names gets its leg back when it sends.
    if (source === this.#signalled) return true;
    const plain = withoutMapping(address);
    if (this.#armed) return isProven || this.#expected.includes(plain) || this.#isAdmitted(plain);
    return nowMs - this.#heardMs >= this.#silentMs && (isProven || plain === this.#latchedAddress);
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
    if (isSignalled) return true;
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

/** RFC 4291 §2.5.5.2: a socket of both families names an IPv4 sender by its IPv6-mapped address. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
