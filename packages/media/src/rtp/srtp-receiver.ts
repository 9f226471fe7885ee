import { createSrtpTransform } from './create-srtp-transform.ts';
import { PacketIndexes, type SavedIndexes } from './packet-index.ts';
import { readWord, rtpPayloadOffset } from './srtp-bytes.ts';
import { type SrtpCiphers, srtpPacketBytes } from './srtp-suite.ts';
import type { SrtpMaster, SrtpTransform } from './srtp-transform.ts';

/** Authenticates and decrypts the other side's packets. */
export interface SrtpReceiver {
  /**
   * Writes the decrypted RTP packet to `out` and returns its length; −1 for a packet that is not authentic or was
   * received before. `out` needs room for the packet with its tag and is overwritten in either case.
   */
  unprotect(bytes: Uint8Array, length: number, out: Uint8Array): number;
  /** The same for a compound RTCP packet. */
  unprotectReport(bytes: Uint8Array, length: number, out: Uint8Array): number;
  /** The receiver whose packets are accepted until the first one under this key. */
  readonly before: SrtpReceiver | undefined;
  /** The state with which another receiver of this key continues, so that no packet is accepted twice. */
  save(): SavedSrtpReceiver;
  /** Frees the ciphers; no packet is accepted afterwards. Safe to call twice. */
  close(): void;
}

type SavedStreams = readonly (readonly [ssrc: number, SavedIndexes])[];

/** The packet indexes of a receiver by SSRC, as plain data. */
export interface SavedSrtpReceiver {
  readonly streams: SavedStreams;
  readonly reports: SavedStreams;
}

/** Packets that a receiver has dropped. */
export interface SrtpCounters {
  /** Packets with a wrong tag: under another key, changed, or never protected. */
  unauthenticated: number;
  /** Packets that were received before, or are too old for the window. */
  replayed: number;
}

/** Streams followed at a time; one more replaces the oldest. */
const mostStreams = 16;

/** A stream whose first received number is below this may already have rolled over. */
const earlyNumbers = 0x1000;

/** Counters at zero. */
export function createSrtpCounters(): SrtpCounters {
  return { unauthenticated: 0, replayed: 0 };
}

/**
 * Creates the receiver of one master key; `counters` counts dropped packets. `before` is the previous receiver: packets
 * under its key are accepted until the first packet of the new key arrives.
 */
export function createSrtpReceiver(
  ciphers: SrtpCiphers,
  master: SrtpMaster,
  counters: SrtpCounters,
  before?: SrtpReceiver,
): SrtpReceiver {
  return new Receiver(ciphers, master, counters, before instanceof Receiver ? before : undefined);
}

/** Continues a saved receiver, with the packets that it has accepted. */
export function restoreSrtpReceiver(
  ciphers: SrtpCiphers,
  master: SrtpMaster,
  counters: SrtpCounters,
  saved: SavedSrtpReceiver,
): SrtpReceiver {
  const receiver = new Receiver(ciphers, master, counters, undefined);
  receiver.restore(saved);
  return receiver;
}

/**
 * Reactivates an earlier receiver after `before`, with its replay list, so that no packet is accepted twice under a
 * returning key.
 */
export function resumeSrtpReceiver(receiver: SrtpReceiver, before: SrtpReceiver): void {
  if (receiver instanceof Receiver && before instanceof Receiver) receiver.follow(before);
}

interface Stream {
  readonly ssrc: number;
  readonly indexes: PacketIndexes;
}

class Receiver implements SrtpReceiver {
  readonly #counters: SrtpCounters;
  readonly #transform: SrtpTransform;
  #isOpen = true;
  readonly #streams: Stream[] = [];
  readonly #reports: Stream[] = [];
  #before: Receiver | undefined;

  constructor(
    ciphers: SrtpCiphers,
    master: SrtpMaster,
    counters: SrtpCounters,
    before: Receiver | undefined,
  ) {
    this.#counters = counters;
    this.#transform = createSrtpTransform(ciphers, master);
    if (before !== undefined) this.follow(before);
  }

  get before(): SrtpReceiver | undefined {
    return this.#before;
  }

