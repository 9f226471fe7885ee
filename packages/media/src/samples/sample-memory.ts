/** The loops load 16 bytes at a time, and whole cache lines let no two arrays share one. */
const BLOCK = 64;
/** The unit of WebAssembly. */
const PAGE = 65_536;
/**
 * 32 MiB: some 14,000 legs of G.711, more than a core carries. Only what has been written takes memory. It does not grow, because
 * that would detach every array in it.
 */
const PAGES = 512;

/** The memory of the loops in `sample-loops.ts`: arrays in it are reached without a copy. */
export const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
const { buffer } = memory;

interface Addressed {
  readonly address?: number;
}

/** Addresses of free pieces, by their length in bytes. */
const free = new Map<number, number[]>();
let end = BLOCK;

/**
 * A piece is free when its array is garbage, like all memory: a source that is still heard never has the audio of the next owner. A view
 * of a part keeps no piece.
 */
const pieces = new FinalizationRegistry<{ readonly at: number; readonly bytes: number }>(({ at, bytes }) => {
  const others = free.get(bytes);
  if (others === undefined) free.set(bytes, [at]);
  else others.push(at);
});

/** Zeros: `length` samples of 16 bits. They are in ordinary memory when this one is full, and the loops copy them then. */
export function allocateSamples(length: number): Int16Array {
  const at = take(length * 2);
  return at < 0 ? new Int16Array(length) : tracked(new Int16Array(buffer, at, length));
}

/** As `allocateSamples`: sums of 32 bits. */
export function allocateSums(length: number): Int32Array {
  const at = take(length * 4);
  return at < 0 ? new Int32Array(length) : tracked(new Int32Array(buffer, at, length));
}

/** As `allocateSamples`: bytes of payloads and packets. */
export function allocateBytes(length: number): Uint8Array {
  const at = take(length);
  return at < 0 ? new Uint8Array(length) : tracked(new Uint8Array(buffer, at, length));
}

/**
 * The address of an array in this memory; undefined when it is elsewhere, or a part of another array. There is one function for each
 * class of arrays: a single one would see six shapes of objects, and V8 would look the property up by its name.
 */
export function addressOfSamples(array: Int16Array & Addressed): number | undefined {
  return array.address;
}

/** As `addressOfSamples`. */
export function addressOfSums(array: Int32Array & Addressed): number | undefined {
  return array.address;
}

/** As `addressOfSamples`. */
export function addressOfBytes(array: Uint8Array & Addressed): number | undefined {
  return array.address;
}

/** The address of a piece of zeros; −1 when there is no room. */
function take(length: number): number {
  const bytes = sizeOf(length);
  const at = free.get(bytes)?.pop();
  if (at !== undefined) {
    new Uint8Array(buffer, at, bytes).fill(0);
    return at;
  }
  if (end + bytes > PAGES * PAGE) return -1;
  end += bytes;
  return end - bytes;
}

/** The address is a property of its own: to compare `buffer` in each loop costs 20 ns an array. */
function tracked<T extends Int16Array | Int32Array | Uint8Array>(array: T): T {
  const at = array.byteOffset;
  pieces.register(array, { at, bytes: sizeOf(array.byteLength) });
  return Object.defineProperty(array, 'address', { value: at });
}

function sizeOf(length: number): number {
  return Math.max(1, Math.ceil(length / BLOCK)) * BLOCK;
}
