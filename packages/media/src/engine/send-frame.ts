import type { Captures } from '../capture/captures.ts';
import type { AudioCodec } from '../codec/audio-codec.ts';
import { pcma, pcmu } from '../codec/g711.ts';
import { renderComfortNoise } from '../dsp/comfort-noise.ts';
import { type Audience, mixFor, sumAudience } from '../mix/audience.ts';
import { packetBytes } from '../rtp/rtp-sender.ts';
import { copyBytes, LONGEST_FRAME } from '../samples/sample-loops.ts';
import { allocateBytes, allocateSamples } from '../samples/sample-memory.ts';
import { type Leg, sharedCodecs } from './leg.ts';
import type { SendPacket } from './send-packet.ts';
import { hearAlone, hearTogether } from './shared-streams.ts';

/** Buffers that all legs share, and counters of saved encodings. */
export interface SendScratch {
  readonly captures: Captures;
  /** One frame at each rate, indexed by its length in units of 160 samples. */
  readonly mixed: readonly Int16Array[];
  readonly quiet: readonly Int16Array[];
  readonly payload: Uint8Array;
  /** Where the packets of all legs are written: each is sent at once, and one buffer stays in the cache. */
  readonly packet: Uint8Array;
  /** A silent frame for each codec with shared payloads, encoded. */
  readonly silence: readonly Uint8Array[];
  /** Frames of noise for both forms of G.711: µ-law and A-law. */
  readonly comfort: readonly (readonly Uint8Array[])[];
  /** The samples for the current leg; undefined when the leg hears no source or its payload is shared. */
  samples: Int16Array | undefined;
  /** Bytes of a payload that the current leg shares. */
  readyBytes: number;
  /** Ticks in a frame. */
  readonly phases: number;
  /** The current leg hears no source. */
  isSilent: boolean;
  readonly counters: { encoded: number; shared: number; silent: number };
}

/** Lengths of frames at 8, 16, 24 and 48 kHz. */
const FRAMES = [160, 320, 480, LONGEST_FRAME];
/** The frames are chosen at random, so that no repetition is audible; a power of two. */
const COMFORT_FRAMES = 64;

/** Buffers for frames of every rate, with the encoded silence and noise. */
export function createSendScratch(captures: Captures, phases: number): SendScratch {
  const frames = (): Int16Array[] => {
    const byLength: Int16Array[] = [];
    for (const length of FRAMES) byLength[length / 160] = allocateSamples(length);
    return byLength;
  };
  const comfort = renderComfortNoise(COMFORT_FRAMES, FRAMES[0]!);
  const comfortOf = (codec: AudioCodec): Uint8Array[] =>
    comfort.map((samples) => {
      const payload = new Uint8Array(codec.frameBytes);
      codec.encode(samples, samples.length, payload, 0);
      return payload;
    });
  const silenceOf = (codec: AudioCodec): Uint8Array => {
    const payload = new Uint8Array(codec.frameBytes);
    codec.encode(new Int16Array(codec.frameSamples), codec.frameSamples, payload, 0);
    return payload;
  };
  return {
    captures,
    mixed: frames(),
    quiet: frames(),
    payload: allocateBytes(LONGEST_FRAME * 2),
    packet: allocateBytes(packetBytes),
    // Silence in L16 is zeros at every rate.
    silence: [silenceOf(pcmu), silenceOf(pcma), new Uint8Array(LONGEST_FRAME * 2)],
    comfort: [comfortOf(pcmu), comfortOf(pcma)],
    samples: undefined,
    readyBytes: 0,
    phases,
    isSilent: true,
    counters: { encoded: 0, shared: 0, silent: 0 },
  };
}

/**
 * Sends a leg its frame of this tick. A leg that hears nothing gets silence, because packets keep latches and NAT
 * bindings open and show phones that the call is alive.
 */
