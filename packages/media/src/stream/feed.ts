import { createFreeResampler } from '../dsp/free-resampler.ts';
import { isSilent } from '../dsp/level.ts';
import { createResampler, type Resampler } from '../dsp/resampler.ts';
import type { Source } from '../mix/source.ts';
import { FeedQueue } from './feed-queue.ts';

/** What a feed is made of. */
export interface FeedOptions {
  readonly name: string;
  /** How much may wait; default 60 s. */
  readonly mostMs?: number;
  /** How many marks may wait; default 1024. */
  readonly mostMarks?: number;
  /** The last sample in front of this mark has been sent to those who hear. */
  readonly played: (mark: string) => void;
  /** A source for frames of so many samples, which nobody has heard yet. */
  readonly createSource: (frameSamples: number) => Source;
  readonly frameSamples: number;
}

interface Mark {
  readonly name: string;
  /** Behind so many samples of all that ever came. */
  readonly behind: number;
  /** Frames that have to be sent yet, once its samples are taken; −1 before. */
  framesLeft: number;
}

/** Rates whose pairs have a table of their own; all others share one. */
const tabledRates = new Set([8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]);
/** As in FrameResampler, so that tables are shared. */
const ZERO_CROSSINGS = 24;
/** With so much to play it begins at once; what comes 20 ms at a time gets one turn of a cushion against its jitter. */
const BEGIN_MS = 40;

const zeros = new Int16Array(512);

/** Sound that somebody outside plays to legs as it comes: a queue of samples at any rates, and marks between them. */
export class Feed {
  readonly name: string;
  /** What is heard; another one after `retune`. */
  source: Source;
  readonly #options: FeedOptions;
  readonly #queue: FeedQueue;
  readonly #mostMarks: number;
  #marks: Mark[] = [];
  /** Converted samples that wait for the rest of their frame. */
  #ready: Int16Array;
  #readyCount = 0;
  #resampler: Resampler | undefined;
  #resamplerRate = 0;
  /** The filter holds the end of what was played. */
  #rings = false;
  #isFlowing = false;
  #hasWaited = false;
  #isPaused = false;
  /** Some who hear are of another rate: what they hear comes a few ms later. */
  #isConverted = false;
  #playedFrames = 0;

  constructor(options: FeedOptions) {
    this.name = options.name;
    this.#options = options;
    this.#queue = new FeedQueue(options.mostMs ?? 60_000);
    this.#mostMarks = options.mostMarks ?? 1024;
    this.source = options.createSource(options.frameSamples);
    this.#ready = new Int16Array(2 * options.frameSamples + 64);
  }

  /** What waits to be played. */
  get queuedMs(): number {
    return this.#queue.ms;
  }

  get mostMs(): number {
    return this.#queue.mostMs;
  }

  /** What was played, in whole frames. */
  get playedMs(): number {
    return this.#playedFrames * 20;
  }

  /** Whether a turn would bring anything. */
  get isIdle(): boolean {
    return this.#isPaused || (!this.#isFlowing && this.#queue.isEmpty);
  }

  /** Whether its next frame follows on one that was heard. */
  get isFlowing(): boolean {
    return this.#isFlowing;
  }

  /** Queues 16-bit samples of 8,000 to 48,000 Hz; false, and none of them, when they exceed what may wait. */
  put(samples: Int16Array, rate: number): boolean {
    return this.#queue.add(samples, rate);
  }

  /** Tells when all that was queued before has been sent: at once when nothing waits. False when too many marks do. */
  mark(name: string): boolean {
    if (this.#marks.length >= this.#mostMarks) return false;
    if (this.#queue.isEmpty && !this.#isFlowing && this.#marks.length === 0) {
      this.#options.played(name);
      return true;
    }
    this.#marks.push({ name, behind: this.#queue.put, framesLeft: -1 });
    return true;
  }

  /** Nothing of what waits is heard, from the next frame on; its marks are forgotten. Returns what was dropped in ms. */
  clear(): number {
    const dropped = this.#queue.ms;
    this.#queue.clear();
    this.#marks = [];
    this.#stopFlow();
    return dropped;
  }

  /** Keeps what waits, and is silent meanwhile. */
  pause(paused: boolean): void {
    if (paused === this.#isPaused) return;
    this.#isPaused = paused;
    this.source.active = false;
  }

  /** Plays in frames of so many samples from now on; true when its source is another one. `isConverted`: some hear it at another rate. */
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
    for (let i = 0; i < filled; i++) frame[i] = this.#ready[i]!;
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
    // One turn later, so that its last frame is heard.
    if (isOver && filled === 0 && this.#marks.every(({ framesLeft }) => framesLeft === 0)) this.#stopFlow();
  }

  /** To be called when the frame has been sent: tells the marks that it has brought. */
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

  /** Takes what waits until a frame is complete. */
  #fill(count: number): void {
    const target = this.source.frame.length * 50;
    while (this.#readyCount < count) {
      const { rate } = this.#queue;
      if (rate !== this.#resamplerRate || rate === 0) {
        // The end of the run before it is in the filter still.
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
      const wanted = Math.ceil(((count - this.#readyCount) * rate) / target);
      this.#queue.take(Math.max(1, wanted), this.#convert);
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
    for (let i = 0; i < count; i++) this.#ready[this.#readyCount + i] = samples[offset + i]!;
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
