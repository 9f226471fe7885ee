import type { ConvertedSource, Heard } from './converted-source.ts';
import type { Source } from './source.ts';

/**
 * All listeners that hear the same set of sources, those who are in the set themselves minus their own frame. The set is
 * fixed when hearing changes; in a tick it is summed once, and encoded once per codec for everybody who hears all of it.
 */
export interface Audience {
  /** Samples of its frames, and the ids of the sources, ascending. */
  readonly key: string;
  readonly sources: readonly Source[];
  /** The same sources at the rate of its listeners, and those of them that had to be converted. */
  readonly heard: readonly Heard[];
  readonly converted: readonly ConvertedSource[];
  readonly sum: Int32Array;
  /** How many legs listen here; an audience without listeners is forgotten. */
  listeners: number;
  /** Tick in which `sum` was computed. */
  tick: number;
  /** Active sources in `sum`. */
  activeSources: number;
  gainBefore: number;
  gain: number;
  /** Payload of the whole sum for each codec (by index) and the tick for which it holds. */
  readonly payloads: Uint8Array[];
  readonly payloadTicks: number[];
}

/** The limiter keeps peaks of a sum at or below this: 1 dB under full scale. */
const CEILING = 29_204;
/** A frame that is too loud is turned down within 2 ms; what stands out during these is saturated. */
const ATTACK_PART = 0.1;
/** Gain comes back by this much a frame: from half to full in 0.3 s, slow enough not to be heard as pumping. */
const RELEASE_STEP = 1 / 30;

/** An audience of these sources, with room for one payload per codec; `convert` gives those of another rate. */
export function createAudience(
  sources: readonly Source[],
  key: string,
  frameSamples: number,
  codecs: number,
  convert: (source: Source) => ConvertedSource,
): Audience {
  const converted: ConvertedSource[] = [];
  const heard = sources.map((source): Heard => {
    if (source.frame.length === frameSamples) return source;
    const at = converted.push(convert(source)) - 1;
    return converted[at]!;
  });
  return {
    key,
    sources,
    heard,
    converted,
    sum: new Int32Array(frameSamples),
    listeners: 0,
    tick: -1,
    activeSources: 0,
    gainBefore: 1,
    gain: 1,
    payloads: Array.from({ length: codecs }, () => new Uint8Array(frameSamples * 2)),
    payloadTicks: Array.from({ length: codecs }, () => -1),
  };
}

/** Sums the active sources of this tick and sets the limiter's gain; does nothing when it was done in this tick already. */
export function sumAudience(audience: Audience, tick: number): void {
  if (audience.tick === tick) return;
  const { sum, converted } = audience;
  const sources = audience.heard;
  const count = sum.length;
  for (let c = 0; c < converted.length; c++) converted[c]!.refresh(tick);
  let active = 0;
  for (let s = 0; s < sources.length; s++) {
    const source = sources[s]!;
    if (!source.active) continue;
    const frame = source.frame;
    if (active === 0) for (let i = 0; i < count; i++) sum[i] = frame[i]!;
    else for (let i = 0; i < count; i++) sum[i] = sum[i]! + frame[i]!;
    active++;
  }
  audience.tick = tick;
  audience.activeSources = active;
  audience.gainBefore = audience.gain;
  if (active < 2) {
    audience.gainBefore = 1;
    audience.gain = 1;
    return;
  }
  let peak = 0;
  for (let i = 0; i < count; i++) {
    const sample = sum[i]!;
    const size = sample < 0 ? -sample : sample;
    if (size > peak) peak = size;
  }
  const bearable = peak > CEILING ? CEILING / peak : 1;
  audience.gain = bearable < audience.gain ? bearable : Math.min(bearable, audience.gain + RELEASE_STEP);
}

/**
 * Writes what a listener hears to `out`: the sum, minus `own` when given. A single talker passes bit for bit; several are
 * added at unity gain, and only a sum above the ceiling is turned down by one gain for the whole audience, ramped so that
 * neither clicks nor the harmonics of clipping are added.
 */
export function mixFor(audience: Audience, own: Int16Array | undefined, out: Int16Array): void {
  const sum = audience.sum;
  const count = sum.length;
  const heard = audience.activeSources - (own === undefined ? 0 : 1);
  const { gain, gainBefore } = audience;
  if (heard < 2 || (gain === 1 && gainBefore === 1)) {
    // Two loops, because a question asked for every sample costs as much as the subtraction.
    if (own === undefined) {
      for (let i = 0; i < count; i++) out[i] = saturate(sum[i]!);
    } else {
      for (let i = 0; i < count; i++) out[i] = saturate(sum[i]! - own[i]!);
    }
    return;
  }
  const rampLength = gain < gainBefore ? Math.round(count * ATTACK_PART) : count;
  const step = (gain - gainBefore) / rampLength;
  for (let i = 0; i < count; i++) {
    const g = i < rampLength ? gainBefore + step * (i + 1) : gain;
    out[i] = saturate(g * (own === undefined ? sum[i]! : sum[i]! - own[i]!));
  }
}

function saturate(sample: number): number {
  return sample > 32767 ? 32767 : sample < -32768 ? -32768 : sample;
}
