import type { StoredPacket } from '../jitter/packet-ring.ts';
import { sequenceDistance } from '../rtp/serial-number.ts';
import type { Leg, LegRelay } from './leg.ts';
import { fits, type RelayRoute, RelayStream } from './relay-stream.ts';
import { flush } from './send-frame.ts';
import type { SendPacket } from './send-packet.ts';

/** So many turns in a row a call must have been fit to be relayed: 200 ms, so that what changes often is not switched often. */
const CALM_TURNS = 10;
/** Without a packet for three frames the mix takes over: it covers losses, and keeps bindings open in silence. */
const STARVED_MS = 60;
/** The mix waits for no more than a jitter buffer holds: 600 ms. */
const MOST_TURNS_WAITED = 30;

/**
 * Which legs are relayed: two members of one mix who hear each other and nothing else, speak the same codec in packets of the
 * same length, and are neither captured nor watched nor pressing keys. Decided anew in each turn.
 */
export interface Relays {
  /** Before a leg is sent its frame: decides how much of it the leg has had already (`turn.spared`). */
  decide(leg: Leg, nowMs: number): void;
  /** After it: opens the stream to this leg where the time has come. */
  consider(leg: Leg, nowMs: number): void;
  /** The mix takes over both ways, from the next packet on; for what changes between two turns. */
  end(leg: Leg): void;
  /** The leg is closed. */
  forget(leg: Leg): void;
}

/** How legs are found, and what their streams share. */
export interface RelaysDeps extends RelayRoute {
  readonly find: (leg: string) => Leg | undefined;
  readonly send: SendPacket;
}

/** No stream is open. */
export function createRelays(deps: RelaysDeps): Relays {
  const { find, send } = deps;
  const packet: StoredPacket = {
    payload: new Uint8Array(0),
    offset: 0,
    length: 0,
    payloadType: 0,
    timestamp: 0,
  };

  const over = (stream: LegRelay): void => {
    const { from, to } = stream;
    const other = from?.open.get(to.codecKey);
    // The listener's decoder has followed that stream, as ours has: our encoder goes on from there.
    if (other !== undefined && from !== to) to.codec.continueFrom?.(other);
    stream.to.relayIn = undefined;
    stream.to.calmTurns = 0;
    if (stream.from?.relayOut === stream) stream.from.relayOut = undefined;
  };

  return {
    decide(leg, nowMs) {
      const stream = leg.relayIn!;
      const { from } = stream;
      leg.turn.spared = 0;
      if (!leg.sends) {
        over(stream);
        return;
      }
      if (from === undefined || !mayRelay(from, leg) || nowMs - stream.passedMs > STARVED_MS)
        stream.isOpen = false;
      if (stream.isOpen) {
        leg.turn.spared = leg.units;
        return;
      }
      const ahead = stream.aheadOfMix(nowMs);
      if (ahead >= 0 && ++stream.turnsWaited < MOST_TURNS_WAITED) {
        leg.turn.spared = leg.units;
        return;
      }
      over(stream);
      if (ahead < -leg.units) leg.rtp.skip(-ahead - leg.units);
      else if (ahead < 0 && leg.codec.frameBytes > 0) leg.turn.spared = leg.units + ahead;
      else if (ahead < 0 && ahead > -leg.units) {
        // A part of a frame cannot be sent: the stream pauses for that long.
        leg.rtp.skip(-ahead);
        leg.turn.spared = leg.units;
      }
    },
    consider(leg, nowMs) {
      const from = find(leg.ear.partner!);
      if (from === undefined || !mayRelay(from, leg)) {
        leg.calmTurns = 0;
        return;
      }
      if (++leg.calmTurns < CALM_TURNS || from.relayOut !== undefined) return;
      const { jitter } = from;
      const first = jitter.nextPacket;
      // Both must have had their turn in this step, or the frame that was sent is not the one that was taken.
      if (first < 0 || from.turn.lastStep !== leg.turn.lastStep) return;
      if (nowMs - from.heardMs > STARVED_MS || !fits(from, leg, from.lastCodec, from.lastUnits)) return;
      for (let n = sequenceDistance(first, jitter.newestPacket); n >= 0; n--) {
        if (!jitter.packets.read((first + n) & 0xffff, packet)) return;
        const { payloadType, payload, offset, length } = packet;
        const units = jitter.unitsIn(payloadType, payload, offset, length);
        if (!fits(from, leg, from.codecByType[payloadType]!, units)) return;
      }
      flush(leg, send);
      const stream = new RelayStream(from, leg, deps, nowMs);
      leg.relayIn = stream;
      from.relayOut = stream;
      stream.passWaiting(first, packet);
    },
    end(leg) {
      if (leg.relayIn !== undefined) leg.relayIn.isOpen = false;
      if (leg.relayOut !== undefined) leg.relayOut.isOpen = false;
    },
    forget(leg) {
      if (leg.relayIn !== undefined) over(leg.relayIn);
      if (leg.relayOut === undefined) return;
      leg.relayOut.isOpen = false;
      leg.relayOut.from = undefined;
      leg.relayOut = undefined;
    },
  };
}

function mayRelay(from: Leg, to: Leg): boolean {
  return (
    from.ear.partner === to.name &&
    to.ear.partner === from.name &&
    isFree(from) &&
    isFree(to) &&
    !to.pressesKeys &&
    from.framesPerPacket === to.framesPerPacket &&
    from.codecByType.includes(to.codecIndex) &&
    to.codecByType.includes(from.codecIndex)
  );
}

function isFree(leg: Leg): boolean {
  const isWatched = leg.taps !== undefined || leg.voice !== undefined;
  return leg.sends && leg.listens && leg.ear.isSettled && !isWatched && leg.level === undefined;
}
