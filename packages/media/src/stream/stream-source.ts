import { createFreeResampler } from '../dsp/free-resampler.ts';
import { isSilent } from '../dsp/level.ts';
import { createResampler, type Resampler } from '../dsp/resampler.ts';
import type { Source } from '../mix/source.ts';
import { copySamples } from '../samples/sample-loops.ts';
import { StreamQueue } from './stream-queue.ts';

/** Options of a stream source. */
export interface StreamSourceOptions {
  readonly name: string;
  /** Maximum queued audio; default 60 s. */
  readonly mostMs?: number;
  /** Maximum number of waiting marks; default 1024. */
  readonly mostMarks?: number;
  /** The last sample before this mark has been sent to the listeners. */
  readonly played: (mark: string) => void;
  /** Creates a new source with frames of this length. */
  readonly createSource: (frameSamples: number) => Source;
  readonly frameSamples: number;
}

interface Mark {
  readonly name: string;
  /** Position of the mark, in samples ever queued. */
  readonly behind: number;
  /** Frames to be sent after its samples were taken; −1 before. */
  framesLeft: number;
}

/** Rates with tables of their own; all others share one. */
const tabledRates = new Set([8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]);
/** As in FrameResampler, so that tables are shared. */
const ZERO_CROSSINGS = 24;
/** With this much audio a stream source begins at once. Audio in pieces of 20 ms waits one turn, as a reserve against jitter. */
const BEGIN_MS = 40;

const zeros = new Int16Array(512);

/** Live audio from a program to legs: a queue of samples at any rates, with marks between them. */
export class StreamSource {
  readonly name: string;
  /** What the legs hear; `retune` may replace it. */
  source: Source;
  readonly #options: StreamSourceOptions;
  readonly #queue: StreamQueue;
  readonly #mostMarks: number;
  #marks: Mark[] = [];
  /** Converted samples that wait for the rest of their frame. */
  #ready: Int16Array;
  #readyCount = 0;
  #resampler: Resampler | undefined;
  #resamplerRate = 0;
  /** The filter still contains the end of the audio. */
  #rings = false;
  #isFlowing = false;
  #hasWaited = false;
  #isPaused = false;
  /** Some listeners have another rate, so they hear the stream source a few ms later. */
  #isConverted = false;
  #playedFrames = 0;

  constructor(options: StreamSourceOptions) {
    this.name = options.name;
    this.#options = options;
    this.#queue = new StreamQueue(options.mostMs ?? 60_000);
    this.#mostMarks = options.mostMarks ?? 1024;
    this.source = options.createSource(options.frameSamples);
    this.#ready = new Int16Array(2 * options.frameSamples + 64);
  }

  /** Queued audio, in ms. */
  get queuedMs(): number {
    return this.#queue.ms;
  }

  get mostMs(): number {
    return this.#queue.mostMs;
  }

  /** Played audio, in whole frames. */
  get playedMs(): number {
    return this.#playedFrames * 20;
  }

  /** Whether a turn would play nothing. */
  get isIdle(): boolean {
    return this.#isPaused || (!this.#isFlowing && this.#queue.isEmpty);
  }

  /** Whether the next frame continues a frame that was heard. */
  get isFlowing(): boolean {
    return this.#isFlowing;
  }

  /** Queues 16-bit samples at 8,000 to 48,000 Hz; queues none and returns false when they exceed the limit. */
  put(samples: Int16Array, rate: number): boolean {
    return this.#queue.add(samples, rate);
  }

