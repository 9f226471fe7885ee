import { ADDRESS_BYTES, AF_INET } from './socket-address.ts';
import type { SystemCalls } from './system-calls.ts';

/* Linux, 64 bits, little-endian: mmsghdr, iovec and sockaddr_in as in packet-batch.ts, without control messages. */
const MESSAGE_BYTES = 64;
const VECTOR_BYTES = 16;
const PACKET_BYTES = 2048;

/** Packets that leave in one system call. */
const mostWaiting = 64;

/** Packets that wait for one sendmmsg: message headers, their vectors, targets and bytes in one block of memory. */
export class OutgoingBatch {
  #waiting = 0;
  readonly #view: DataView;
  readonly #bytes: Buffer;
  readonly #address: bigint;
  readonly #vectors: number;
  readonly #addresses: number;
  readonly #packets: number;
  readonly #calls: Pick<SystemCalls, 'sendmmsg'>;

  constructor(calls: Pick<SystemCalls, 'allocate' | 'sendmmsg'>) {
    this.#calls = calls;
    this.#vectors = mostWaiting * MESSAGE_BYTES;
    this.#addresses = this.#vectors + mostWaiting * VECTOR_BYTES;
    this.#packets = this.#addresses + mostWaiting * ADDRESS_BYTES;
    const { view, address } = calls.allocate(this.#packets + mostWaiting * PACKET_BYTES);
    for (let at = 0; at < this.#packets; at++) view.setUint8(at, 0);
    for (let m = 0; m < mostWaiting; m++) {
      const message = m * MESSAGE_BYTES;
      const vector = this.#vectors + m * VECTOR_BYTES;
      const target = this.#addresses + m * ADDRESS_BYTES;
      view.setBigUint64(message, address + BigInt(target), true);
      view.setUint32(message + 8, ADDRESS_BYTES, true);
      view.setBigUint64(message + 16, address + BigInt(vector), true);
      view.setBigUint64(message + 24, 1n, true);
      view.setBigUint64(vector, address + BigInt(this.#packets + m * PACKET_BYTES), true);
      view.setUint16(target, AF_INET, true);
    }
    this.#view = view;
    this.#bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
    this.#address = address;
  }

  get isFull(): boolean {
    return this.#waiting === mostWaiting;
  }

  /** `ip` is the IPv4 address as a number. The batch must not be full; a packet that is too long is left out. */
  add(bytes: Uint8Array, length: number, ip: number, port: number): void {
    if (length > PACKET_BYTES) return;
    const packet = this.#packets + this.#waiting * PACKET_BYTES;
    for (let i = 0; i < length; i++) this.#bytes[packet + i] = bytes[i]!;
    this.#complete(length, ip, port);
  }

  /** The same for a byte string; false when it is too long. */
  addText(text: string, ip: number, port: number): boolean {
    if (text.length > PACKET_BYTES) return false;
    this.#bytes.write(text, this.#packets + this.#waiting * PACKET_BYTES, 'latin1');
    this.#complete(text.length, ip, port);
    return true;
  }

  /** Sends the waiting packets; returns the number of packets that the system refused. `refuse` gets the index of each. */
  flush(fd: number, flags: number, refuse?: (index: number) => void): number {
    let refused = 0;
    let done = 0;
    const waiting = this.#waiting;
    this.#waiting = 0;
    while (done < waiting) {
      const from = this.#address + BigInt(done * MESSAGE_BYTES);
      const sent = this.#calls.sendmmsg(fd, from, waiting - done, flags);
      if (sent > 0) done += sent;
      else {
        // The first packet failed, for example because its network is down; the others may succeed.
        refuse?.(done);
        refused++;
        done++;
      }
    }
    return refused;
  }

  /** Adds the packet whose bytes are written. */
  #complete(length: number, ip: number, port: number): void {
    const m = this.#waiting++;
    // The upper half of the length stays 0.
    this.#view.setUint32(this.#vectors + m * VECTOR_BYTES + 8, length, true);
    const target = this.#addresses + m * ADDRESS_BYTES;
    this.#view.setUint16(target + 2, port);
    this.#view.setUint32(target + 4, ip);
  }
}
