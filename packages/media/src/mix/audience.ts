import type { AudioCodec } from '../codec/audio-codec.ts';
import { CEILING } from '../dsp/soft-ceiling.ts';
import { addToSum, peakOfSum, scaleSum, startSum, subtractFromSum } from '../samples/sample-loops.ts';
import { allocateSums } from '../samples/sample-memory.ts';
import type { ConvertedSource, Heard } from './converted-source.ts';
import type { Source } from './source.ts';

/**
 * All listeners that hear the same set of sources; a listener in the set hears it minus its own frame. The set is fixed
 * when hearing changes. A tick sums it once, and encodes it once per codec for all listeners that hear the whole set.
 */
export interface Audience {
  /** Samples of its frames, and the ids of the sources, ascending. */
  readonly key: string;
  readonly sources: readonly Source[];
  /** The same sources at the rate of the listeners, and those of them that need conversion. */
  readonly heard: readonly Heard[];
  readonly converted: readonly ConvertedSource[];
  readonly frameSamples: number;
  /** Allocated with the first active source. */
  sum: Int32Array;
  /** Number of listeners; an audience without listeners is removed. */
  listeners: number;
  /** Tick in which `sum` was computed. */
  tick: number;
  /** Active sources in `sum`. */
  activeSources: number;
  /** The limiter's gain at the end of the previous tick and of this one. */
  gainBefore: number;
  gain: number;
  /** The gain falls until this sample of the frame. */
  rampEnd: number;
  /** Frames for which the gain stays constant before it rises. */
  hold: number;
  /** The encoded sum for each codec (by index) that has needed it, and its tick. */
  readonly payloads: (Uint8Array | undefined)[];
  readonly payloadTicks: number[];
  /** Stateful encoders that several listeners share; closed with the audience. */
  readonly streams: SharedStream[];
}

/** The sum in a stateful codec: one encoder for all listeners with the same `encoding`. */
export interface SharedStream {
  readonly encoding: string;
  /** Undefined until two listeners can share it. */
  codec: AudioCodec | undefined;
  payload: Uint8Array;
  bytes: number;
  /** Tick of its last frame. */
  tick: number;
  /** Listeners who could have heard it: in the last frame, and in this one, whose tick is `countedTick`. */
  listenersBefore: number;
  listeners: number;
  countedTick: number;
}

/**
 * The gain falls until the first sample that would be too loud, but for at least 1 ms (this share of a frame). Samples
 * above the ceiling meanwhile are compressed softly.
 */
const SHORTEST_RAMP_PART = 0.05;
/**
 * The gain rises 200 ms after the last loud frame, so that it does not move within syllables; then by 33 dB a second,
 * which is inaudible.
 */
const HOLD_FRAMES = 10;
/** A frame within half a decibel of the ceiling still counts as loud: otherwise beats would make the gain oscillate. */
const NEAR = 1.06;
const RELEASE = 1.08;

const none = new Int32Array(0);

/** Creates an audience for `codecs` with shared payloads; `convert` converts sources of another rate. */
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
    frameSamples,
    sum: none,
    listeners: 0,
    tick: -1,
    activeSources: 0,
    gainBefore: 1,
    gain: 1,
    rampEnd: 0,
    hold: 0,
    payloads: new Array<undefined>(codecs).fill(undefined),
    payloadTicks: new Array<number>(codecs).fill(-1),
    streams: [],
  };
}

/** Sums the active sources of this tick and sets the limiter's gain, once per tick. */
export function sumAudience(audience: Audience, tick: number): void {
  if (audience.tick === tick) return;
  const { converted } = audience;
  const sources = audience.heard;
  const count = audience.frameSamples;
  for (let c = 0; c < converted.length; c++) converted[c]!.refresh(tick);
  let active = 0;
  for (let s = 0; s < sources.length; s++) {
    const source = sources[s]!;
    if (!source.active) continue;
    if (audience.sum === none) audience.sum = allocateSums(count);
    if (active === 0) startSum(audience.sum, source.frame);
    else addToSum(audience.sum, source.frame);
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
  const peak = peakOfSum(audience.sum, undefined);
  // A sum without one voice exceeds the ceiling from half of it only if that voice cancels the others; samples above it
  // are then compressed.
  if (peak > CEILING / 2) limit(audience, active > 2);
  else recover(audience, 1);
}

/** Sets the gain at which no listener's frame exceeds the ceiling, and the end of its ramp. */
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

/**
 * Returns the peak of the sum, minus `own` when given. Ends the ramp before the first sample that is too loud at the
 * present gain.
 */
function weigh(audience: Audience, own: Int16Array | undefined): number {
  const { sum } = audience;
  const peak = peakOfSum(sum, own);
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
 * Writes a listener's frame to `out`: the sum, minus `own` when given. Returns the gain at its end, at which the
 * listener's next frame starts. A single talker passes bit for bit. Several are added at unity gain; if the sum is too
 * loud, one gain lowers them all, with a ramp from `gainBefore`.
 */
export function mixFor(
  audience: Audience,
  own: Int16Array | undefined,
  out: Int16Array,
  gainBefore: number = audience.gainBefore,
): number {
  const { sum } = audience;
  const heard = audience.activeSources - (own === undefined ? 0 : 1);
  const gain = heard < 2 ? 1 : audience.gain;
  if (gain === 1 && gainBefore === 1) {
    const peak = subtractFromSum(sum, own, out);
    if (heard < 2 || peak <= CEILING) return 1;
  }
  const rampEnd = gain < gainBefore ? audience.rampEnd : sum.length;
  scaleSum(sum, own, out, gainBefore, (gain - gainBefore) / rampEnd, rampEnd);
  return gain;
}
