/** A member of one of the lists. */
export interface SlotMember<Member> {
  readonly tick: number;
  /** Slot in which it is linked, or -1. */
  slot: number;
  previous: Member | undefined;
  next: Member | undefined;
}

/** One doubly linked list for each slot of a timer wheel, and a bitmap of the slots that have members. `slots` is a multiple of 32. */
export class SlotLists<Member extends SlotMember<Member>> {
  readonly #slots: number;
  readonly #heads: (Member | undefined)[];
  readonly #tails: (Member | undefined)[];
  readonly #occupied: Uint32Array;

  constructor(slots: number) {
    this.#slots = slots;
    this.#heads = new Array(slots).fill(undefined);
    this.#tails = new Array(slots).fill(undefined);
    this.#occupied = new Uint32Array(slots / 32);
  }

  /** The first member of the slot. */
  head(slot: number): Member | undefined {
    return this.#heads[slot];
  }

  /** Adds the member behind the others of its tick's slot. */
  link(member: Member): void {
    const slot = member.tick % this.#slots;
    const tail = this.#tails[slot];
    member.slot = slot;
    member.previous = tail;
    member.next = undefined;
    if (tail) tail.next = member;
    else {
      this.#heads[slot] = member;
      this.#occupied[slot >>> 5]! |= 1 << (slot & 31);
    }
    this.#tails[slot] = member;
  }

  unlink(member: Member): void {
    const { slot, previous, next } = member;
    if (previous) previous.next = next;
    else this.#heads[slot] = next;
    if (next) next.previous = previous;
    else this.#tails[slot] = previous;
    if (!this.#heads[slot]) this.#occupied[slot >>> 5]! &= ~(1 << (slot & 31));
    member.slot = -1;
    member.previous = undefined;
    member.next = undefined;
  }

  /** First tick after `from` whose slot has a member; `from + slots + 1` when no slot has one. */
  nextOccupied(from: number): number {
    let tick = from + 1;
    const last = from + this.#slots;
    while (tick <= last) {
      const slot = tick % this.#slots;
      const word = this.#occupied[slot >>> 5]! >>> (slot & 31);
      if (word !== 0) return tick + (31 - Math.clz32(word & -word));
      tick += 32 - (slot & 31);
    }
    return last + 1;
  }
}
