import { FrameResampler } from '../dsp/frame-resampler.ts';

/** Links the frames of one leg to a track of one capture. */
export interface Tap {
  readonly capture: Capture;
  readonly track: number;
  /** The number of the capture's frame that the leg's next frame belongs to. */
  next: number;
  readonly leg: LegTaps;
  /** Converts frames of another rate than the capture's. */
  resampler: FrameResampler | undefined;
  /** The filter still contains the end of a frame. */
  rings: boolean;
}

/** All taps on one leg: on what it says and on what it hears. */
export interface LegTaps {
  readonly leg: string;
  readonly said: Tap[];
  readonly heard: Tap[];
  /** Whether the leg has turns, so that captures wait for its frames. */
  isPresent: boolean;
}

/**
 * Receives a chunk of 16-bit samples, interleaved by track, and owns its whole buffer. The chunk is empty when only the
 * end is reported, and has no track for an unknown name. A capture never changes its sample rate.
 */
export type TakeCaptured = (
  capture: string,
  tracks: number,
  samples: Int16Array<ArrayBuffer>,
  isLast: boolean,
  sampleRate: number,
) => void;

/** Sizes of a capture. */
export interface CaptureOptions {
  readonly name: string;
  readonly tracks: number;
  readonly frameSamples: number;
  /** Steps in which every leg has one turn. */
  readonly phases: number;
  /** Frames of 20 ms in a chunk. */
  readonly chunkFrames: number;
  /** The chunk's buffer is reused after `take`, which must not keep it. */
  readonly reuses?: boolean;
  readonly take: TakeCaptured;
}

/** Frames that may be incomplete at once. One more completes the oldest without the legs that are late. */
const SLOTS = 8;
/** Maximum silence for one stall: 10 minutes. A longer gap is a suspended machine. */
const MOST_SKIPPED = 30_000;

/**
 * Sums frames of legs that have their turns at different times.
 *
 * n-th frame of each leg ──► sums of frame n (per track) ──► chunk ──► taken
 *
 * A leg's frames are consecutive in any phase: frame n is complete when every present leg has contributed, and a new
 * leg joins the oldest incomplete frame. So a move of a mix to another phase repeats and loses no frame. The time that
 * it shifts is corrected when all tracks are silent.
 */
export class Capture {
  readonly name: string;
  /** The legs of its tracks, as they were named last. */
  legs: readonly { readonly said: readonly string[]; readonly heard: readonly string[] }[] = [];
  readonly #reuses: boolean;
  readonly #frame: number;
  readonly #phases: number;
  readonly #chunkFrames: number;
  readonly #take: TakeCaptured;
  /** Indexed by frame number modulo SLOTS, then track, then sample. */
  #sums: Int32Array;
  #tracks: number;
  readonly #converted: Int16Array;
  readonly #isLoud = new Uint8Array(SLOTS);
  #taps: Tap[] = [];
  /** The oldest incomplete frame, and the first frame without any contribution. */
  #head = 0;
  #end = 0;
  /** Steps and frames since the start or the end of a pause. */
  #steps = 0;
  #kept = 0;
  #isPaused = false;
  #chunk: Int16Array<ArrayBuffer> | undefined;
  #inChunk = 0;

  constructor(options: CaptureOptions) {
    this.name = options.name;
    this.#tracks = options.tracks;
    this.#reuses = options.reuses ?? false;
    this.#frame = options.frameSamples;
    this.#phases = options.phases;
    this.#chunkFrames = options.chunkFrames;
    this.#take = options.take;
    this.#sums = new Int32Array(SLOTS * options.tracks * options.frameSamples);
    this.#converted = new Int16Array(options.frameSamples);
  }

  get tracks(): number {
    return this.#tracks;
  }

  get frameSamples(): number {
    return this.#frame;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get taps(): readonly Tap[] {
    return this.#taps;
  }

  set taps(taps: readonly Tap[]) {
    this.#taps = [...taps];
  }

  /** The first frame number of a new tap. */
  get head(): number {
    return this.#head;
  }

