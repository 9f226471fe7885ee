import type { StoredPacket } from '../jitter/packet-ring.ts';
import type { Hearing } from '../mix/hearing-interface.ts';
import { sequenceDistance } from '../rtp/serial-number.ts';
import { codecIndexOf, type Leg, type LegRelay } from './leg.ts';
import { fits, type RelayRoute, RelayStream } from './relay-stream.ts';
import { flush } from './send-frame.ts';
import type { SendPacket } from './send-packet.ts';

/** A call must qualify for this long, so that frequent changes do not cause frequent switches. Not counted in turns: a late thread has few. */
const CALM_MS = 200;
/** After three frames without a packet the mix takes over: it conceals losses and keeps bindings open. */
const STARVED_MS = 60;
/**
 * The same for a codec that rests: the mix would create an encoder and a decoder for the gap, which the listener's decoder conceals as
 * well. A talker with Opus who sends no silence still sends a packet every 400 ms.
 */
const RESTING_STARVED_MS = 1000;
/** The mix waits at most 600 ms, the most that a jitter buffer holds. */
const MOST_TURNS_WAITED = 30;

/** How legs are found, and what their streams share. */
export interface RelaysDeps extends RelayRoute {
  readonly find: (leg: string) => Leg | undefined;
  readonly send: SendPacket;
}

/**
 * Decides in each turn which legs are relayed. Both are members of one mix, hear each other and nothing else, and use
 * one codec and packet length. Neither is captured or watched, and no key is being sent.
 */
