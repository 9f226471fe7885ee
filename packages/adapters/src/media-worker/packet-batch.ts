import { allocateBytes, receivedPacketBytes } from '@jackfield/media';
import type { SystemCalls } from './system-calls.ts';

/*
 * Linux, 64 bits, little-endian:
 *
 *   mmsghdr (64 bytes):  0 name*  8 namelen  16 iovec*  24 iovlen  32 control*  40 controllen  48 flags  56 msg_len
 *   iovec (16):          0 base*  8 len
 *   cmsghdr (16):        0 len  8 level  12 type; with SO_TIMESTAMPNS: 16 seconds  24 nanoseconds
 *   sockaddr_in (16):    0 family  2 port (network order)  4 address  8 zeros
 */
const ADDRESS_BYTES = 16;
const CONTROL_BYTES = 32;
const MESSAGE_BYTES = 64;
const VECTOR_BYTES = 16;

/** Packets per read of the socket of one leg; packets beyond 160 ms of audio wait for the next poll. */
export const batchSize = 8;

/** Buffers of one recvmmsg: the packets, and in one block of memory message headers, their vectors and sender addresses. */
export class PacketBatch {
  readonly pointer: unknown;
  readonly packets: readonly Uint8Array[];
  readonly #view: DataView;
  readonly #addresses: number;
  readonly #controls: number;

  /** A message for each of these packets. */
  constructor(calls: Pick<SystemCalls, 'allocate' | 'addressOf'>, packets: readonly Uint8Array[]) {
    const size = packets.length;
    const vectors = size * MESSAGE_BYTES;
    const addresses = vectors + size * VECTOR_BYTES;
    const controls = addresses + size * ADDRESS_BYTES;
    const end = controls + size * CONTROL_BYTES;
    const { pointer, view, address } = calls.allocate(end);
    for (let at = 0; at < end; at++) view.setUint8(at, 0);
    for (let m = 0; m < size; m++) {
      const message = m * MESSAGE_BYTES;
      const vector = vectors + m * VECTOR_BYTES;
      view.setBigUint64(message, address + BigInt(addresses + m * ADDRESS_BYTES), true);
      view.setBigUint64(message + 16, address + BigInt(vector), true);
      view.setBigUint64(message + 24, 1n, true);
      view.setBigUint64(message + 32, address + BigInt(controls + m * CONTROL_BYTES), true);
      view.setBigUint64(vector, calls.addressOf(packets[m]!), true);
      view.setBigUint64(vector + 8, BigInt(packets[m]!.length), true);
    }
    this.pointer = pointer;
    this.#view = view;
    this.#addresses = addresses;
    this.#controls = controls;
    this.packets = packets;
  }

  /** Restores the lengths that a read has overwritten. */
  prepare(): void {
    for (let m = 0; m < this.packets.length; m++) {
      this.#view.setUint32(m * MESSAGE_BYTES + 8, ADDRESS_BYTES, true);
      this.#view.setUint32(m * MESSAGE_BYTES + 40, CONTROL_BYTES, true);
    }
  }

  lengthOf(m: number): number {
    return this.#view.getUint32(m * MESSAGE_BYTES + 56, true);
  }

  /** The sender's IPv4 address, as a number in network order. */
  ipOf(m: number): number {
    return this.#view.getUint32(this.#addresses + m * ADDRESS_BYTES + 4);
  }

  portOf(m: number): number {
    return this.#view.getUint16(this.#addresses + m * ADDRESS_BYTES + 2);
  }

  /** When the kernel received the packet, in ms; undefined where it has not stamped it. */
  cameMs(m: number): number | undefined {
    const isStamped = this.#view.getUint32(m * MESSAGE_BYTES + 40, true) >= CONTROL_BYTES;
    return isStamped ? milliseconds(this.#view, this.#controls + m * CONTROL_BYTES + 16) : undefined;
  }
}

/** A timespec: whole seconds and nanoseconds, both 64 bits; the seconds fit into 53. */
export function milliseconds(view: DataView, at: number): number {
  const seconds = view.getUint32(at, true) + view.getUint32(at + 4, true) * 2 ** 32;
  return seconds * 1000 + view.getUint32(at + 8, true) / 1e6;
}

/** For RTP and RTCP: in the memory of the media engine's loops. */
export function mediaPackets(count: number): Uint8Array[] {
  return Array.from({ length: count }, () => allocateBytes(receivedPacketBytes));
}