  /** Adds the next frame of a tap, at any rate; undefined for silence. To be called in each turn of the leg. */
  put(tap: Tap, given: Int16Array | undefined): void {
    if (this.#isPaused) return;
    const frame = this.#atOwnRate(tap, given);
    if (tap.next < this.#head) tap.next = this.#head;
    // A leg is too late to wait for: its track has silence.
    while (tap.next - this.#head >= SLOTS) this.#emit();
    const number = tap.next++;
    if (tap.next > this.#end) this.#end = tap.next;
    if (frame === undefined) return;
    const slot = number % SLOTS;
    const at = (slot * this.tracks + tap.track) * this.#frame;
    const sums = this.#sums;
    for (let i = 0; i < frame.length; i++) sums[at + i] = sums[at + i]! + frame[i]!;
    this.#isLoud[slot] = 1;
  }

  #atOwnRate(tap: Tap, frame: Int16Array | undefined): Int16Array | undefined {
    if (frame === undefined) {
      if (!tap.rings) return undefined;
      // One frame of silence flushes the filter.
      tap.resampler!.convert(undefined, this.#converted);
      tap.rings = false;
      return this.#converted;
    }
    if (frame.length === this.#frame) return frame;
    if (tap.resampler?.inputSamples !== frame.length) {
      tap.resampler = new FrameResampler(frame.length, this.#frame);
    }
    tap.resampler.convert(frame, this.#converted);
    tap.rings = true;
    return this.#converted;
  }

  /** Ends a step of the engine: keeps completed frames, or silence when no leg is present. */
  step(): void {
    if (this.#isPaused) return;
    const elapsed = Math.floor(++this.#steps / this.#phases);
    // Early turns must not make more frames than time has passed; surplus frames wait here.
    while (this.#isComplete(elapsed)) {
      const isSilent = this.#isLoud[this.#head % SLOTS] === 0;
      this.#emit();
      // Late turns have made fewer frames: the missing time is inserted where it is inaudible.
      if (isSilent) while (this.#kept < elapsed - 1) this.#keep(undefined);
    }
  }

  /** Inserts silence on all tracks for frames that all legs skipped, so that the tracks stay aligned. */
  skip(frames: number): void {
    if (this.#isPaused || this.#reuses) return;
    this.#drain();
    const silent = Math.min(frames, MOST_SKIPPED);
    for (let n = 0; n < silent; n++) this.#keep(undefined);
    this.#steps += silent * this.#phases;
  }

  pause(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    if (isPaused) {
      this.#drain();
      this.#handOver(false);
    }
    this.#isPaused = isPaused;
    this.#steps = 0;
    this.#kept = 0;
  }

  /** Changes the number of tracks after emitting the present chunk; the caller then sets the taps. */
  divide(tracks: number): void {
    if (tracks === this.#tracks) return;
    this.#drain();
    this.#handOver(false);
    this.#tracks = tracks;
    this.#chunk = undefined;
    this.#sums = new Int32Array(SLOTS * tracks * this.#frame);
  }

  /** Emits the samples that it holds; another engine continues the capture. */
  pass(): void {
    this.#drain();
    this.#handOver(false);
  }

  /** Emits the last chunk. */
  finish(): void {
    this.#drain();
    this.#handOver(true);
  }

  #isComplete(elapsed: number): boolean {
    let isAnybodyThere = false;
    for (let t = 0; t < this.#taps.length; t++) {
      const tap = this.#taps[t]!;
      if (!tap.leg.isPresent) continue;
      if (tap.next <= this.#head) return false;
      isAnybodyThere = true;
    }
    return this.#kept < (isAnybodyThere ? elapsed + 2 : elapsed);
  }

  #drain(): void {
    while (this.#head < this.#end) this.#emit();
  }

  #emit(): void {
    const slot = this.#head++ % SLOTS;
    if (this.#end < this.#head) this.#end = this.#head;
    if (this.#isLoud[slot] === 0) {
      this.#keep(undefined);
      return;
    }
    this.#isLoud[slot] = 0;
    this.#keep(slot);
  }

  /** Appends the sums of this slot, or a frame of silence, to the chunk. */
  #keep(slot: number | undefined): void {
    const frame = this.#frame;
    const tracks = this.#tracks;
    this.#chunk ??= new Int16Array(this.#chunkFrames * frame * tracks);
    const chunk = this.#chunk;
    const at = this.#inChunk++ * frame * tracks;
    this.#kept++;
    if (slot === undefined && this.#reuses) chunk.fill(0, at, at + frame * tracks);
    if (slot !== undefined) {
      const from = slot * tracks * frame;
      for (let track = 0; track < tracks; track++) {
        for (let i = 0; i < frame; i++) {
          const sum = this.#sums[from + track * frame + i]!;
          chunk[at + i * tracks + track] = sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
        }
      }
      this.#sums.fill(0, from, from + tracks * frame);
    }
    if (this.#inChunk === this.#chunkFrames) this.#handOver(false);
  }

  #handOver(isLast: boolean): void {
    const count = this.#inChunk * this.#frame * this.tracks;
    const chunk = this.#chunk;
    if (!this.#reuses) this.#chunk = undefined;
    this.#inChunk = 0;
    if (chunk !== undefined && count === chunk.length)
      this.#take(this.name, this.tracks, chunk, isLast, this.#frame * 50);
    else if (count > 0) this.#take(this.name, this.tracks, chunk!.slice(0, count), isLast, this.#frame * 50);
    else if (isLast) this.#take(this.name, this.tracks, new Int16Array(0), true, this.#frame * 50);
  }
}