export class Relays {
  readonly #deps: RelaysDeps;
  readonly #packet: StoredPacket = {
    payload: new Uint8Array(0),
    offset: 0,
    length: 0,
    payloadType: 0,
    timestamp: 0,
  };

  constructor(deps: RelaysDeps) {
    this.#deps = deps;
  }

  /** Before the leg's frame is sent: decides how much of it the relay has already sent (`turn.relayedUnits`). */
  decide(leg: Leg, nowMs: number): void {
    const stream = leg.relayIn!;
    const { from } = stream;
    leg.turn.relayedUnits = 0;
    if (!leg.sends) {
      over(stream);
      return;
    }
    const starvedMs = leg.codec.rest === undefined ? STARVED_MS : RESTING_STARVED_MS;
    if (from === undefined || !mayRelay(from, leg) || nowMs - stream.passedMs > starvedMs) close(stream);
    if (stream.isOpen) {
      leg.turn.relayedUnits = leg.units;
      return;
    }
    const ahead = stream.aheadOfMix(nowMs);
    if (ahead >= 0 && ++stream.turnsWaited < MOST_TURNS_WAITED) {
      leg.turn.relayedUnits = leg.units;
      return;
    }
    over(stream);
    alignWithMix(leg, ahead);
  }

  /** After the leg's frame was sent: opens a stream to the leg when it qualifies. */
  consider(leg: Leg, nowMs: number): void {
    const from = this.#deps.find(leg.hearing.partner!);
    if (from === undefined || !mayRelay(from, leg)) {
      leg.calmSinceMs = Number.POSITIVE_INFINITY;
      return;
    }
    leg.calmSinceMs = Math.min(leg.calmSinceMs, nowMs);
    if (nowMs - leg.calmSinceMs < CALM_MS || from.relayOut !== undefined) return;
    const first = from.jitter.nextPacket;
    // Both legs must have had their turn in this step: otherwise the sent frame is not the one just taken.
    if (first < 0 || from.turn.lastStep !== leg.turn.lastStep) return;
    if (nowMs - from.heardMs > STARVED_MS || !fits(from, leg, from.lastCodec, from.lastUnits, 0)) return;
    if (this.#waitingPacketsFit(from, leg, first)) this.#open(from, leg, first, nowMs);
  }

  /** Returns both ways to the mix from the next packet on; for changes between two turns. */
  end(leg: Leg): void {
    if (leg.relayIn !== undefined) close(leg.relayIn);
    if (leg.relayOut !== undefined) close(leg.relayOut);
  }

  /** Removes a closed leg. */
  forget(leg: Leg): void {
    if (leg.relayIn !== undefined) over(leg.relayIn);
    if (leg.relayOut === undefined) return;
    close(leg.relayOut);
    leg.relayOut.from = undefined;
    leg.relayOut = undefined;
  }

  /** Whether every packet from `first` on that waits in the jitter buffer is there, and may be sent as it is. */
  #waitingPacketsFit(from: Leg, to: Leg, first: number): boolean {
    const { jitter } = from;
    const packet = this.#packet;
    for (let n = sequenceDistance(first, jitter.newestPacket); n >= 0; n--) {
      if (!jitter.packets.read((first + n) & 0xffff, packet)) return false;
      const { payloadType, payload, offset, length } = packet;
      const units = jitter.unitsIn(payloadType, payload, offset, length);
      if (!fits(from, to, codecIndexOf(from, payloadType), units, length)) return false;
    }
    return true;
  }

  #open(from: Leg, to: Leg, first: number, nowMs: number): void {
    flush(to, this.#deps.send);
    const stream = new RelayStream(from, to, this.#deps, nowMs);
    to.relayIn = stream;
    from.relayOut = stream;
    // No other leg hears it: both are free, and alone in their mix.
    from.jitter.isUnheard = true;
    stream.passWaiting(first, this.#packet);
    rest(from);
    rest(to);
  }
}

/** A leg whose packets are relayed both ways needs neither its encoder nor its decoder, and no leg hears the mix. */
function rest({ relayIn, relayOut, codec, hearing }: Leg): void {
  if (relayIn === undefined || relayOut === undefined) return;
  codec.rest?.();
  for (const shared of hearing.seat?.audience.streams ?? []) shared.codec?.rest?.();
}

/** The mix takes over: from now on its audio is decoded again. */
function close(stream: LegRelay): void {
  stream.isOpen = false;
  if (stream.from !== undefined) stream.from.jitter.isUnheard = false;
}

function over(stream: LegRelay): void {
  close(stream);
  const { from, to } = stream;
  const other = from?.open.get(to.codecKey);
  // The listener's decoder and our decoder have followed the relayed stream: our encoder continues from that state.
  if (other !== undefined && from !== to) to.codec.continueFrom?.(other);
  stream.to.relayIn = undefined;
  stream.to.calmSinceMs = Number.POSITIVE_INFINITY;
  if (stream.from?.relayOut === stream) stream.from.relayOut = undefined;
}

/** Sends the mix from where the relayed stream stopped, `ahead` units after the start of the frame of this turn. */
function alignWithMix(leg: Leg, ahead: number): void {
  if (ahead >= 0) return;
  if (ahead < -leg.units) leg.rtp.skip(-ahead - leg.units);
  else if (leg.codec.frameBytes > 0) leg.turn.relayedUnits = leg.units + ahead;
  else if (ahead > -leg.units) {
    // This codec cannot send a part of a frame: the stream pauses for that part.
    leg.rtp.skip(-ahead);
    leg.turn.relayedUnits = leg.units;
  }
}

/** Whether a packet of a leg without an edge would reach this one; true is a bug. A change that waits for its turn does not count. */
export function isLeaking(leg: Leg, hearing: Pick<Hearing, 'hears'>): boolean {
  const from = leg.relayIn?.isOpen === true ? leg.relayIn.from : undefined;
  if (!from?.hearing.isSettled || !leg.hearing.isSettled) return false;
  return !hearing.hears(leg.name, from.source);
}

function mayRelay(from: Leg, to: Leg): boolean {
  return (
    from.hearing.partner === to.name &&
    to.hearing.partner === from.name &&
    isFree(from) &&
    isFree(to) &&
    !to.pressesKeys &&
    from.framesPerPacket === to.framesPerPacket &&
    receives(from, to.codecIndex) &&
    receives(to, from.codecIndex)
  );
}

function receives({ payloads }: Leg, codecIndex: number): boolean {
  for (let i = 0; i < payloads.length; i++) if (payloads[i]!.codecIndex === codecIndex) return true;
  return false;
}

function isFree(leg: Leg): boolean {
  const isWatched = leg.taps !== undefined || leg.voice !== undefined || leg.answer !== undefined;
  return leg.sends && leg.listens && leg.hearing.isSettled && !isWatched && leg.level === undefined;
}
