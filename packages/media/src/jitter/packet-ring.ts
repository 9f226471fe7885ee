import { type RtpHeader, receivedPacketBytes, rtpHeaderBytes } from '../rtp/rtp-packet.ts';
import { copyBytes } from '../samples/sample-loops.ts';
import { allocateBytes } from '../samples/sample-memory.ts';

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
const noSlots = new Int32Array(0);

/*
 * A slot is four numbers of 32 bits, which share a cache line: sequence number, timestamp, length and payload type, state and block.
 */
const slotSize = 4;
const sequenceAt = 0;
const timestampAt = 1;
/** The length in the lower 16 bits, the payload type above them. */
const payloadAt = 2;
/** The state in the lower 8 bits; above them the block of its payload, which is valid while audio waits in the slot. */
const stateAt = 3;

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
  payload: Uint8Array = noBytes;
  #slots = noSlots;
  readonly #mask: number;
  #blockBytes = 0;
  #free = noBytes;
  #freeCount = 0;

  /** `slots` is rounded up to a power of two. */
  constructor(slots: number, mostBytes: number = receivedPacketBytes - rtpHeaderBytes) {
    this.slots = 2 ** Math.ceil(Math.log2(Math.max(2, slots)));
    this.mostBytes = mostBytes;
    this.#mask = this.slots - 1;
  }

  /** Where the payload of a slot begins in `payload`. */
  offsetOf(slot: number): number {
    return (this.#slots[slot * slotSize + stateAt]! >> 8) * this.#blockBytes;
  }

  /** Bytes of the payload of a slot. */
  lengthOf(slot: number): number {
    return this.#slots[slot * slotSize + payloadAt]! & 0xffff;
  }

  payloadTypeOf(slot: number): number {
    return this.#slots[slot * slotSize + payloadAt]! >> 16;
  }

  timestampOf(slot: number): number {
    return this.#slots[slot * slotSize + timestampAt]! >>> 0;
  }

  slotOf(sequenceNumber: number): number {
    return sequenceNumber & this.#mask;
  }

  /** The state of a sequence number; empty when its slot holds another number. */
  stateOf(sequenceNumber: number): number {
    const slots = this.#slots;
    if (slots === noSlots) return slotState.empty;
    const at = (sequenceNumber & this.#mask) * slotSize;
    return slots[at + sequenceAt] === sequenceNumber ? slots[at + stateAt]! & 0xff : slotState.empty;
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
    return isHere && this.timestampOf(sequenceNumber & this.#mask) === timestamp;
  }

  /** Stores an audio payload; the caller checks that it fits and that its slot is free. */
  storeAudio(header: RtpHeader, bytes: Uint8Array): void {
    if (header.payloadLength > this.#blockBytes) this.#widen(header.payloadLength);
    if (this.#freeCount === 0) this.#extend();
    const block = this.#free[--this.#freeCount]!;
    const at = this.#occupy(header.sequenceNumber, slotState.audio | (block << 8));
    this.audioCount++;
    const { payloadType, payloadOffset, payloadLength } = header;
    this.#slots[at + timestampAt] = header.timestamp;
    this.#slots[at + payloadAt] = payloadLength | (payloadType << 16);
    copyBytes(bytes, payloadOffset, payloadLength, this.payload, block * this.#blockBytes);
  }

  /** Reads a waiting audio packet; false when none has this number. */
  read(sequenceNumber: number, into: StoredPacket): boolean {
    if (this.stateOf(sequenceNumber) !== slotState.audio) return false;
    const slot = sequenceNumber & this.#mask;
    into.payload = this.payload;
    into.offset = this.offsetOf(slot);
    into.length = this.lengthOf(slot);
    into.payloadType = this.payloadTypeOf(slot);
    into.timestamp = this.timestampOf(slot);
    return true;
  }

  /** Marks the number of a packet without audio: neither lost nor played. */
  storeOther(sequenceNumber: number): void {
    this.#occupy(sequenceNumber, slotState.other);
  }

  /** Marks a waiting packet as played or dropped. */
  release(sequenceNumber: number): void {
    const at = (sequenceNumber & this.#mask) * slotSize + stateAt;
    const state = this.#slots[at]!;
    if ((state & 0xff) === slotState.audio) {
      this.audioCount--;
      this.#free[this.#freeCount++] = state >> 8;
    }
    this.#slots[at] = slotState.played;
    this.count--;
  }

  clear(): void {
    if (this.#slots === noSlots) return;
    this.#empty();
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
    const payload = allocateBytes(blocks * this.#blockBytes);
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
    const payload = allocateBytes(blocks * this.#blockBytes);
    for (let block = 0; block < blocks; block++) {
      const from = block * before;
      payload.set(this.payload.subarray(from, from + before), block * this.#blockBytes);
    }
    this.payload = payload;
  }

  #empty(): void {
    this.#slots.fill(0);
    for (let at = 0; at < this.#slots.length; at += slotSize) this.#slots[at + sequenceAt] = -1;
  }

  /** Returns where the slot of the number begins. */
  #occupy(sequenceNumber: number, state: number): number {
    if (this.#slots === noSlots) {
      this.#slots = new Int32Array(this.slots * slotSize);
      this.#empty();
    }
    const at = (sequenceNumber & this.#mask) * slotSize;
    this.#slots[at + sequenceAt] = sequenceNumber;
    this.#slots[at + stateAt] = state;
    this.count++;
    return at;
  }
}
