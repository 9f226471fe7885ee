import type { AudioCodec } from '../codec/audio-codec.ts';
import { type Audience, mixFor, type SharedStream } from '../mix/audience.ts';
import type { Leg } from './leg.ts';

/** RFC 6716 §3.2.1: the longest frame of Opus. */
const MOST_BYTES = 1275;
/**
 * A listener changes to the shared encoder after this many frames in which it could have heard it, because each change costs what a lost
 * packet costs. A listener who speaks now and then keeps its own.
 */
const CALM_FRAMES = 25;

const noBytes = new Uint8Array(0);

/**
 * The frame of an encoder that all listeners of the whole sum share; undefined while the leg uses its own. `mixed` is a buffer for one frame,
 * `phases` the number of ticks in a frame.
 */
export function hearTogether(
  leg: Leg,
  audience: Audience,
  tick: number,
  phases: number,
  mixed: Int16Array,
): SharedStream | undefined {
  const { encoding } = leg.codec;
  const { seat } = leg.hearing;
  if (encoding === undefined || leg.turn.relayedUnits > 0) return hearAlone(leg);
  const stream = streamOf(audience, encoding) ?? openStream(audience, encoding);
  if (stream === undefined) return hearAlone(leg);
  if (leg.alikeSeat !== seat) leg.alikeFrames = 0;
  leg.alikeSeat = seat;
  leg.alikeFrames++;
  count(stream, tick);
  if (leg.alikeFrames <= CALM_FRAMES || stream.listenersBefore < 2) return useOwn(leg);
  const codec = stream.codec ?? openCodec(leg, stream);
  if (codec === undefined || codec.isReady === false) return useOwn(leg);
  if (stream.tick !== tick) {
    // A listener whose turn is in another phase would need frames in between.
    if (tick - stream.tick < phases) return useOwn(leg);
    if (tick - stream.tick > phases) codec.restart?.();
    if (audience.activeSources === 0) mixed.fill(0);
    else mixFor(audience, undefined, mixed);
    stream.bytes = codec.encode(mixed, mixed.length, stream.payload, 0);
    stream.tick = tick;
  }
  leg.isAlike = true;
  return stream;
}

/** The leg does not hear the whole sum: its own voice is in it, or its gain differs. */
export function hearAlone(leg: Leg): undefined {
  leg.alikeFrames = 0;
  useOwn(leg);
}

/** Its own encoder lacks the frames of the shared one, so it starts anew. */
function useOwn(leg: Leg): undefined {
  if (leg.isAlike) leg.codec.restart?.();
  leg.isAlike = false;
}

function streamOf({ streams }: Audience, encoding: string): SharedStream | undefined {
  for (let s = 0; s < streams.length; s++) if (streams[s]!.encoding === encoding) return streams[s];
  return undefined;
}

function openStream(audience: Audience, encoding: string): SharedStream | undefined {
  if (audience.listeners < 2) return undefined;
  const counts = {
    bytes: 0,
    tick: Number.NEGATIVE_INFINITY,
    listeners: 0,
    listenersBefore: 0,
    countedTick: -1,
  };
  const stream: SharedStream = { encoding, codec: undefined, payload: noBytes, ...counts };
  audience.streams.push(stream);
  return stream;
}

function openCodec({ agreed, options }: Leg, stream: SharedStream): AudioCodec | undefined {
  if (agreed === undefined) return undefined;
  stream.codec = options.openCodec(agreed.codec, agreed.clockRate, agreed.parameters ?? '');
  stream.payload = new Uint8Array(MOST_BYTES);
  return stream.codec;
}

function count(stream: SharedStream, tick: number): void {
  if (stream.countedTick !== tick) {
    stream.countedTick = tick;
    stream.listenersBefore = stream.listeners;
    stream.listeners = 0;
  }
  stream.listeners++;
}
