import { PacketIndexes } from './packet-index.ts';
import { deriveSession, type SrtpMaster, type SrtpSession } from './srtp-keys.ts';
import { srtpPacketBytes } from './srtp-keystream.ts';
import { type SrtpCiphers, srtcpTagBytes, srtpSuites } from './srtp-suite.ts';

/*
 * RFC 3711 §3.1, §3.4: the payload is encrypted, and all bytes before the tag are authenticated.
 *
 *   SRTP   | RTP header | payload, encrypted                    |               | tag of packet ‖ ROC |
 *   SRTCP  | 8 bytes    | the rest of the compound, encrypted   | E ‖ 31: index | tag                 |
 */

/**
 * Streams of one key with packet indexes. Further streams are not sent, because a forgotten stream would restart its
 * index.
 */
const mostStreams = 256;

/** Encrypts and authenticates the packets of one side. */
export interface SrtpSender {
  /**
   * Protects the RTP packet in the first `length` bytes in place and returns its new length, up to 10 bytes more.
   * Returns −1 when it does not fit, is not RTP, or its number was sent before: no key stream is ever used twice (RFC
   * 3711 §9.1), whatever streams come between.
   */
  protect(packet: Uint8Array, length: number): number;
  /** The same for a compound RTCP packet, up to 14 bytes more. */
  protectReport(packet: Uint8Array, length: number): number;
}

/** Creates the sender of one master key; rollover counters begin at zero (RFC 4568 §6.4). */
export function createSrtpSender(ciphers: SrtpCiphers, master: SrtpMaster): SrtpSender {
  return new Sender(ciphers, master);
}

class Sender implements SrtpSender {
  readonly #rtp: SrtpSession;
  readonly #rtcp: SrtpSession;
  readonly #tagBytes: number;
  #ssrc = -1;
  #indexes: PacketIndexes | undefined;
  readonly #streams = new Map<number, PacketIndexes>();
  #reports = 0;

  constructor(ciphers: SrtpCiphers, master: SrtpMaster) {
    this.#rtp = deriveSession(ciphers, master, 'rtp');
    this.#rtcp = deriveSession(ciphers, master, 'rtcp');
    this.#tagBytes = srtpSuites[master.suite].tagBytes;
  }

  protect(packet: Uint8Array, length: number): number {
    const start = rtpPayloadOffset(packet, length);
    const end = length + this.#tagBytes;
    if (start < 0 || end > Math.min(packet.length, srtpPacketBytes)) return -1;
    const ssrc = readWord(packet, 8);
    if (ssrc !== this.#ssrc) {
      this.#ssrc = ssrc;
      this.#indexes = this.#indexesOf(ssrc);
    }
    const indexes = this.#indexes;
    if (indexes === undefined) return -1;
    const index = indexes.estimate((packet[2]! << 8) | packet[3]!);
    if (!indexes.isNew(index)) return -1;
    indexes.take(index);
    this.#rtp.keystream.apply(ssrc, index, packet, start, length);
    // §4.2: the rollover counter is authenticated after the packet; the tag then overwrites it.
    writeWord(packet, length, Math.floor(index / 0x10000));
    const tag = this.#rtp.authenticate(packet.subarray(0, length + 4));
    for (let i = 0; i < this.#tagBytes; i++) packet[length + i] = tag[i]!;
    return end;
  }

  /** The packet index of a stream continues when the stream returns. */
  #indexesOf(ssrc: number): PacketIndexes | undefined {
    const known = this.#streams.get(ssrc);
    if (known !== undefined || this.#streams.size >= mostStreams) return known;
    const begun = new PacketIndexes();
    this.#streams.set(ssrc, begun);
    return begun;
  }

  protectReport(packet: Uint8Array, length: number): number {
    const end = length + 4 + srtcpTagBytes;
    if (length < 8 || end > Math.min(packet.length, srtpPacketBytes)) return -1;
    this.#reports = (this.#reports + 1) % 0x8000_0000;
    this.#rtcp.keystream.apply(readWord(packet, 4), this.#reports, packet, 8, length);
    writeWord(packet, length, (0x8000_0000 | this.#reports) >>> 0);
    const tag = this.#rtcp.authenticate(packet.subarray(0, length + 4));
    for (let i = 0; i < srtcpTagBytes; i++) packet[length + 4 + i] = tag[i]!;
    return end;
  }
}

/** Offset of the payload of an RTP packet, encrypted or not; −1 for other packets. */
export function rtpPayloadOffset(bytes: Uint8Array, length: number): number {
  if (length < 12 || bytes[0]! >> 6 !== 2) return -1;
  let offset = 12 + (bytes[0]! & 0x0f) * 4;
  if ((bytes[0]! & 0x10) !== 0) {
    if (offset + 4 > length) return -1;
    offset += 4 + ((bytes[offset + 2]! << 8) | bytes[offset + 3]!) * 4;
  }
  return offset > length ? -1 : offset;
}

/** A big-endian 32-bit number. */
export function readWord(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** Writes a big-endian 32-bit number. */
export function writeWord(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}
