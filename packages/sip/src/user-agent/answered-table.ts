import { keyedHash } from './keyed-hash.ts';
import { TextQueue } from './text-queue.ts';

/** An answered request whose copies are answered again. */
export interface Answered {
  readonly key: string;
  /** Undefined when its copies over other paths are no copies. */
  readonly mergeKey: string | undefined;
  /** The id of the flow of the answer. */
  readonly flow: string;
  /** The most characters of the answer, of an unauthenticated sender. */
  readonly limit: number | undefined;
  readonly text: string;
}

/** Entries are numbers in one array, at these offsets. Links are slots, counted from 1; 0 ends a chain. */
const [HASH, NEXT, MERGE_HASH, MERGE_NEXT, TEXT, KEY_LENGTH, MERGE_LENGTH, FLOW_LENGTH, LIMIT] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8,
];
const stride = 10;
const smallest = 1024;
/** In KEY_LENGTH of an entry that was removed before its time. */
const removed = -1;
const noLimit = -1;

/**
 * Answered requests by key and by merge key, until their time. All stay equally long, so the oldest one ends first: the entries are a ring, with
 * chains of equal hashes through it. Nothing in here is an object of the heap: the garbage collector would move each of 100,000 twice.
 */
export class AnsweredTable {
  readonly #secret: readonly [number, number];
  readonly #texts = new TextQueue();
  #entries = new Int32Array(smallest * stride);
  #ends = new Float64Array(smallest);
  #chains = new Int32Array(smallest);
  #mergeChains = new Int32Array(smallest);
  /** Slot of the oldest entry, and the number of entries with the removed ones. */
  #oldest = 0;
  #count = 0;
  #size = 0;

