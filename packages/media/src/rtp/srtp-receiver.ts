import { PacketIndexes } from './packet-index.ts';
import { deriveSession, type SrtpMaster, type SrtpSession } from './srtp-keys.ts';
import { srtpPacketBytes } from './srtp-keystream.ts';
import { readWord, rtpPayloadOffset, writeWord } from './srtp-sender.ts';
import { type SrtpCiphers, srtcpTagBytes, srtpSuites } from './srtp-suite.ts';

/** Checks and decrypts what the other side sends. */
export interface SrtpReceiver {
  /**
   * Writes the RTP packet that was protected to the start of `out` and returns its length; −1 for one that is wrong or was taken before. `out`
   * needs four bytes more than the packet, and is overwritten in either case.
   */
  unprotect(bytes: Uint8Array, length: number, out: Uint8Array): number;
  /** The same for a compound RTCP packet. */
  unprotectReport(bytes: Uint8Array, length: number, out: Uint8Array): number;
}

/** What a receiver has dropped. */
export interface SrtpCounters {
  /** Packets whose tag is wrong: of another key, changed on their way, or never protected. */
  unauthenticated: number;
  /** Packets that were taken before, or are too old to know. */
  replayed: number;
}

/** Streams that a receiver follows at a time; with one more, the one that was begun first is forgotten. */
const mostStreams = 16;

/** A stream whose first packet bears a lower number than this may have rolled over before it reached us. */
const earlyNumbers = 0x1000;

/** Nothing was dropped yet. */
export function createSrtpCounters(): SrtpCounters {
  return { unauthenticated: 0, replayed: 0 };
}

/**
 * Creates the receiver of one master key; what it drops is counted in `counters`. `before` is the receiver that held until now: its packets
 * may still be on their way, and are taken until the first one of the new key has come.
 */
export function createSrtpReceiver(
  ciphers: SrtpCiphers,
  master: SrtpMaster,
  counters: SrtpCounters,
  before?: SrtpReceiver,
): SrtpReceiver {
  return new Receiver(ciphers, master, counters, before instanceof Receiver ? before : undefined);
}

/** Makes a receiver hold again that held before `before`, with all that it has taken: nothing is taken twice under a key that comes back. */
export function resumeSrtpReceiver(receiver: SrtpReceiver, before: SrtpReceiver): void {
  if (receiver instanceof Receiver && before instanceof Receiver) receiver.follow(before);
}

interface Stream {
  readonly ssrc: number;
  readonly indexes: PacketIndexes;
}

class Receiver implements SrtpReceiver {
  readonly #counters: SrtpCounters;
  readonly #rtp: SrtpSession;
  readonly #rtcp: SrtpSession;
  readonly #tagBytes: number;
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
    this.#rtp = deriveSession(ciphers, master, 'rtp');
    this.#rtcp = deriveSession(ciphers, master, 'rtcp');
    this.#tagBytes = srtpSuites[master.suite].tagBytes;
    if (before !== undefined) this.follow(before);
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

