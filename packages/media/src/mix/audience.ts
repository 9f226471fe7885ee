import { bend, CEILING } from '../dsp/soft-ceiling.ts';
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
  /** The limiter's gain at the end of the tick before and of this one. */
  gainBefore: number;
  gain: number;
  /** The gain falls until this sample. */
  rampEnd: number;
  /** Frames for which it stays where it is before it rises. */
  hold: number;
  /** Payload of the whole sum for each codec (by index) and the tick for which it holds. */
  readonly payloads: Uint8Array[];
  readonly payloadTicks: number[];
}

/**
 * The gain has fallen when the first sample comes that would be too loud, or after 1 ms where that one comes sooner; what stands out
 * during this is bent.
 */
const SHORTEST_RAMP_PART = 0.05;
/** It rises 200 ms after the last loud frame, or it would move within syllables; then by 33 dB a second, too slow to be a sound of its own. */
const HOLD_FRAMES = 10;
/** Frames that could bear half a decibel more are still loud ones: beats would make the gain swing. */
const NEAR = 1.06;
const RELEASE = 1.08;

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
    rampEnd: 0,
    hold: 0,
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
    audience.gain = 1;
    audience.rampEnd = count;
    audience.hold = 0;
    return;
  }
  let peak = 0;
  for (let i = 0; i < count; i++) {
    const sample = sum[i]!;
    const size = sample < 0 ? -sample : sample;
    if (size > peak) peak = size;
  }
  // Half of the ceiling without one voice is above it only where that voice cancels the others: then it is bent.
  if (peak > CEILING / 2) limit(audience, active > 2);
  else recover(audience, 1);
}

/** Sets the gain that the loudest of what anybody hears can bear, and when it is to be reached. */
function limit(audience: Audience, withoutOwn: boolean): void {
  const sources = audience.heard;
  audience.rampEnd = audience.sum.length;
  let peak = weigh(audience, undefined);
  if (withoutOwn) {
    for (let s = 0; s < sources.length; s++) {
      const source = sources[s]!;
      if (source.active) peak = Math.max(peak, weigh(audience, source.frame));
    }
  }
  const bearable = peak > CEILING ? CEILING / peak : 1;
  if (bearable < 1 && bearable < audience.gain * NEAR) audience.hold = HOLD_FRAMES;
  if (bearable >= audience.gain) recover(audience, bearable);
  else {
    audience.gain = bearable;
    audience.rampEnd = Math.max(audience.rampEnd, Math.round(audience.sum.length * SHORTEST_RAMP_PART));
  }
}

function recover(audience: Audience, bearable: number): void {
  audience.rampEnd = audience.sum.length;
  if (audience.gain === 1) return;
  if (audience.hold > 0) audience.hold--;
  else audience.gain = Math.min(bearable, audience.gain * RELEASE);
}

/** The peak of the sum, minus `own` when given; moves the end of the ramp before the first sample that is too loud at the present gain. */
function weigh(audience: Audience, own: Int16Array | undefined): number {
  const { sum } = audience;
  const count = sum.length;
  let [least, most] = [0, 0];
  if (own === undefined) {
    for (let i = 0; i < count; i++) {
      const sample = sum[i]!;
      if (sample > most) most = sample;
      else if (sample < least) least = sample;
    }
  } else {
    for (let i = 0; i < count; i++) {
      const sample = sum[i]! - own[i]!;
      if (sample > most) most = sample;
      else if (sample < least) least = sample;
    }
  }
  const peak = Math.max(most, -least);
  const bearable = CEILING / audience.gain;
  if (peak > bearable) {
    for (let i = 0; i < audience.rampEnd; i++) {
      const sample = own === undefined ? sum[i]! : sum[i]! - own[i]!;
      if (sample > bearable || sample < -bearable) audience.rampEnd = i;
    }
  }
  return peak;
}

/**
 * Writes what a listener hears to `out`: the sum, minus `own` when given; returns the gain at its end, from which his next frame
 * goes on. A single talker passes bit for bit; several are added at unity gain, and only where that is too loud are all turned
 * down by one gain, which moves smoothly from `gainBefore`.
 */
export function mixFor(
  audience: Audience,
  own: Int16Array | undefined,
  out: Int16Array,
  gainBefore: number = audience.gainBefore,
): number {
  const { sum } = audience;
  const count = sum.length;
  const heard = audience.activeSources - (own === undefined ? 0 : 1);
  const gain = heard < 2 ? 1 : audience.gain;
  if (gain === 1 && gainBefore === 1) {
    // Four loops, because a question asked for every sample costs as much as the subtraction.
    if (own === undefined) {
      if (heard < 2) for (let i = 0; i < count; i++) out[i] = sum[i]!;
      else for (let i = 0; i < count; i++) out[i] = bend(sum[i]!);
    } else if (heard < 2) for (let i = 0; i < count; i++) out[i] = sum[i]! - own[i]!;
    else for (let i = 0; i < count; i++) out[i] = bend(sum[i]! - own[i]!);
    return 1;
  }
  const rampEnd = gain < gainBefore ? audience.rampEnd : count;
  const step = (gain - gainBefore) / rampEnd;
  for (let i = 0; i < count; i++) {
    const g = i < rampEnd ? gainBefore + step * (i + 1) : gain;
    out[i] = Math.round(bend(g * (own === undefined ? sum[i]! : sum[i]! - own[i]!)));
  }
  return gain;
}
