import type { RecordedPeaks } from '@jackfield/ports';

export interface PeakMeter {
  /** Samples with the channels interleaved; their rate is that of the first portion. */
  take(samples: Int16Array, sampleRate: number): void;
  /** The peaks so far; undefined without a sample. */
  peaks(): RecordedPeaks | undefined;
}

const firstPairMs = 100;
/** Pairs of all channels together: 80 kB. */
const mostPairs = 40_000;
const mostPairsOfChannel = 20_000;
const firstPairs = 256;

/**
 * The least and the greatest sample of each 100 ms of each channel, while they are recorded: a page draws an hour of sound without
 * reading its file. At the limit neighbours are joined, and each pair covers twice the time.
 */
export function createPeakMeter(channels: number): PeakMeter {
  // An even number, so that each pair has a neighbour.
  const most = 2 * Math.max(1, Math.floor(Math.min(mostPairsOfChannel, mostPairs / channels) / 2));
  const lows = new Int16Array(channels);
  const highs = new Int16Array(channels);
  /** For each pair the least and the greatest sample of each channel, one channel after another. */
  let pairs = new Int8Array(firstPairs * channels * 2);
  let count = 0;
  let pairMs = firstPairMs;
  let framesOfPair = 0;
  let frames = 0;

  function begin(): void {
    lows.fill(32_767);
    highs.fill(-32_768);
    frames = 0;
  }

  function endPair(): void {
    const at = count * channels * 2;
    if (at === pairs.length) {
      const longer = new Int8Array(pairs.length * 2);
      longer.set(pairs);
      pairs = longer;
    }
    for (let channel = 0; channel < channels; channel++) {
      pairs[at + channel * 2] = scaled(lows[channel]!);
      pairs[at + channel * 2 + 1] = scaled(highs[channel]!);
    }
    count += 1;
    if (count === most) joinNeighbours();
    begin();
  }

  function joinNeighbours(): void {
    const width = channels * 2;
    const half = count / 2;
    for (let pair = 0; pair < half; pair++) {
      for (let at = 0; at < width; at++) {
        const [one, other] = [pairs[2 * pair * width + at]!, pairs[(2 * pair + 1) * width + at]!];
        pairs[pair * width + at] = at % 2 === 0 ? Math.min(one, other) : Math.max(one, other);
      }
    }
    count = half;
    pairMs *= 2;
    framesOfPair *= 2;
  }

  begin();
  return {
    take(samples, sampleRate) {
      if (framesOfPair === 0) framesOfPair = (sampleRate * pairMs) / 1000;
      for (let at = 0; at < samples.length; at += channels) {
        for (let channel = 0; channel < channels; channel++) {
          const sample = samples[at + channel]!;
          if (sample < lows[channel]!) lows[channel] = sample;
          if (sample > highs[channel]!) highs[channel] = sample;
        }
        frames += 1;
        if (frames >= framesOfPair) endPair();
      }
    },
    peaks() {
      if (frames > 0) endPair();
      if (count === 0) return undefined;
      const ofChannel = (channel: number) =>
        Int8Array.from({ length: count * 2 }, (_, at) => {
          return pairs[(at >> 1) * channels * 2 + channel * 2 + (at & 1)]!;
        });
      return { pairMs, channels: Array.from({ length: channels }, (_, channel) => ofChannel(channel)) };
    },
  };
}

/** From −127 to 127. */
function scaled(sample: number): number {
  return Math.max(-127, Math.round((sample * 127) / 32_767));
}
