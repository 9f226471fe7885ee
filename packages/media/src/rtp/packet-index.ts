/** RFC 3711 §3.3.2 requires at least 64. A relay may pass packets that 100 others have overtaken. */
const windowPackets = 128;

/** The packet indexes of one stream, as plain data. */
export interface SavedIndexes {
  readonly highest: number;
  readonly seen: Uint32Array;
}

/** The packet indexes already seen of one stream: the newest and those shortly before it (RFC 3711 §3.3.1, §3.3.2). */
export class PacketIndexes {
  /** The highest index; −1 before the first. */
  highest = -1;
  readonly #seen: Uint32Array;

  constructor(saved?: SavedIndexes) {
    if (saved !== undefined) this.highest = saved.highest;
    this.#seen = saved?.seen.slice() ?? new Uint32Array(windowPackets / 32);
  }

  save(): SavedIndexes {
    return { highest: this.highest, seen: this.#seen };
  }

  /**
   * The most likely index of a sequence number: the nearest to the highest (RFC 3711 Appendix A). `rollovers` applies
   * to the first packet only.
   */
  estimate(sequenceNumber: number, rollovers = 0): number {
    if (this.highest < 0) return rollovers * 0x10000 + sequenceNumber;
    const newest = this.highest % 0x10000;
    let cycle = (this.highest - newest) / 0x10000;
    if (sequenceNumber - newest > 0x8000 && cycle > 0) cycle--;
    else if (newest - sequenceNumber > 0x8000) cycle++;
    return cycle * 0x10000 + sequenceNumber;
  }

  /** False for an index that was seen before or is too old for the window. */
  isNew(index: number): boolean {
    if (index > this.highest) return true;
    if (index <= this.highest - windowPackets) return false;
    const slot = index % windowPackets;
    return (this.#seen[slot >> 5]! & (1 << (slot & 31))) === 0;
  }

  /** Adds a new index. */
  take(index: number): void {
    if (index > this.highest) {
      const steps = Math.min(windowPackets, index - this.highest);
      for (let n = 0; n < steps; n++) {
        const slot = (index - n) % windowPackets;
        this.#seen[slot >> 5]! &= ~(1 << (slot & 31));
      }
      this.highest = index;
    }
    const slot = index % windowPackets;
    this.#seen[slot >> 5]! |= 1 << (slot & 31);
  }
}
