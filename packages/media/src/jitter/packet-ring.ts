import type { RtpHeader } from '../rtp/rtp-packet.ts';

/** One audio packet that waits; an object to be reused. Its payload is the `length` bytes of `payload` from `offset` on. */
export interface StoredPacket {
  payload: Uint8Array;
  offset: number;
  length: number;
  payloadType: number;
  timestamp: number;
}

/** What a place of the ring holds for its sequence number. */
export const slotState = { empty: 0, audio: 1, other: 2, played: 3 } as const;

/**
 * Encoded payloads by sequence number, in places allocated once. A place remembers the number that it held last, so
 * that a second copy of a played packet is told from a late one.
 */
export class PacketRing {
  readonly slots: number;
  readonly slotBytes: number;
  /** Packets that wait: audio and other; and those of them that are audio. */
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

  place(sequenceNumber: number): number {
    return sequenceNumber & this.#mask;
  }

  /** What is known about a sequence number: empty when its place holds another one. */
  stateOf(sequenceNumber: number): number {
    const place = sequenceNumber & this.#mask;
    return this.#sequence[place] === sequenceNumber ? this.#state[place]! : slotState.empty;
  }

  /** The number of the first audio packet from this one on; there must be one. */
  firstAudio(from: number): number {
    let first = from;
    while (this.stateOf(first) !== slotState.audio) first = (first + 1) & 0xffff;
    return first;
  }

  /** Whether the audio packet of this number is here and begins at this timestamp. */
  continues(sequenceNumber: number, timestamp: number): boolean {
    const isHere = this.stateOf(sequenceNumber) === slotState.audio;
    return isHere && this.timestamp[sequenceNumber & this.#mask] === timestamp;
  }

  /** Keeps an audio payload; the caller made sure that it fits and that its place is free. */
  storeAudio(header: RtpHeader, bytes: Uint8Array): void {
    const place = this.#occupy(header.sequenceNumber, slotState.audio);
    this.audioCount++;
    this.timestamp[place] = header.timestamp;
    this.length[place] = header.payloadLength;
    this.payloadType[place] = header.payloadType;
    // A loop, because a view made by subarray() would be garbage for every packet.
    const to = place * this.slotBytes;
    const from = header.payloadOffset;
    const count = header.payloadLength;
    for (let i = 0; i < count; i++) this.payload[to + i] = bytes[from + i]!;
  }

  /** Looks at an audio packet that waits; false when none has this number. */
  read(sequenceNumber: number, into: StoredPacket): boolean {
    if (this.stateOf(sequenceNumber) !== slotState.audio) return false;
    const place = sequenceNumber & this.#mask;
    into.payload = this.payload;
    into.offset = place * this.slotBytes;
    into.length = this.length[place]!;
    into.payloadType = this.payloadType[place]!;
    into.timestamp = this.timestamp[place]!;
    return true;
  }

  /** The number was used by a packet that is no audio: not to be missed, not to be played. */
  storeOther(sequenceNumber: number): void {
    this.#occupy(sequenceNumber, slotState.other);
  }

  /** Marks a waiting packet as played or dropped. */
  release(sequenceNumber: number): void {
    const place = sequenceNumber & this.#mask;
    if (this.#state[place] === slotState.audio) this.audioCount--;
    this.#state[place] = slotState.played;
    this.count--;
  }

  clear(): void {
    this.#sequence.fill(-1);
    this.#state.fill(slotState.empty);
    this.count = 0;
    this.audioCount = 0;
  }

  #occupy(sequenceNumber: number, state: number): number {
    const place = sequenceNumber & this.#mask;
    this.#sequence[place] = sequenceNumber;
    this.#state[place] = state;
    this.count++;
    return place;
  }
}