  /**
   * Reports when all audio queued before it has been sent, at once if nothing waits. False when too many marks wait.
   */
  mark(name: string): boolean {
    if (this.#marks.length >= this.#mostMarks) return false;
    if (this.#queue.isEmpty && !this.#isFlowing && this.#marks.length === 0) {
      this.#options.played(name);
      return true;
    }
    this.#marks.push({ name, behind: this.#queue.put, framesLeft: -1 });
    return true;
  }

  /** Drops the queue and its marks from the next frame on. Returns the names of the dropped marks. */
  clear(): readonly string[] {
    const dropped = this.#marks.map(({ name }) => name);
    this.#queue.clear();
    this.#marks = [];
    this.#stopFlow();
    return dropped;
  }

  /** Pauses or continues; a paused stream source is silent and keeps its queue. */
  pause(paused: boolean): void {
    if (paused === this.#isPaused) return;
    this.#isPaused = paused;
    this.source.active = false;
  }

  /** Sets the frame length; true when the source was replaced. `isConverted`: some listeners have another rate. */
  retune(frameSamples: number, isConverted: boolean): boolean {
    this.#isConverted = isConverted;
    if (frameSamples === this.source.frame.length) return false;
    this.source = this.#options.createSource(frameSamples);
    this.#ready = new Int16Array(2 * frameSamples + 64);
    this.#readyCount = 0;
    this.#resampler = undefined;
    this.#rings = false;
    return true;
  }

  /** Fills the frame with the next 20 ms. */
  advance(): void {
    const { source } = this;
    const { frame } = source;
    const count = frame.length;
    source.active = false;
    if (this.isIdle) return;
    if (!this.#isFlowing) {
      if (this.#queue.ms < BEGIN_MS && this.#marks.length === 0 && !this.#hasWaited) {
        this.#hasWaited = true;
        return;
      }
      this.#isFlowing = true;
    }
    const converted = this.#resampler !== undefined;
    this.#fill(count);
    const filled = Math.min(count, this.#readyCount);
    copySamples(this.#ready, 0, filled, frame, 0);
    if (filled < count) frame.fill(0, filled);
    this.#ready.copyWithin(0, filled, this.#readyCount);
    this.#readyCount -= filled;
    if (filled > 0) {
      this.#playedFrames++;
      source.active = !isSilent(frame, count);
    }
    const isLate = this.#isConverted || converted || this.#resampler !== undefined || this.#readyCount > 0;
    for (let m = 0; m < this.#marks.length; m++) {
      const mark = this.#marks[m]!;
      if (mark.framesLeft < 0 && mark.behind <= this.#queue.taken) mark.framesLeft = isLate ? 1 : 0;
      else if (mark.framesLeft > 0) mark.framesLeft--;
      else break;
    }
    const isOver = this.#queue.isEmpty && this.#readyCount === 0 && !this.#rings;
    // One turn later, so that the last frame is heard.
    if (isOver && filled === 0 && this.#marks.every(({ framesLeft }) => framesLeft === 0)) this.#stopFlow();
  }

  /** To be called when the frame has been sent: reports the marks that it reached. */
  sent(): void {
    while (this.#marks.length > 0 && this.#marks[0]!.framesLeft === 0) {
      const { name } = this.#marks.shift()!;
      this.#options.played(name);
    }
  }

  #stopFlow(): void {
    this.#isFlowing = false;
    this.#hasWaited = false;
    this.#resampler = undefined;
    this.#rings = false;
    this.#readyCount = 0;
    this.source.active = false;
  }

  /** Takes queued audio until a frame is complete. */
  #fill(count: number): void {
    const target = this.source.frame.length * 50;
    while (this.#readyCount < count) {
      const { rate } = this.#queue;
      if (rate !== this.#resamplerRate || rate === 0) {
        // The filter still contains the end of the previous run.
        if (this.#rings) {
          this.#flush();
          continue;
        }
        this.#resampler = undefined;
        this.#resamplerRate = 0;
      }
      if (rate === 0) return;
      if (rate === target) {
        this.#queue.take(count - this.#readyCount, this.#copy);
        continue;
      }
      if (this.#resampler === undefined) {
        this.#resampler = open(rate, target);
        this.#resamplerRate = rate;
      }
      const needed = Math.ceil(((count - this.#readyCount) * rate) / target);
      this.#queue.take(Math.max(1, needed), this.#convert);
      this.#rings = true;
    }
  }

  #flush(): void {
    const resampler = this.#resampler!;
    this.#rings = false;
    for (let left = resampler.delaySamples; left > 0; left -= zeros.length) {
      this.#convert(zeros, 0, Math.min(left, zeros.length));
    }
    this.#resampler = undefined;
    this.#resamplerRate = 0;
  }

  readonly #copy = (samples: Int16Array, offset: number, count: number): void => {
    copySamples(samples, offset, count, this.#ready, this.#readyCount);
    this.#readyCount += count;
  };

  readonly #convert = (samples: Int16Array, offset: number, count: number): void => {
    this.#readyCount += this.#resampler!.process(samples, offset, count, this.#ready, this.#readyCount);
  };
}

function open(from: number, to: number): Resampler {
  return tabledRates.has(from)
    ? createResampler({ from, to, zeroCrossings: ZERO_CROSSINGS })
    : createFreeResampler(from, to);
}