  save(): SavedSrtpReceiver {
    return { streams: saved(this.#streams), reports: saved(this.#reports) };
  }

  restore({ streams, reports }: SavedSrtpReceiver): void {
    for (const [ssrc, indexes] of streams) this.#streams.push({ ssrc, indexes: new PacketIndexes(indexes) });
    for (const [ssrc, indexes] of reports) this.#reports.push({ ssrc, indexes: new PacketIndexes(indexes) });
  }

  follow(before: Receiver): void {
    if (before === this) return;
    before.#before = undefined;
    this.#before = before;
  }

  unprotect(bytes: Uint8Array, length: number, out: Uint8Array): number {
    const taken = this.#open(bytes, length, out);
    return this.#counted(taken);
  }

  unprotectReport(bytes: Uint8Array, length: number, out: Uint8Array): number {
    const taken = this.#openReport(bytes, length, out);
    return this.#counted(taken);
  }

  close(): void {
    this.#isOpen = false;
    this.#before = undefined;
    this.#transform.close();
  }

  #counted(taken: number): number {
    if (taken === replayed) this.#counters.replayed++;
    else if (taken < 0) this.#counters.unauthenticated++;
    return taken < 0 ? -1 : taken;
  }

  #open(bytes: Uint8Array, length: number, out: Uint8Array): number {
    const size = length - this.#transform.tagBytes;
    if (!this.#isOpen || length > Math.min(bytes.length, srtpPacketBytes, out.length)) return forged;
    const start = rtpPayloadOffset(bytes, size);
    if (start < 0) return forged;
    const ssrc = readWord(bytes, 8);
    const sequenceNumber = (bytes[2]! << 8) | bytes[3]!;
    const stream = find(this.#streams, ssrc);
    const indexes = stream?.indexes ?? new PacketIndexes();
    let index = indexes.estimate(sequenceNumber);
    // RFC 3711 §3.3: first the replay list, which is cheap, then the tag. Only a packet that passes both changes state.
    if (!indexes.isNew(index)) return replayed;
    if (!this.#transform.open(bytes, start, size, ssrc, index, out)) {
      index = stream === undefined ? this.#otherIndex(bytes, start, size, ssrc, sequenceNumber, out) : -1;
      if (index < 0) return this.#before === undefined ? forged : this.#before.#open(bytes, length, out);
    }
    this.#before = undefined;
    indexes.take(index);
    if (stream === undefined) keep(this.#streams, { ssrc, indexes });
    return size;
  }

  /**
   * RFC 4568 §6.4: a new key begins with rollover counter 0. A stream that wrapped before its first packet arrived is
   * at 1. A sender that continues its counter through a change of keys (RFC 3711 §3.3.1) is at the earlier index.
   */
  #otherIndex(
    bytes: Uint8Array,
    start: number,
    size: number,
    ssrc: number,
    sequenceNumber: number,
    out: Uint8Array,
  ): number {
    const transform = this.#transform;
    const earlier = this.#before && find(this.#before.#streams, ssrc)?.indexes.estimate(sequenceNumber);
    if (earlier !== undefined && earlier >= 0x10000) {
      if (transform.open(bytes, start, size, ssrc, earlier, out)) return earlier;
    }
    const wrapped = 0x10000 + sequenceNumber;
    if (sequenceNumber >= earlyNumbers) return -1;
    return transform.open(bytes, start, size, ssrc, wrapped, out) ? wrapped : -1;
  }

  #openReport(bytes: Uint8Array, length: number, out: Uint8Array): number {
    const size = length - this.#transform.reportBytes;
    const longest = Math.min(bytes.length, srtpPacketBytes, out.length);
    if (!this.#isOpen || size < 8 || length > longest) return forged;
    const ssrc = readWord(bytes, 4);
    const word = this.#transform.reportWord(bytes, size);
    const index = word % 0x8000_0000;
    const stream = find(this.#reports, ssrc);
    const indexes = stream?.indexes ?? new PacketIndexes();
    const isNew = indexes.isNew(index);
    if (!this.#transform.openReport(bytes, size, ssrc, word, out)) {
      return this.#before === undefined ? forged : this.#before.#openReport(bytes, length, out);
    }
    if (!isNew) return replayed;
    indexes.take(index);
    if (stream === undefined) keep(this.#reports, { ssrc, indexes });
    return size;
  }
}

const forged = -1;
const replayed = -2;

function find(streams: readonly Stream[], ssrc: number): Stream | undefined {
  for (let i = 0; i < streams.length; i++) if (streams[i]!.ssrc === ssrc) return streams[i];
  return undefined;
}

function saved(streams: readonly Stream[]): SavedStreams {
  return streams.map(({ ssrc, indexes }) => [ssrc, indexes.save()] as const);
}

function keep(streams: Stream[], stream: Stream): void {
  if (streams.length === mostStreams) streams.shift();
  streams.push(stream);
}