  /** `secret`: two unpredictable numbers of 32 bits. */
  constructor(secret: readonly [number, number]) {
    this.#secret = secret;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a request with a new key, until `end`. False when its text is too long. */
  add({ key, mergeKey = '', flow, limit = noLimit, text }: Answered, end: number): boolean {
    const position = this.#texts.push(key + mergeKey + flow + text);
    if (position === undefined) return false;
    const { length } = this.#ends;
    if (this.#count === length) this.#resize(length * 2);
    const slot = (this.#oldest + this.#count) & (this.#ends.length - 1);
    this.#count += 1;
    this.#size += 1;
    this.#ends[slot] = end;
    const entries = this.#entries;
    const at = slot * stride;
    entries[at + HASH] = keyedHash(key, this.#secret);
    entries[at + MERGE_HASH] = mergeKey === '' ? 0 : keyedHash(mergeKey, this.#secret);
    entries[at + TEXT] = position;
    entries[at + KEY_LENGTH] = key.length;
    entries[at + MERGE_LENGTH] = mergeKey.length;
    entries[at + FLOW_LENGTH] = flow.length;
    entries[at + LIMIT] = limit;
    this.#link(slot);
    return true;
  }

  find(key: string): Answered | undefined {
    if (this.#size === 0) return undefined;
    const slot = this.#slotOf(key);
    return slot < 0 ? undefined : this.#read(slot);
  }

  /** Whether a request has this merge key. */
  hasMerge(mergeKey: string): boolean {
    if (this.#size === 0) return false;
    const hash = keyedHash(mergeKey, this.#secret);
    const entries = this.#entries;
    for (let link = this.#mergeChains[hash & (this.#ends.length - 1)]!; link !== 0; ) {
      const at = (link - 1) * stride;
      if (entries[at + MERGE_HASH] === hash && this.#read(link - 1).mergeKey === mergeKey) return true;
      link = entries[at + MERGE_NEXT]!;
    }
    return false;
  }

  remove(key: string): void {
    const slot = this.#slotOf(key);
    if (slot < 0) return;
    this.#unlink(slot);
    this.#entries[slot * stride + KEY_LENGTH] = removed;
    this.#size -= 1;
  }

  /** Removes the requests whose time has come; returns the end of the next one. */
  expire(now: number): number | undefined {
    while (this.#count > 0) {
      const slot = this.#oldest;
      const end = this.#ends[slot]!;
      if (end > now) {
        this.#shrink();
        return end;
      }
      if (this.#entries[slot * stride + KEY_LENGTH] !== removed) {
        this.#unlink(slot);
        this.#size -= 1;
      }
      this.#oldest = (slot + 1) & (this.#ends.length - 1);
      this.#count -= 1;
      this.#texts.shift();
    }
    this.#shrink();
    return undefined;
  }

  #slotOf(key: string): number {
    const hash = keyedHash(key, this.#secret);
    const entries = this.#entries;
    for (let link = this.#chains[hash & (this.#ends.length - 1)]!; link !== 0; ) {
      const at = (link - 1) * stride;
      if (entries[at + HASH] === hash && this.#read(link - 1).key === key) return link - 1;
      link = entries[at + NEXT]!;
    }
    return -1;
  }

  #read(slot: number): Answered {
    const at = slot * stride;
    const entries = this.#entries;
    const all = this.#texts.read(entries[at + TEXT]!);
    const keyEnd = entries[at + KEY_LENGTH]!;
    const mergeEnd = keyEnd + entries[at + MERGE_LENGTH]!;
    const flowEnd = mergeEnd + entries[at + FLOW_LENGTH]!;
    const limit = entries[at + LIMIT]!;
    return {
      key: all.slice(0, keyEnd),
      mergeKey: mergeEnd === keyEnd ? undefined : all.slice(keyEnd, mergeEnd),
      flow: all.slice(mergeEnd, flowEnd),
      limit: limit === noLimit ? undefined : limit,
      text: all.slice(flowEnd),
    };
  }

  #link(slot: number): void {
    const entries = this.#entries;
    const at = slot * stride;
    const mask = this.#ends.length - 1;
    const bucket = entries[at + HASH]! & mask;
    entries[at + NEXT] = this.#chains[bucket]!;
    this.#chains[bucket] = slot + 1;
    if (entries[at + MERGE_LENGTH] === 0) return;
    const mergeBucket = entries[at + MERGE_HASH]! & mask;
    entries[at + MERGE_NEXT] = this.#mergeChains[mergeBucket]!;
    this.#mergeChains[mergeBucket] = slot + 1;
  }

  #unlink(slot: number): void {
    const entries = this.#entries;
    const at = slot * stride;
    const mask = this.#ends.length - 1;
    unlinkFrom(this.#chains, entries[at + HASH]! & mask, entries, NEXT, slot);
    if (entries[at + MERGE_LENGTH] === 0) return;
    unlinkFrom(this.#mergeChains, entries[at + MERGE_HASH]! & mask, entries, MERGE_NEXT, slot);
  }

  #shrink(): void {
    const { length } = this.#ends;
    if (length > smallest && this.#count < length / 8) this.#resize(length / 2);
  }

  /** `length` is a power of two. */
  #resize(length: number): void {
    const [entries, ends, oldest, count] = [this.#entries, this.#ends, this.#oldest, this.#count];
    // The ring as two pieces: up to the end of the array, and from its beginning.
    const first = Math.min(count, ends.length - oldest);
    this.#entries = new Int32Array(length * stride);
    this.#entries.set(entries.subarray(oldest * stride, (oldest + first) * stride));
    this.#entries.set(entries.subarray(0, (count - first) * stride), first * stride);
    this.#ends = new Float64Array(length);
    this.#ends.set(ends.subarray(oldest, oldest + first));
    this.#ends.set(ends.subarray(0, count - first), first);
    this.#chains = new Int32Array(length);
    this.#mergeChains = new Int32Array(length);
    this.#oldest = 0;
    for (let slot = 0; slot < count; slot += 1)
      if (this.#entries[slot * stride + KEY_LENGTH] !== removed) this.#link(slot);
  }
}

/** The oldest entries are at the end of their chains. */
function unlinkFrom(
  chains: Int32Array,
  bucket: number,
  entries: Int32Array,
  next: number,
  slot: number,
): void {
  const after = entries[slot * stride + next]!;
  let link = chains[bucket]!;
  if (link === slot + 1) {
    chains[bucket] = after;
    return;
  }
  for (;;) {
    const at = (link - 1) * stride + next;
    link = entries[at]!;
    if (link === slot + 1) {
      entries[at] = after;
      return;
    }
  }
}
