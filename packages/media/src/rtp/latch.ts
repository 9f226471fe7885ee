import { sequenceDistance } from './serial-number.ts';

/** Options of a latch. */
export interface LatchOptions {
  /** Consecutive packets of one SSRC, in sequence, before a source is accepted; default 2 (RFC 3550 A.1). */
  readonly probation?: number;
  /** The same for an address and port outside SDP (a phone behind NAT); default 3. */
  readonly probationElsewhere?: number;
  /** Silence of the latched source before another port of its address may replace it; default 5,000 ms. */
  readonly silentMs?: number;
  /** How long other sources wait for the signalled one after arming; default 200 ms. */
  readonly preferSignalledMs?: number;
  /** Addresses of the operator that may be latched although signalling does not name them; default none. */
  readonly isAdmitted?: ((address: string) => boolean) | undefined;
}

/** The sources that signalling names for a leg. */
export interface SignalledSource {
  /** Address in SDP. */
  readonly address: string;
  readonly port: number;
  /** Source addresses of the signalling: the public address of a phone behind NAT. */
  readonly signalledFrom?: readonly string[];
}

/** Packets that a latch has dropped. */
export interface LatchCounters {
  /** Packets dropped during a probation. */
  probation: number;
  /** Packets dropped because another source is latched, for example those of an RTPbleed attack. */
  foreign: number;
  /** Number of times that a source was latched. */
  latched: number;
}

/** Decides which source's packets belong to a leg; time and addresses are arguments. */
export interface Latch {
  /**
   * True when the packet may be played and answered. `source` names address and port, for example `192.0.2.1:4000`;
   * equal sources have equal strings. `isProven` means that SRTP authenticated the packet with the leg's key, so that
   * its address does not matter.
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
   * Signalling named the expected source, first or again (re-INVITE, UPDATE). That source or another signalled address
   * may be latched again. The present source stays latched until then: its packets are accepted, but where another source is
   * named, they are answered no longer (RFC 3264 §8.3.1).
   */
  arm(signalled: SignalledSource, nowMs: number): void;
  /** Where to send: to the source that was latched or signalled last; undefined before both. */
  readonly source: string | undefined;
  /** False until a source has passed its probation. */
  readonly isLatched: boolean;
  readonly counters: LatchCounters;
  /** The state with which another latch continues; it begins probations anew. */
  save(): SavedLatch;
  restore(saved: SavedLatch): void;
}

/** The state of a latch, as plain data. */
export interface SavedLatch {
  readonly signalled: string | undefined;
  readonly expected: readonly string[];
  readonly armed: boolean;
  readonly armedAtMs: number;
  readonly source: string | undefined;
  readonly latched: string | undefined;
  readonly latchedAddress: string | undefined;
  readonly heardMs: number;
  readonly counters: LatchCounters;
}

/**
 * Creates a symmetric RTP latch. It accepts a source after a probation (continuous SSRC and sequence), and only from
 * SDP's address, the source of the signalling or an address that the operator admits. Once latched, it drops and counts
 * packets from other sources.
 * Three events move a latch: packets from the signalled address and port, packets from another port of the latched
 * address after `silentMs` of silence (a new NAT binding), and re-arming by signalling. Silence alone admits no other
 * address, so a phone that is muted, on hold or suppresses silence keeps its leg.
 */
export function createLatch(options: LatchOptions = {}): Latch {
  return new SymmetricLatch(options);
}

/**
 * Sources in probation at the same time, so that packets of a stranger in between do not interrupt the phone's
 * probation.
 */
const maxCandidates = 4;

/**
 * The latched source is answered again when it still sends this long after signalling has named another source, and signalling still
 * names its address: a phone with STUN behind a symmetric NAT names another port each time, and sends from the same one. Packets that
 * were under way do not count: a round trip over a satellite takes 600 ms.
 */
const underWayMs = 1000;

interface Candidate {
  source: string;
  ssrc: number;
  sequenceNumber: number;
  run: number;
  heardMs: number;
}

const admitsNone = (): boolean => false;

class SymmetricLatch implements Latch {
  counters: LatchCounters = { probation: 0, foreign: 0, latched: 0 };
  source: string | undefined;
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
  /** Empty before the first packet. */
  readonly #candidates: Candidate[] = [];

  constructor(options: LatchOptions) {
    this.#probation = options.probation ?? 2;
    this.#probationElsewhere = options.probationElsewhere ?? 3;
    this.#silentMs = options.silentMs ?? 5000;
    this.#preferSignalledMs = options.preferSignalledMs ?? 200;
    this.#isAdmitted = options.isAdmitted ?? admitsNone;
  }

  get isLatched(): boolean {
    return this.#latched !== undefined;
  }

  save(): SavedLatch {
    return {
      signalled: this.#signalled,
      expected: this.#expected,
      armed: this.#armed,
      armedAtMs: this.#armedAtMs,
      source: this.source,
      latched: this.#latched,
      latchedAddress: this.#latchedAddress,
      heardMs: this.#heardMs,
      counters: this.counters,
    };
  }

  restore(saved: SavedLatch): void {
    this.#signalled = saved.signalled;
    this.#expected = saved.expected;
    this.#armed = saved.armed;
    this.#armedAtMs = saved.armedAtMs;
    this.source = saved.source;
    this.#latched = saved.latched;
    this.#latchedAddress = saved.latchedAddress;
    this.#heardMs = saved.heardMs;
    this.counters = { ...saved.counters };
    this.#forgetCandidates();
  }

  arm({ address, port, signalledFrom = [] }: SignalledSource, nowMs: number): void {
    const signalled = `${address}:${port}`;
    const isSame = signalled === this.#signalled;
    this.#signalled = signalled;
    this.#expected = [address, ...signalledFrom].map(withoutMapping);
    if (isSame && this.source === signalled) return;
    if (!isSame) this.source = signalled;
    // Signalling names the source that is already latched: keep it.
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
      if (source !== this.source && this.#returns(nowMs)) this.source = source;
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
    this.source = source;
    this.#latched = source;
    this.#latchedAddress = withoutMapping(address);
    this.#heardMs = nowMs;
    this.#armed = false;
    this.#forgetCandidates();
    this.counters.latched++;
    return true;
  }

  #returns(nowMs: number): boolean {
    return nowMs - this.#armedAtMs >= underWayMs && this.#expected.includes(this.#latchedAddress!);
  }

  #mayTakeOver(source: string, address: string, nowMs: number, isProven: boolean): boolean {
    // If another source was faster than the phone, the source in SDP replaces it when it sends.
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
      // A lost packet does not break the sequence; a repeated or older one neither continues nor breaks it.
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

  /** The candidate of this source, else the candidate with the oldest packet. */
  #candidateFor(source: string): Candidate {
    let oldest: Candidate | undefined;
    for (const candidate of this.#candidates) {
      if (candidate.source === source) return candidate;
      if (oldest === undefined || candidate.heardMs < oldest.heardMs) oldest = candidate;
    }
    if (oldest !== undefined && this.#candidates.length === maxCandidates) return oldest;
    const added: Candidate = { source, ssrc: 0, sequenceNumber: 0, run: 0, heardMs: 0 };
    this.#candidates.push(added);
    return added;
  }

  #forgetCandidates(): void {
    this.#candidates.length = 0;
  }
}

/** RFC 4291 §2.5.5.2: a dual-stack socket reports an IPv4 sender by its IPv4-mapped IPv6 address. */
function withoutMapping(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