export function sendFrame(leg: Leg, tick: number, scratch: SendScratch, send: SendPacket): void {
  const { rtp, codec, units } = leg;
  const { relayedUnits } = leg.turn;
  if (leg.streamSource !== undefined) {
    if (leg.taps !== undefined && leg.taps.heard.length > 0) keepAll(leg, tick, scratch);
    return;
  }
  if (leg.pressesKeys && relayedUnits < units) {
    const step = leg.digitsOut.next(rtp.timestamp);
    if (step === 'idle') leg.pressesKeys = false;
    else if (step === 'event') {
      flush(leg, send);
      if (leg.digitsOut.marker) leg.digitsSent++;
      const length = rtp.writeEvent(
        leg.eventPayloadType,
        leg.digitsOut.report,
        leg.digitsOut.eventTimestamp,
        leg.digitsOut.marker,
      );
      send(leg.index, rtp.packet, length, leg.toAddress, leg.toPort);
      rtp.skip(units);
      if (leg.taps !== undefined) scratch.captures.keep(leg.taps.heard, undefined);
      return;
    }
  }
  const ready = hear(leg, tick, scratch);
  if (leg.taps !== undefined && leg.taps.heard.length > 0) keepHeard(leg, ready, scratch);
  const samples = scratch.samples ?? scratch.quiet[codec.frameSamples / 160]!;
  if (relayedUnits > 0) {
    sendRest(leg, ready, samples, scratch, send);
    return;
  }
  if (leg.framesPerPacket === 1) {
    const length =
      ready === undefined
        ? rtp.writeAudio(codec, leg.payloadType, samples, samples.length)
        : rtp.writePayload(leg.payloadType, ready, 0, scratch.readyBytes, units);
    send(leg.index, rtp.packet, length, leg.toAddress, leg.toPort);
    return;
  }
  const { frameBytes } = codec;
  const payload = ready ?? scratch.payload;
  if (ready === undefined) codec.encode(samples, samples.length, payload, 0);
  if (leg.framesPerPacket < 1) {
    for (let part = 0; part < 2; part++) {
      const length = rtp.writePayload(
        leg.payloadType,
        payload,
        (part * frameBytes) / 2,
        frameBytes / 2,
        units / 2,
      );
      send(leg.index, rtp.packet, length, leg.toAddress, leg.toPort);
    }
    return;
  }
  copyBytes(payload, 0, frameBytes, leg.pending, leg.pendingBytes);
  leg.pendingBytes += frameBytes;
  if (++leg.pendingFrames >= leg.framesPerPacket) flush(leg, send);
}

/** Sends the rest of a frame whose first part was relayed to the leg: nothing, or a shorter packet. */
function sendRest(
  leg: Leg,
  ready: Uint8Array | undefined,
  samples: Int16Array,
  { payload }: SendScratch,
  send: SendPacket,
): void {
  const { codec, units, rtp } = leg;
  const { relayedUnits } = leg.turn;
  leg.turn.relayedUnits = 0;
  const left = units - relayedUnits;
  if (left === 0) return;
  if (ready === undefined) codec.encode(samples, samples.length, payload, 0);
  const unitBytes = codec.frameBytes / units;
  const length = rtp.writePayload(
    leg.payloadType,
    ready ?? payload,
    relayedUnits * unitBytes,
    left * unitBytes,
    left,
  );
  send(leg.index, rtp.packet, length, leg.toAddress, leg.toPort);
}

/** Captures what a virtual leg hears; that audio is never encoded. */
function keepAll({ hearing, taps }: Leg, tick: number, { captures, mixed }: SendScratch): void {
  const { seat } = hearing;
  let heard: Int16Array | undefined;
  if (seat !== undefined) {
    const { audience } = seat;
    sumAudience(audience, tick);
    const own = seat.own?.active ? seat.own.frame : undefined;
    if (audience.activeSources > (own === undefined ? 0 : 1)) {
      heard = mixed[hearing.frameSamples / 160]!;
      seat.gain = mixFor(audience, own, heard, seat.gain);
    }
  }
  captures.keep(taps!.heard, heard);
}

/** Captures what the leg hears. A shared payload leaves no samples, so they are mixed again. */
function keepHeard(leg: Leg, ready: Uint8Array | undefined, scratch: SendScratch): void {
  const { captures, mixed } = scratch;
  const taps = leg.taps!.heard;
  const { audience } = leg.hearing.seat ?? {};
  if (scratch.isSilent) captures.keep(taps, undefined);
  else if (ready === undefined || audience === undefined) captures.keep(taps, scratch.samples);
  else {
    const frame = mixed[leg.codec.frameSamples / 160]!;
    mixFor(audience, undefined, frame);
    captures.keep(taps, frame);
  }
}

