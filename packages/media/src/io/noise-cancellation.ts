import loadRnnoise, { type RnnoiseModule } from '@echogarden/rnnoise-wasm';

/** Takes noise out of one voice. */
export interface NoiseCancellation {
  /** Replaces 20 ms at 48 kHz (960 samples) by what was said 10 ms earlier, with less noise. */
  process(frame: Int16Array): void;
  /** Gives its memory back; safe to call twice. */
  close(): void;
}

/** `level` is how much of what is heard went through RNNoise, in percent; at 0 the voice is as it was, 10 ms later like the others. */
export type OpenNoiseCancellation = (level: number) => NoiseCancellation;

/** Of RNNoise: 10 ms at 48 kHz, which is also what its overlapping windows delay. */
const BLOCK = 480;
const FRAME = 960;

/** Loads RNNoise, once for a thread: 5 ms and 1 MB, and 30 KB for each voice. */
export async function loadNoiseCancellation(): Promise<OpenNoiseCancellation> {
  const rnnoise = await loadRnnoise();
  return (level) => new Rnnoise(rnnoise, Math.min(100, Math.max(0, level)) / 100);
}

class Rnnoise implements NoiseCancellation {
  readonly #rnnoise: RnnoiseModule;
  readonly #wet: number;
  readonly #dry = new Int16Array(BLOCK);
  #state = 0;
  #block = 0;

  constructor(rnnoise: RnnoiseModule, wet: number) {
    this.#rnnoise = rnnoise;
    this.#wet = wet;
    if (wet === 0) return;
    this.#state = rnnoise._rnnoise_create(0);
    this.#block = rnnoise._malloc(4 * BLOCK);
  }

  process(frame: Int16Array): void {
    for (let at = 0; at < FRAME; at += BLOCK) this.#processBlock(frame, at);
  }

  close(): void {
    if (this.#state === 0) return;
    this.#rnnoise._rnnoise_destroy(this.#state);
    this.#rnnoise._free(this.#block);
    this.#state = 0;
  }

  #processBlock(frame: Int16Array, at: number): void {
    const wet = this.#state === 0 ? 0 : this.#wet;
    const dry = this.#dry;
    const start = this.#block / 4;
    if (wet > 0) {
      const input = this.#rnnoise.HEAPF32;
      for (let i = 0; i < BLOCK; i++) input[start + i] = frame[at + i]!;
      this.#rnnoise._rnnoise_process_frame(this.#state, this.#block, this.#block);
    }
    // Another view when the memory has grown meanwhile.
    const clean = this.#rnnoise.HEAPF32;
    for (let i = 0; i < BLOCK; i++) {
      const before = dry[i]!;
      dry[i] = frame[at + i]!;
      const sample = wet > 0 ? Math.round(wet * clean[start + i]! + (1 - wet) * before) : before;
      frame[at + i] = sample > 32767 ? 32767 : sample < -32768 ? -32768 : sample;
    }
  }
}
