import loadRnnoise, { type RnnoiseModule } from '@echogarden/rnnoise-wasm';
import { NoiseGate } from '../dsp/noise-gate.ts';

/** Removes noise from one voice. */
export interface NoiseCancellation {
  /** Replaces 20 ms at 48 kHz (960 samples) by the audio of 10 ms earlier, with less noise. */
  process(frame: Int16Array): void;
  /** Frees its memory; safe to call twice. */
  close(): void;
}

/**
 * `level` (0–100) is the maximum attenuation of noise: 0.4 dB each, so 34 dB at 85. At 0 the voice is unchanged, with
 * the same delay of 10 ms. Noise alone reaches this attenuation within 0.5 s.
 */
export type OpenNoiseCancellation = (level: number) => NoiseCancellation;

/** Block of RNNoise: 10 ms at 48 kHz, which is also the delay of its overlapping windows. */
const BLOCK = 480;
const FRAME = 960;
const DB_PER_LEVEL = 0.4;

/** Loads RNNoise, once per thread: 5 ms and 1 MB, and 30 KB for each voice. */
export async function loadNoiseCancellation(): Promise<OpenNoiseCancellation> {
  const rnnoise = await loadRnnoise();
  return (level) => new Rnnoise(rnnoise, DB_PER_LEVEL * Math.min(100, Math.max(0, level)));
}

class Rnnoise implements NoiseCancellation {
  readonly #rnnoise: RnnoiseModule;
  /** Remaining amplitude of noise. */
  readonly #floor: number;
  readonly #gate = new NoiseGate();
  #gain = 0;
  readonly #dry = new Int16Array(BLOCK);
  #state = 0;
  #block = 0;

  constructor(rnnoise: RnnoiseModule, limitDb: number) {
    this.#rnnoise = rnnoise;
    this.#floor = 10 ** (-limitDb / 20);
    if (limitDb === 0) return;
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
    const dry = this.#dry;
    const start = this.#block / 4;
    const isCleaned = this.#state !== 0;
    const from = this.#gain;
    if (isCleaned) {
      const input = this.#rnnoise.HEAPF32;
      let energy = 0;
      for (let i = 0; i < BLOCK; i++) {
        const sample = frame[at + i]!;
        input[start + i] = sample;
        energy += sample * sample;
      }
      const voice = this.#rnnoise._rnnoise_process_frame(this.#state, this.#block, this.#block);
      this.#gain = this.#gate.next(energy / BLOCK, voice);
    }
    // A new view, because the memory may have grown.
    const clean = this.#rnnoise.HEAPF32;
    const step = (this.#gain - from) / BLOCK;
    for (let i = 0; i < BLOCK; i++) {
      const before = dry[i]!;
      dry[i] = frame[at + i]!;
      const sample = isCleaned
        ? Math.round(this.#floor * before + (1 - this.#floor) * (from + step * (i + 1)) * clean[start + i]!)
        : before;
      frame[at + i] = sample > 32767 ? 32767 : sample < -32768 ? -32768 : sample;
    }
  }
}
