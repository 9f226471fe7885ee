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

const noBytes = new Uint8Array(0);
const noLengths = new Uint16Array(0);
const noTimestamps = new Uint32Array(0);
const noNumbers = new Int32Array(0);

/** Blocks for payloads at the start: a stream without jitter has one or two packets waiting. */
const firstBlocks = 4;
/** Blocks grow in these steps: 20 ms of G.711 or G.722 need one. */
const blockStep = 160;

/**
 * Encoded payloads by sequence number. A slot remembers its last sequence number, which distinguishes a duplicate of a
 * played packet from a late packet. Payloads are in blocks that waiting packets share: their number and size follow what
 * the stream has needed so far, because most streams never need more than a few packets of 20 ms. Nothing is allocated before the first
 * packet: many legs end without one.
 */
export class PacketRing {
  readonly slots: number;
  /** The longest payload that it stores. */
  readonly mostBytes: number;
  /** Waiting packets of all kinds, and those with audio. */
  count = 0;
  audioCount = 0;
  payload = noBytes;
  timestamp = noTimestamps;
  length = noLengths;
  payloadType = noBytes;
  #sequence = noNumbers;
  #state = noBytes;
  /** The block of each slot; valid while audio waits in the slot. */
  #block = noBytes;
  readonly #mask: number;
  #blockBytes = 0;
  #free = noBytes;
  #freeCount = 0;

  /** `slots` is rounded up to a power of two. */
  constructor(slots: number, mostBytes: number) {
    this.slots = 2 ** Math.ceil(Math.log2(Math.max(2, slots)));
    this.mostBytes = mostBytes;
    this.#mask = this.slots - 1;
  }

  /** Where the payload of a slot begins in `payload`. */
  offsetOf(slot: number): number {
    return this.#block[slot]! * this.#blockBytes;
  }

  slotOf(sequenceNumber: number): number {
    return sequenceNumber & this.#mask;
  }

  /** The state of a sequence number; empty when its slot holds another number. */
  stateOf(sequenceNumber: number): number {
    if (this.#sequence === noNumbers) return slotState.empty;
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
    if (header.payloadLength > this.#blockBytes) this.#widen(header.payloadLength);
    if (this.#freeCount === 0) this.#extend();
    const slot = this.#occupy(header.sequenceNumber, slotState.audio);
    this.#block[slot] = this.#free[--this.#freeCount]!;
    this.audioCount++;
    this.timestamp[slot] = header.timestamp;
    this.length[slot] = header.payloadLength;
    this.payloadType[slot] = header.payloadType;
    // A loop: subarray() would allocate a view for every packet.
    const to = this.offsetOf(slot);
    const from = header.payloadOffset;
    const count = header.payloadLength;
    for (let i = 0; i < count; i++) this.payload[to + i] = bytes[from + i]!;
  }

  /** Reads a waiting audio packet; false when none has this number. */
  read(sequenceNumber: number, into: StoredPacket): boolean {
    if (this.stateOf(sequenceNumber) !== slotState.audio) return false;
    const slot = sequenceNumber & this.#mask;
    into.payload = this.payload;
    into.offset = this.offsetOf(slot);
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
    if (this.#state[slot] === slotState.audio) {
      this.audioCount--;
      this.#free[this.#freeCount++] = this.#block[slot]!;
    }
    this.#state[slot] = slotState.played;
    this.count--;
  }

  clear(): void {
    if (this.#sequence === noNumbers) return;
    this.#sequence.fill(-1);
    this.#state.fill(slotState.empty);
    this.count = 0;
    this.audioCount = 0;
    const blocks = this.#free.length;
    for (let block = 0; block < blocks; block++) this.#free[block] = block;
    this.#freeCount = blocks;
  }

  /** Twice as many blocks; all blocks are in use. */
  #extend(): void {
    const before = this.#free.length;
    const blocks = Math.min(this.slots, before === 0 ? firstBlocks : before * 2);
    const payload = new Uint8Array(blocks * this.#blockBytes);
    payload.set(this.payload);
    this.payload = payload;
    this.#free = new Uint8Array(blocks);
    for (let block = before; block < blocks; block++) this.#free[this.#freeCount++] = block;
  }

  /** Blocks for payloads of this length. */
  #widen(length: number): void {
    const before = this.#blockBytes;
    this.#blockBytes = Math.min(this.mostBytes, Math.ceil(length / blockStep) * blockStep);
    const blocks = this.#free.length;
    const payload = new Uint8Array(blocks * this.#blockBytes);
    for (let block = 0; block < blocks; block++) {
      const from = block * before;
      payload.set(this.payload.subarray(from, from + before), block * this.#blockBytes);
    }
    this.payload = payload;
  }

  /** One piece of memory: each typed array with its own buffer costs another 100 bytes. */
  #allocate(): void {
    const { slots: n } = this;
    const memory = new ArrayBuffer(n * 13);
    this.timestamp = new Uint32Array(memory, 0, n);
    this.#sequence = new Int32Array(memory, n * 4, n).fill(-1);
    this.length = new Uint16Array(memory, n * 8, n);
    this.payloadType = new Uint8Array(memory, n * 10, n);
    this.#state = new Uint8Array(memory, n * 11, n);
    this.#block = new Uint8Array(memory, n * 12, n);
  }

  #occupy(sequenceNumber: number, state: number): number {
    if (this.#sequence === noNumbers) this.#allocate();
    const slot = sequenceNumber & this.#mask;
    this.#sequence[slot] = sequenceNumber;
    this.#state[slot] = state;
    this.count++;
    return slot;
  }
}
