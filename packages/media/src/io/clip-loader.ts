import { setImmediate as nextTurn } from 'node:timers/promises';
import { createResampler } from '../dsp/resampler.ts';
import type { SoundClip } from '../engine/commands.ts';
import type { MediaEngine } from '../engine/engine-interface.ts';

/** Rates of stored clips. */
const NARROW = 8000;
const WIDE = 16_000;

/** Samples per conversion step: a few tenths of a millisecond. */
const CLIP_STEP = 2000;

/** Converts clips between ticks, and gives them to an engine. */
export interface ClipLoader {
  /** See MediaHost. */
  load(name: string, clip: SoundClip): Promise<void>;
  isConverting(): boolean;
}

/** Creates the loader of one engine. */
export function createClipLoader(engine: Pick<MediaEngine, 'loadClip'>): ClipLoader {
  let converting = 0;
  return {
    async load(name, clip) {
      converting++;
      try {
        const narrow = await convert(clip, NARROW);
        const kept =
          clip.sampleRate > NARROW
            ? { sampleRate: WIDE, samples: await convert(clip, WIDE) }
            : { sampleRate: NARROW, samples: narrow };
        if (engine.loadClip(name, kept, narrow)) return;
      } finally {
        converting--;
      }
      throw new RangeError(`clip ${name} does not fit: the limit of samples of all clips is reached`);
    },
    isConverting: () => converting > 0,
  };
}

async function convert({ sampleRate, samples }: SoundClip, rate: number): Promise<Int16Array> {
  if (sampleRate === rate) return samples;
  const resampler = createResampler({ from: sampleRate, to: rate });
  const length = Math.round((samples.length * rate) / sampleRate);
  // Silence after the end flushes the last samples out of the filter.
  const tail = new Int16Array(resampler.delaySamples + 1);
  const out = new Int16Array(resampler.outputBound(samples.length + tail.length));
  let written = 0;
  for (let at = 0; at < samples.length; at += CLIP_STEP) {
    const count = Math.min(CLIP_STEP, samples.length - at);
    written += resampler.process(samples, at, count, out, written);
    await nextTurn();
  }
  resampler.process(tail, 0, tail.length, out, written);
  return out.slice(0, length);
}
