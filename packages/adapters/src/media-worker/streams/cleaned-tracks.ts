import { FrameResampler } from '@jackfield/media';
import type { NoiseCancellation, OpenNoiseCancellation } from '@jackfield/media/io';
import type { StreamTrack } from '@jackfield/ports';

/** Legs of one channel of a tap. */
interface TappedLegs {
  readonly said: readonly string[];
  readonly heard: readonly string[];
}

interface Channel {
  readonly track: number;
  readonly name: string;
  readonly cleaner: NoiseCancellation;
}

/** The only rate that RNNoise supports. */
export const cleanedRate = 48_000;
const FRAME = cleanedRate / 50;

/**
 * Removes noise from the audio that legs send on the tracks of a stream. The audio that legs receive has its own channels and stays
 * unchanged, but is also delayed by 10 ms: all tracks share one clock.
 */
export class CleanedTracks {
  /** The legs to tap, at 48 kHz. */
  readonly tapped: readonly TappedLegs[];
  readonly #channels: readonly Channel[];
  readonly #resamplers: ReadonlyMap<string, FrameResampler>;
  readonly #byTrack: readonly FrameResampler[];
  readonly #frame = new Int16Array(FRAME);
  readonly #sums: readonly Int16Array[];
  readonly #converted: Int16Array;
  readonly #out: Int16Array;
  readonly #tracks: number;

  /** Tracks that existed before keep their state. */
  constructor(
    tracks: readonly StreamTrack[],
    sampleRate: number,
    level: number,
    open: OpenNoiseCancellation,
    former?: CleanedTracks,
  ) {
    const cleaners = new Map(
      (former === undefined ? [] : former.#channels).map(({ name, cleaner }) => [name, cleaner]),
    );
    const take = (name: string, cleaned: number): NoiseCancellation => {
      const cleaner = cleaners.get(name) ?? open(cleaned);
      cleaners.delete(name);
      return cleaner;
    };
    const tapped: TappedLegs[] = [];
    const channels: Channel[] = [];
    tracks.forEach(({ name: label, said, heard }, track) => {
      if (said.length > 0) {
        const name = `said ${label}`;
        tapped.push({ said, heard: [] });
        channels.push({ track, name, cleaner: take(name, level) });
      }
      if (heard.length > 0 || said.length === 0) {
        const name = `heard ${label}`;
        tapped.push({ said: [], heard });
        channels.push({ track, name, cleaner: take(name, 0) });
      }
    });
    for (const cleaner of cleaners.values()) cleaner.close();
    const samples = sampleRate / 50;
    this.tapped = tapped;
    this.#channels = channels;
    this.#tracks = tracks.length;
    this.#byTrack = tracks.map(
      ({ name }) =>
        (former === undefined ? undefined : former.#resamplers.get(name)) ??
        new FrameResampler(FRAME, samples),
    );
    this.#resamplers = new Map(tracks.map(({ name }, track) => [name, this.#byTrack[track]!]));
    this.#sums = tracks.map(() => new Int16Array(FRAME));
    this.#converted = new Int16Array(samples);
    this.#out = new Int16Array(samples * tracks.length);
  }

  /** Converts interleaved channels to interleaved tracks at the rate of the stream; valid until the next frame. */
  process(samples: Int16Array): Int16Array {
    const frame = this.#frame;
    const channels = this.#channels;
    const count = channels.length;
    for (let t = 0; t < this.#tracks; t++) this.#sums[t]!.fill(0);
    for (let c = 0; c < count; c++) {
      const { track, cleaner } = channels[c]!;
      for (let i = 0; i < FRAME; i++) frame[i] = samples[c + i * count]!;
      cleaner.process(frame);
      const sum = this.#sums[track]!;
      for (let i = 0; i < FRAME; i++) {
        const sample = sum[i]! + frame[i]!;
        sum[i] = sample > 32767 ? 32767 : sample < -32768 ? -32768 : sample;
      }
    }
    const out = this.#out;
    const converted = this.#converted;
    for (let t = 0; t < this.#tracks; t++) {
      this.#byTrack[t]!.convert(this.#sums[t], converted);
      for (let i = 0; i < converted.length; i++) out[t + i * this.#tracks] = converted[i]!;
    }
    return out;
  }

  close(): void {
    for (const { cleaner } of this.#channels) cleaner.close();
  }
}