  #counted(taken: number): number {
    if (taken === replayed) this.#counters.replayed++;
    else if (taken < 0) this.#counters.unauthenticated++;
    return taken < 0 ? -1 : taken;
  }

  #open(bytes: Uint8Array, length: number, out: Uint8Array): number {
    const size = length - this.#tagBytes;
    if (length > Math.min(bytes.length, srtpPacketBytes) || size + 4 > out.length) return forged;
    const start = rtpPayloadOffset(bytes, size);
    if (start < 0) return forged;
    const ssrc = readWord(bytes, 8);
    const sequenceNumber = (bytes[2]! << 8) | bytes[3]!;
    const stream = find(this.#streams, ssrc);
    const indexes = stream?.indexes ?? new PacketIndexes();
    let index = indexes.estimate(sequenceNumber);
    // RFC 3711 §3.3: first the replay list, which costs nothing, then the tag; only what passes both changes anything.
    if (!indexes.isNew(index)) return replayed;
    copy(bytes, size, out);
    if (!this.#isAuthentic(bytes, size, index, out)) {
      index = stream === undefined ? this.#otherIndex(bytes, size, ssrc, sequenceNumber, out) : -1;
      if (index < 0) return this.#before === undefined ? forged : this.#before.#open(bytes, length, out);
    }
    this.#before = undefined;
    indexes.take(index);
    if (stream === undefined) keep(this.#streams, { ssrc, indexes });
    this.#rtp.keystream.apply(ssrc, index, out, start, size);
    return size;
  }

  #isAuthentic(bytes: Uint8Array, size: number, index: number, out: Uint8Array): boolean {
    writeWord(out, size, Math.floor(index / 0x10000));
    return isSameTag(this.#rtp.authenticate(out.subarray(0, size + 4)), bytes, size, this.#tagBytes);
  }

  /**
   * RFC 4568 §6.4 begins a new key with rollover counter zero. A stream that wrapped before its first packet reached us is at one, and a sender
   * that goes on counting through a change of keys, as RFC 3711 §3.3.1 would have it, where it was.
   */
  #otherIndex(
    bytes: Uint8Array,
    size: number,
    ssrc: number,
    sequenceNumber: number,
    out: Uint8Array,
  ): number {
    const earlier = this.#before && find(this.#before.#streams, ssrc)?.indexes.estimate(sequenceNumber);
    if (earlier !== undefined && earlier >= 0x10000 && this.#isAuthentic(bytes, size, earlier, out)) {
      return earlier;
    }
    const wrapped = 0x10000 + sequenceNumber;
    return sequenceNumber < earlyNumbers && this.#isAuthentic(bytes, size, wrapped, out) ? wrapped : -1;
  }

  #openReport(bytes: Uint8Array, length: number, out: Uint8Array): number {
    const signed = length - srtcpTagBytes;
    const size = signed - 4;
    if (size < 8 || length > Math.min(bytes.length, srtpPacketBytes) || signed > out.length) return forged;
    const ssrc = readWord(bytes, 4);
    const word = readWord(bytes, size);
    const index = word % 0x8000_0000;
    const stream = find(this.#reports, ssrc);
    const indexes = stream?.indexes ?? new PacketIndexes();
    const isNew = indexes.isNew(index);
    copy(bytes, signed, out);
    if (!isSameTag(this.#rtcp.authenticate(out.subarray(0, signed)), bytes, signed, srtcpTagBytes)) {
      return this.#before === undefined ? forged : this.#before.#openReport(bytes, length, out);
    }
    if (!isNew) return replayed;
    indexes.take(index);
    if (stream === undefined) keep(this.#reports, { ssrc, indexes });
    // §3.4: without the E bit the report is signed and not encrypted.
    if (word >= 0x8000_0000) this.#rtcp.keystream.apply(ssrc, index, out, 8, size);
    return size;
  }
}

const forged = -1;
const replayed = -2;

function find(streams: readonly Stream[], ssrc: number): Stream | undefined {
  for (let i = 0; i < streams.length; i++) if (streams[i]!.ssrc === ssrc) return streams[i];
  return undefined;
}

function keep(streams: Stream[], stream: Stream): void {
  if (streams.length === mostStreams) streams.shift();
  streams.push(stream);
}

function copy(bytes: Uint8Array, count: number, out: Uint8Array): void {
  for (let i = 0; i < count; i++) out[i] = bytes[i]!;
}

/** Whether the first `count` bytes of a tag are those at `at`; takes as long wherever they differ. */
function isSameTag(tag: Uint8Array, bytes: Uint8Array, at: number, count: number): boolean {
  let difference = 0;
  for (let i = 0; i < count; i++) difference |= tag[i]! ^ bytes[at + i]!;
  return difference === 0;
}
