const chunkBits = 18;
const chunkSize = 1 << chunkBits;
/** A position has 31 bits: 2 GiB of texts. */
const mostChunks = 1 << (31 - chunkBits);
/** Kept for the next texts, so that a steady stream of them allocates nothing: 1 MiB. */
const mostUnused = 4;
const lengthBytes = 3;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Texts outside the heap of the garbage collector, in chunks of 256 KiB; the oldest text leaves first. */
export class TextQueue {
  readonly #chunks: Uint8Array[] = [];
  /** Number of texts in each chunk. */
  readonly #counts: number[] = [];
  readonly #unused: Uint8Array[] = [];
  /** Number of the first chunk, modulo `mostChunks`. */
  #first = 0;
  /** Offset of the next text in the last chunk. */
  #offset = chunkSize;

  /** Adds a text and returns its position; undefined when it is too long or the queue is full. */
  push(text: string): number | undefined {
    // UTF-8 has at most three bytes for each unit.
    const most = lengthBytes + 3 * text.length;
    if (this.#offset + most > chunkSize && !this.#addChunk(most)) return undefined;
    const last = this.#chunks.length - 1;
    const chunk = this.#chunks[last]!;
    const offset = this.#offset;
    const { written } = encoder.encodeInto(text, chunk.subarray(offset + lengthBytes));
    chunk[offset] = written;
    chunk[offset + 1] = written >>> 8;
    chunk[offset + 2] = written >>> 16;
    this.#offset += lengthBytes + written;
    this.#counts[last]! += 1;
    return (((this.#first + last) % mostChunks) << chunkBits) | offset;
  }

  read(position: number): string {
    const number = position >>> chunkBits;
    const chunk = this.#chunks[(number - this.#first + mostChunks) % mostChunks]!;
    const offset = position % chunkSize;
    const length = chunk[offset]! | (chunk[offset + 1]! << 8) | (chunk[offset + 2]! << 16);
    return decoder.decode(chunk.subarray(offset + lengthBytes, offset + lengthBytes + length));
  }

  /** Drops the oldest text. */
  shift(): void {
    this.#counts[0]! -= 1;
    if (this.#counts[0]! > 0) return;
    if (this.#chunks.length === 1) this.#offset = 0;
    else this.#dropChunk();
  }

  #addChunk(size: number): boolean {
    if (size > chunkSize || this.#chunks.length === mostChunks) return false;
    this.#chunks.push(this.#unused.pop() ?? new Uint8Array(chunkSize));
    this.#counts.push(0);
    this.#offset = 0;
    return true;
  }

  #dropChunk(): void {
    const chunk = this.#chunks.shift()!;
    this.#counts.shift();
    this.#first = (this.#first + 1) % mostChunks;
    if (this.#unused.length < mostUnused) this.#unused.push(chunk);
  }
}