/** The same frame for all legs in a step. The finaliser of MurmurHash3 scatters the step number. */
function comfortOf(codecIndex: number, tick: number, { comfort }: SendScratch): Uint8Array {
  const once = Math.imul(tick ^ (tick >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return comfort[codecIndex]![(twice >>> 16) % COMFORT_FRAMES]!;
}

/** Sends a packet that is not yet full. */
export function flush(leg: Leg, send: SendPacket): void {
  if (leg.pendingFrames === 0) return;
  const { rtp } = leg;
  const length = rtp.writePayload(
    leg.payloadType,
    leg.pending,
    0,
    leg.pendingBytes,
    leg.pendingFrames * leg.units,
  );
  leg.pendingBytes = 0;
  leg.pendingFrames = 0;
  send(leg.index, rtp.packet, length, leg.toAddress, leg.toPort);
}

/**
 * Returns the payload that the leg shares with others: silence, noise or the audience's sum. Returns undefined when
 * `scratch.samples` holds a frame for this leg alone: its own voice is subtracted, or the encoder is stateful.
 */
function hear(leg: Leg, tick: number, scratch: SendScratch): Uint8Array | undefined {
  const { seat } = leg.hearing;
  const { codec, codecIndex } = leg;
  const { counters } = scratch;
  const silence = codecIndex < sharedCodecs ? scratch.silence[codecIndex] : undefined;
  scratch.samples = undefined;
  scratch.readyBytes = codec.frameBytes;
  scratch.isSilent = true;
  if (seat === undefined) {
    counters.silent++;
    hearAlone(leg);
    return silence;
  }
  const { audience } = seat;
  sumAudience(audience, tick);
  const own = seat.own?.active ? seat.own.frame : undefined;
  if (audience.activeSources === (own === undefined ? 0 : 1)) {
    counters.silent++;
    seat.gain = 1;
    const shared = own === undefined ? hearShared(leg, audience, tick, scratch) : hearAlone(leg);
    if (shared !== undefined) return shared;
    // Callers take a silent line for dead. A leg without edges still gets silence, as proof that nothing reaches it.
    return leg.hearing.isComforted && codecIndex < scratch.comfort.length
      ? comfortOf(codecIndex, tick, scratch)
      : silence;
  }
  scratch.isSilent = false;
  const mixed = scratch.mixed[codec.frameSamples / 160]!;
  // A listener whose gain differs from the audience's gets its own frame until both gains are equal.
  const isAlike = own === undefined && seat.gain === audience.gainBefore;
  if (!isAlike || codec.remembers) {
    const shared = isAlike ? hearShared(leg, audience, tick, scratch) : hearAlone(leg);
    if (shared !== undefined) {
      counters.shared++;
      seat.gain = audience.gain;
      return shared;
    }
    counters.encoded++;
    seat.gain = mixFor(audience, own, mixed, seat.gain);
    scratch.samples = mixed;
    return undefined;
  }
  // All listeners whose own voice is not in this sum share one payload.
  const shared = audience.payloads[codecIndex] ?? allocateBytes(mixed.length * 2);
  audience.payloads[codecIndex] = shared;
  if (audience.payloadTicks[codecIndex] === tick) counters.shared++;
  else {
    counters.encoded++;
    mixFor(audience, undefined, mixed);
    codec.encode(mixed, mixed.length, shared, 0);
    audience.payloadTicks[codecIndex] = tick;
  }
  seat.gain = audience.gain;
  return shared;
}

/** The frame of an encoder with state that the listeners of the whole sum share; undefined while the leg uses its own. */
function hearShared(
  leg: Leg,
  audience: Audience,
  tick: number,
  scratch: SendScratch,
): Uint8Array | undefined {
  const mixed = scratch.mixed[leg.codec.frameSamples / 160]!;
  const stream = hearTogether(leg, audience, tick, scratch.phases, mixed);
  if (stream === undefined) return undefined;
  scratch.readyBytes = stream.bytes;
  return stream.payload;
}
