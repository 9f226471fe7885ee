import { createSrtpTransform } from './create-srtp-transform.ts';
import { PacketIndexes, type SavedIndexes } from './packet-index.ts';
import { readWord, rtpPayloadOffset } from './srtp-bytes.ts';
import { type SrtpCiphers, srtpPacketBytes } from './srtp-suite.ts';
import type { SrtpMaster, SrtpTransform } from './srtp-transform.ts';

/**
 * Streams of one key with packet indexes. Further streams are not sent, because a forgotten stream would restart its
 * index.
 */
const mostStreams = 256;

/** Encrypts and authenticates the packets of one side. */
export interface SrtpSender {
  /**
   * Protects the RTP packet in the first `length` bytes in place and returns its new length, up to 16 bytes more.
   * Returns −1 when it does not fit, is not RTP, or its number was sent before: no key stream is ever used twice (RFC
   * 3711 §9.1), whatever streams come between.
   */
  protect(packet: Uint8Array, length: number): number;
  /** The same for a compound RTCP packet, up to 20 bytes more. */
  protectReport(packet: Uint8Array, length: number): number;
  /** The state with which another sender of this key continues, so that no index is used twice. */
  save(): SavedSrtpSender;
  /** Frees the ciphers; nothing is protected afterwards. Safe to call twice. */
  close(): void;
}

/** The packet indexes of a sender by SSRC, as plain data. */
export interface SavedSrtpSender {
  readonly streams: readonly (readonly [ssrc: number, SavedIndexes])[];
  readonly reports: number;
}

/** Creates the sender of one master key; rollover counters begin at zero (RFC 4568 §6.4), or where a saved sender was. */
export function createSrtpSender(
  ciphers: SrtpCiphers,
  master: SrtpMaster,
  saved?: SavedSrtpSender,
): SrtpSender {
  return new Sender(ciphers, master, saved);
}

class Sender implements SrtpSender {
  readonly #transform: SrtpTransform;
  #isOpen = true;
  #ssrc = -1;
  #indexes: PacketIndexes | undefined;
  readonly #streams = new Map<number, PacketIndexes>();
  #reports: number;

  constructor(ciphers: SrtpCiphers, master: SrtpMaster, saved: SavedSrtpSender | undefined) {
    this.#transform = createSrtpTransform(ciphers, master);
    for (const [ssrc, indexes] of saved?.streams ?? []) this.#streams.set(ssrc, new PacketIndexes(indexes));
    this.#reports = saved?.reports ?? 0;
  }

  save(): SavedSrtpSender {
    const streams = [...this.#streams].map(([ssrc, indexes]) => [ssrc, indexes.save()] as const);
    return { streams, reports: this.#reports };
  }

  protect(packet: Uint8Array, length: number): number {
    const start = rtpPayloadOffset(packet, length);
    const end = length + this.#transform.tagBytes;
    if (!this.#isOpen || start < 0 || end > Math.min(packet.length, srtpPacketBytes)) return -1;
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
    this.#transform.seal(packet, start, length, ssrc, index);
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
    const end = length + this.#transform.reportBytes;
    if (!this.#isOpen || length < 8 || end > Math.min(packet.length, srtpPacketBytes)) return -1;
    this.#reports = (this.#reports + 1) % 0x8000_0000;
    this.#transform.sealReport(packet, length, readWord(packet, 4), this.#reports);
    return end;
  }

  close(): void {
    this.#isOpen = false;
    this.#transform.close();
  }
}
