import type { Tap } from '../capture/capture.ts';
import type { Captures } from '../capture/captures.ts';
import { mixFor, sumAudience } from '../mix/audience.ts';
import { type Leg, legCodecs } from './leg.ts';

/** Hands a packet to the network; the bytes are reused in the next tick. */
export type SendPacket = (
  leg: number,
  bytes: Uint8Array,
  length: number,
  address: string,
  port: number,
) => void;

/** Buffers shared by all legs, and how often an encoding was saved. */
export interface SendScratch {
  readonly captures: Captures;
  readonly mixed: Int16Array;
  readonly payload: Uint8Array;
  /** An encoded frame of silence for each codec. */
  readonly silence: readonly Uint8Array[];
  readonly counters: { encoded: number; shared: number; silent: number };
}

/** Buffers for frames of this many samples, the payloads of silence encoded. */
export function createSendScratch(frameSamples: number, captures: Captures): SendScratch {
  const mixed = new Int16Array(frameSamples);
  return {
    captures,
    mixed,
    payload: new Uint8Array(frameSamples * 2),
    silence: legCodecs.map((codec) => {
      const payload = new Uint8Array(frameSamples);
      codec.encode(mixed, frameSamples, payload, 0);
      return payload;
    }),
    counters: { encoded: 0, shared: 0, silent: 0 },
  };
}

/**
 * Sends what a leg hears in this tick. A leg that hears nothing is sent silence, a packet every time: so latches and NAT
 * bindings stay open, and no phone takes the call for dead.
 */
export function sendFrame(leg: Leg, tick: number, scratch: SendScratch, send: SendPacket): void {
  const { rtp } = leg;
  const { spared } = leg.turn;
  const frameUnits = scratch.mixed.length;
  if (leg.pressesKeys && spared < scratch.mixed.length) {
    const step = leg.digitsOut.next(rtp.timestamp);
    if (step === 'idle') leg.pressesKeys = false;
    else if (step === 'event') {
      flush(leg, frameUnits, send);
      if (leg.digitsOut.marker) leg.digitsSent++;
      const length = rtp.writeEvent(
        leg.eventPayloadType,
        leg.digitsOut.report,
        leg.digitsOut.eventTimestamp,
        leg.digitsOut.marker,
      );
      send(leg.index, rtp.packet, length, leg.toAddress, leg.toPort);
      rtp.skip(frameUnits);
      if (leg.taps !== undefined) scratch.captures.keep(leg.taps.heard, undefined);
      return;
    }
  }
  const ready = hear(leg, tick, scratch);
  if (leg.taps !== undefined && leg.taps.heard.length > 0) keepHeard(leg, leg.taps.heard, ready, scratch);
  if (spared > 0) {
    sendRest(leg, ready, scratch, send);
    return;
  }
  if (leg.framesPerPacket === 1) {
    const length =
      ready === undefined
        ? rtp.writeAudio(leg.codec, leg.payloadType, scratch.mixed, frameUnits)
        : rtp.writePayload(leg.payloadType, ready, 0, frameUnits, frameUnits);
    send(leg.index, rtp.packet, length, leg.toAddress, leg.toPort);
    return;
  }
  const payload = ready ?? scratch.payload;
  if (ready === undefined) leg.codec.encode(scratch.mixed, frameUnits, payload, 0);
  if (leg.framesPerPacket < 1) {
    const half = frameUnits / 2;
    for (let part = 0; part < 2; part++) {
      const length = rtp.writePayload(leg.payloadType, payload, part * half, half, half);
      send(leg.index, rtp.packet, length, leg.toAddress, leg.toPort);
    }
    return;
  }
  for (let i = 0; i < frameUnits; i++) leg.pending[leg.pendingBytes + i] = payload[i]!;
  leg.pendingBytes += frameUnits;
  if (++leg.pendingFrames >= leg.framesPerPacket) flush(leg, frameUnits, send);
}

/** Sends what is left of a frame whose beginning the leg was relayed: nothing, or a packet that is shorter than others. */
function sendRest(
  leg: Leg,
  ready: Uint8Array | undefined,
  { mixed, payload }: SendScratch,
  send: SendPacket,
): void {
  const { spared } = leg.turn;
  leg.turn.spared = 0;
  const left = mixed.length - spared;
  if (left === 0) return;
  if (ready === undefined) leg.codec.encode(mixed, mixed.length, payload, 0);
  const length = leg.rtp.writePayload(leg.payloadType, ready ?? payload, spared, left, left);
  send(leg.index, leg.rtp.packet, length, leg.toAddress, leg.toPort);
}

/** Gives captures what the leg is sent; samples that were encoded for somebody else are gone and computed again. */
function keepHeard(
  { ear, codecIndex }: Leg,
  taps: readonly Tap[],
  ready: Uint8Array | undefined,
  { captures, mixed, silence }: SendScratch,
): void {
  if (ready === silence[codecIndex]) {
    captures.keep(taps, undefined);
    return;
  }
  if (ready !== undefined) mixFor(ear.seat!.audience, undefined, mixed);
  captures.keep(taps, mixed);
}

/** Sends the frames that wait for the rest of their packet, as they are. */
export function flush(leg: Leg, frameUnits: number, send: SendPacket): void {
  if (leg.pendingFrames === 0) return;
  const { rtp } = leg;
  const length = rtp.writePayload(
    leg.payloadType,
    leg.pending,
    0,
    leg.pendingBytes,
    leg.pendingFrames * frameUnits,
  );
  leg.pendingBytes = 0;
  leg.pendingFrames = 0;
  send(leg.index, rtp.packet, length, leg.toAddress, leg.toPort);
}

/**
 * What a leg hears in this tick: the payload of silence, the payload that its audience shares, or undefined when
 * `scratch.mixed` holds samples for this leg alone, the sum without its own voice.
 */
function hear(leg: Leg, tick: number, scratch: SendScratch): Uint8Array | undefined {
  const { seat } = leg.ear;
  const { counters, mixed } = scratch;
  const silence = scratch.silence[leg.codecIndex]!;
  if (seat === undefined) {
    counters.silent++;
    return silence;
  }
  const { audience } = seat;
  sumAudience(audience, tick);
  const own = seat.minusSelf && leg.source.active ? leg.source.frame : undefined;
  if (audience.activeSources === (own === undefined ? 0 : 1)) {
    counters.silent++;
    return silence;
  }
  if (own !== undefined) {
    counters.encoded++;
    mixFor(audience, own, mixed);
    return undefined;
  }
  // Everybody whose own voice is not in the sum of this tick hears the same.
  const shared = audience.payloads[leg.codecIndex]!;
  if (audience.payloadTicks[leg.codecIndex] === tick) counters.shared++;
  else {
    counters.encoded++;
    mixFor(audience, undefined, mixed);
    leg.codec.encode(mixed, mixed.length, shared, 0);
    audience.payloadTicks[leg.codecIndex] = tick;
  }
  return shared;
}
