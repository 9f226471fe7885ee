import type { RtpHeader } from '../rtp/rtp-packet.ts';

/** One waiting audio packet, in a reusable object. Its payload is `length` bytes of `payload` from `offset` on. */
export interface StoredPacket {
  payload: Uint8Array;
  offset: number;
  length: number;
  payloadType: number;
  timestamp: number;
}

/** The state of a slot for its sequence number. */
export const slotState = { empty: 0, audio: 1, other: 2, played: 3 } as const;

/**
 * Encoded payloads by sequence number, in preallocated slots. A slot remembers its last sequence number, which
 * distinguishes a duplicate of a played packet from a late packet.
 */
export class PacketRing {
  readonly slots: number;
  readonly slotBytes: number;
  /** Waiting packets of all kinds, and those with audio. */
  count = 0;
  audioCount = 0;
  readonly payload: Uint8Array;
  readonly timestamp: Uint32Array;
  readonly length: Uint16Array;
  readonly payloadType: Uint8Array;
  readonly #sequence: Int32Array;
  readonly #state: Uint8Array;
  readonly #mask: number;

  /** `slots` is rounded up to a power of two. */
  constructor(slots: number, slotBytes: number) {
    this.slots = 2 ** Math.ceil(Math.log2(Math.max(2, slots)));
    this.slotBytes = slotBytes;
    this.#mask = this.slots - 1;
    this.payload = new Uint8Array(this.slots * slotBytes);
    this.timestamp = new Uint32Array(this.slots);
    this.length = new Uint16Array(this.slots);
    this.payloadType = new Uint8Array(this.slots);
    this.#sequence = new Int32Array(this.slots).fill(-1);
    this.#state = new Uint8Array(this.slots);
  }

  slotOf(sequenceNumber: number): number {
    return sequenceNumber & this.#mask;
  }

  /** The state of a sequence number; empty when its slot holds another number. */
  stateOf(sequenceNumber: number): number {
    const slot = sequenceNumber & this.#mask;
    return this.#sequence[slot] === sequenceNumber ? this.#state[slot]! : slotState.empty;
  }

  /** The first sequence number with audio from this one on; there must be one. */
  firstAudio(from: number): number {
    let first = from;
    while (this.stateOf(first) !== slotState.audio) first = (first + 1) & 0xffff;
    return first;
  }

  /** Whether the audio packet of this number waits and begins at this timestamp. */
  continues(sequenceNumber: number, timestamp: number): boolean {
    const isHere = this.stateOf(sequenceNumber) === slotState.audio;
    return isHere && this.timestamp[sequenceNumber & this.#mask] === timestamp;
  }

  /** Stores an audio payload; the caller checks that it fits and that its slot is free. */
  storeAudio(header: RtpHeader, bytes: Uint8Array): void {
    const slot = this.#occupy(header.sequenceNumber, slotState.audio);
    this.audioCount++;
    this.timestamp[slot] = header.timestamp;
    this.length[slot] = header.payloadLength;
    this.payloadType[slot] = header.payloadType;
    // A loop: subarray() would allocate a view for every packet.
    const to = slot * this.slotBytes;
    const from = header.payloadOffset;
    const count = header.payloadLength;
    for (let i = 0; i < count; i++) this.payload[to + i] = bytes[from + i]!;
  }

  /** Reads a waiting audio packet; false when none has this number. */
  read(sequenceNumber: number, into: StoredPacket): boolean {
    if (this.stateOf(sequenceNumber) !== slotState.audio) return false;
    const slot = sequenceNumber & this.#mask;
    into.payload = this.payload;
    into.offset = slot * this.slotBytes;
    into.length = this.length[slot]!;
    into.payloadType = this.payloadType[slot]!;
    into.timestamp = this.timestamp[slot]!;
    return true;
  }

  /** Marks the number of a packet without audio: neither lost nor played. */
  storeOther(sequenceNumber: number): void {
    this.#occupy(sequenceNumber, slotState.other);
  }

  /** Marks a waiting packet as played or dropped. */
  release(sequenceNumber: number): void {
    const slot = sequenceNumber & this.#mask;
    if (this.#state[slot] === slotState.audio) this.audioCount--;
    this.#state[slot] = slotState.played;
    this.count--;
  }

  clear(): void {
    this.#sequence.fill(-1);
    this.#state.fill(slotState.empty);
    this.count = 0;
    this.audioCount = 0;
  }

  #occupy(sequenceNumber: number, state: number): number {
    const slot = sequenceNumber & this.#mask;
    this.#sequence[slot] = sequenceNumber;
    this.#state[slot] = state;
    this.count++;
    return slot;
  }
}
