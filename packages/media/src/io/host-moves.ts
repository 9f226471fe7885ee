import type { MediaEngine } from '../engine/engine-interface.ts';
import { redirectLeg } from '../engine/leg-state.ts';
import type { MovedNames, MovedState } from '../engine/moves.ts';
import type { WebrtcLegs } from '../webrtc/webrtc-legs.ts';
import type { LegSockets, MovedSockets } from './leg-sockets.ts';
import { localAddressOf, type RelayedLeg, type RelayedLegs, throughRelay } from './relayed-legs.ts';
import type { WebrtcPort } from './webrtc-port.ts';

/** Legs with their sockets, and what follows them, between two threads. */
export interface MovedLegs {
  readonly state: MovedState;
  /** By the order of the legs; undefined for a leg that was not open. */
  readonly sockets: readonly (MovedSockets | undefined)[];
  /** By the order of the legs; undefined for a leg that receives from its phone. */
  readonly relayed: readonly (RelayedLeg | undefined)[];
}

/** What the legs of a host need. */
export interface HostLegsDeps {
  readonly engine: MediaEngine;
  readonly sockets: LegSockets;
  /** Both undefined where WebRTC is off. */
  readonly browsers: WebrtcLegs | undefined;
  readonly webrtc: WebrtcPort | undefined;
  readonly relayed: RelayedLegs;
  /** The address that sockets are bound to. */
  readonly host: string;
  readonly now: () => number;
  readonly wake: () => void;
}

/** Moves share the tables of the legs. */
interface HostMovesDeps extends HostLegsDeps {
  readonly indexes: Map<string, number>;
  readonly opening: ReadonlyMap<string, Promise<unknown>>;
}

/** Takes legs out of a host, for another thread of this process, and continues those of another thread. */
export function createHostMoves(deps: HostMovesDeps) {
  const { engine, sockets, browsers, webrtc, relayed, indexes, opening, now, wake } = deps;

  /**
   * The port of WebRTC belongs to this thread, so a leg that another one continues gets a pair of ports, to which this thread passes its
   * packets as they are. It has the pair already when it came from another thread.
   */
  const openRelay = async (leg: string): Promise<void> => {
    const index = indexes.get(leg);
    if (index === undefined || webrtc === undefined || browsers?.has(leg) !== true) return;
    if (relayed.find(leg) !== undefined) return;
    const ownPort = await sockets.open(index);
    if (indexes.get(leg) !== index) return sockets.close(index);
    const address = localAddressOf(deps.host);
    browsers.relay(leg, address, ownPort);
    relayed.add(leg, index, { relay: { address, port: webrtc.port }, ownPort });
  };

  return {
    /** Rejects when a leg cannot be taken out; the legs that are already out are then lost. */
    async release(names: MovedNames): Promise<MovedLegs> {
      await Promise.allSettled(names.legs.map((leg) => opening.get(leg)));
      await Promise.all(names.legs.map(openRelay));
      const released = engine.moves.release(names, now());
      const taken = released.legs.map(({ leg }) => relayed.take(leg));
      const leaving = released.legs.map(({ leg }) => {
        const index = indexes.get(leg);
        indexes.delete(leg);
        return index === undefined ? undefined : sockets.release(index);
      });
      const legs = released.legs.map((leg, at) => {
        const relay = taken[at]?.relay;
        return relay === undefined ? leg : redirectLeg(leg, (agreed) => throughRelay(agreed, relay));
      });
      return { state: { ...released, legs }, sockets: await Promise.all(leaving), relayed: taken };
    },
    /** Rejects when a leg is lost, because there is no slot or no port for it. */
    async adopt({ state, sockets: moved, relayed: throughOthers }: MovedLegs): Promise<void> {
      wake();
      const adopted = engine.moves.adopt(state, now());
      const binding = state.legs.map(async ({ leg }, at) => {
        const index = adopted[at];
        const pair = moved[at];
        if (index === undefined) {
          if (pair !== undefined) sockets.discard(pair);
          throw new Error(`media leg ${leg} has no slot in this thread`);
        }
        indexes.set(leg, index);
        const through = throughOthers[at];
        if (through !== undefined) relayed.add(leg, index, through);
        if (pair !== undefined) await sockets.adopt(index, pair);
      });
      await Promise.all(binding);
    },
  };
}
