import { setImmediate as nextTurn } from 'node:timers/promises';
import { createResampler, type Resampler } from '../dsp/resampler.ts';
import { narrowClipRate as NARROW, wideClipRate as WIDE } from '../engine/clip-rates.ts';
import type { SoundClip } from '../engine/commands.ts';
import type { MediaEngine } from '../engine/engine-interface.ts';

/** Samples between two looks at the clock: some 20 µs, and ten times that before V8 has compiled the filter. */
const CLIP_STEP = 125;
/** A turn of the event loop converts for this long: less than the time between two polls, so that the thread pauses before the next. */
const TURN_MS = 0.5;

/** Converts clips between ticks, and gives them to an engine. */
export interface ClipLoader {
  /** See MediaHost. */
  load(name: string, clip: SoundClip): Promise<void>;
  /** See MediaHost. */
  grow(name: string, piece: SoundClip, isLast: boolean): Promise<void>;
  /** Forgets a clip that grows. */
  drop(name: string): void;
  isConverting(): boolean;
}

/** Creates the loader of one engine. */
export function createClipLoader(engine: Pick<MediaEngine, 'loadClip' | 'growClip'>): ClipLoader {
  let converting = 0;
  const growing = new Map<string, Growing>();

  async function growTurn(name: string, known: Growing, piece: SoundClip, isLast: boolean): Promise<void> {
    if (growing.get(name) !== known) return;
    converting++;
    try {
      const narrow = await converted(known.narrow, piece.samples, isLast);
      const wide = known.wide && (await converted(known.wide, piece.samples, isLast));
      if (growing.get(name) !== known) return;
      if (isLast) growing.delete(name);
      if (engine.growClip(name, { narrow, wide, isLast })) return;
      growing.delete(name);
    } finally {
      converting--;
    }
    throw new RangeError(`clip ${name} does not fit: the limit of samples of all clips is reached`);
  }

  return {
    grow(name, piece, isLast) {
      const known = growing.get(name) ?? growingOf(piece.sampleRate);
      growing.set(name, known);
      // One piece after another: filters keep the end of the piece before.
      const turn = known.last.then(() => growTurn(name, known, piece, isLast));
      known.last = turn.catch(() => {});
      return turn;
    },
    drop: (name) => void growing.delete(name),
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
  const { out } = await resampled(createResampler({ from: sampleRate, to: rate }), samples, true);
  return out.slice(0, Math.round((samples.length * rate) / sampleRate));
}

interface Growing {
  readonly narrow: Resampler | undefined;
  readonly wide: Resampler | undefined;
  last: Promise<void>;
}

function growingOf(rate: number): Growing {
  return {
    narrow: rate === NARROW ? undefined : createResampler({ from: rate, to: NARROW }),
    wide: rate > NARROW ? createResampler({ from: rate, to: WIDE }) : undefined,
    last: Promise.resolve(),
  };
}

/** Samples keep their filter between pieces; the last piece flushes it. */
async function converted(
  resampler: Resampler | undefined,
  samples: Int16Array,
  isLast: boolean,
): Promise<Int16Array> {
  if (resampler === undefined) return samples;
  const { out, written } = await resampled(resampler, samples, isLast);
  return out.slice(0, written);
}

/** At the end of a clip, silence flushes the last samples out of the filter. */
async function resampled(
  resampler: Resampler,
  samples: Int16Array,
  isEnd: boolean,
): Promise<{ readonly out: Int16Array; readonly written: number }> {
  const tail = new Int16Array(isEnd ? resampler.delaySamples + 1 : 0);
  const out = new Int16Array(resampler.outputBound(samples.length + tail.length));
  let written = 0;
  for (let at = 0; at < samples.length; ) {
    const end = performance.now() + TURN_MS;
    do {
      const count = Math.min(CLIP_STEP, samples.length - at);
      written += resampler.process(samples, at, count, out, written);
      at += count;
    } while (at < samples.length && performance.now() < end);
    // After the last samples too: many short pieces may wait to be converted.
    await nextTurn();
  }
  written += resampler.process(tail, 0, tail.length, out, written);
  return { out, written };
}
