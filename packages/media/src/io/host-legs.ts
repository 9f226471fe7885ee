import type { AgreedMedia, CertificateFingerprint, LegStatistics } from '../engine/commands.ts';
import type { MediaEngine } from '../engine/engine-interface.ts';
import type { MovedNames, MovedState } from '../engine/moves.ts';
import type { IceCredentials } from '../ice/ice-agent.ts';
import type { WebrtcLegs } from '../webrtc/webrtc-legs.ts';
import type { LegSockets, MovedSockets } from './leg-sockets.ts';
import type { WebrtcPort } from './webrtc-port.ts';

/** Where a leg receives. */
export interface OpenedLeg {
  readonly port: number;
  /** Of a leg of WebRTC. */
  readonly webrtc?: { readonly fingerprint: CertificateFingerprint; readonly takesTcp: boolean };
}

/** Legs with their sockets, and what follows them, between two threads. */
export interface MovedLegs {
  readonly state: MovedState;
  /** By the order of the legs; undefined for a leg that has no ports of its own. */
  readonly sockets: readonly (MovedSockets | undefined)[];
}

/** WebRTC was not configured, or does not work here. */
class WebrtcOffError extends Error {
  readonly code = 'WEBRTC_OFF';
  constructor() {
    super('WebRTC is off: this host has no port for it');
    this.name = 'WebrtcOffError';
  }
}

/** What the legs of a host need. */
export interface HostLegsDeps {
  readonly engine: MediaEngine;
  readonly sockets: LegSockets;
  /** Both undefined where WebRTC is off. */
  readonly browsers: WebrtcLegs | undefined;
  readonly webrtc: WebrtcPort | undefined;
  readonly now: () => number;
  readonly wake: () => void;
}

/** Legs with their ports: a pair of their own, or that of WebRTC. */
export function createHostLegs({ engine, sockets, browsers, webrtc, now, wake }: HostLegsDeps) {
  const indexes = new Map<string, number>();
  /** Legs whose ports are being bound; `close` waits for them. */
  const opening = new Map<string, Promise<unknown>>();

  const close = async (leg: string): Promise<LegStatistics> => {
    await opening.get(leg)?.catch(() => {});
    const index = indexes.get(leg);
    indexes.delete(leg);
    const statistics = engine.closeLeg(leg, now());
    if (browsers?.close(leg) !== true && index !== undefined) await sockets.close(index);
    return statistics;
  };

  const enter = (leg: string): number => {
    const index = engine.openLeg(leg);
    if (index === undefined) throw new Error(`media leg ${leg} is open, or the limit is reached`);
    indexes.set(leg, index);
    return index;
  };

  const share = (leg: string, ice: IceCredentials): OpenedLeg => {
    if (browsers === undefined || webrtc === undefined) throw new WebrtcOffError();
    const index = enter(leg);
    if (!browsers.open(leg, index, ice)) {
      indexes.delete(leg);
      engine.closeLeg(leg, now());
      throw new Error(`the ICE fragment ${ice.fragment} is in use`);
    }
    const { port, takesTcp, fingerprint: value } = webrtc;
    return { port, webrtc: { fingerprint: { hash: 'sha-256', value }, takesTcp } };
  };

  /** The index of a leg that leaves the port of WebRTC; undefined for a leg that is not there. */
  const leave = (leg: string): number | undefined =>
    browsers?.close(leg) === true ? indexes.get(leg) : undefined;

  return {
    async open(leg: string, ice?: IceCredentials): Promise<OpenedLeg> {
      wake();
      if (ice !== undefined) return share(leg, ice);
      const index = leave(leg) ?? enter(leg);
      const binding = sockets.open(index);
      opening.set(leg, binding);
      try {
        return { port: await binding };
      } catch (error) {
        indexes.delete(leg);
        engine.closeLeg(leg, now());
        throw error;
      } finally {
        opening.delete(leg);
      }
    },
    connect(leg: string, agreed: AgreedMedia): void {
      const { protection } = agreed;
      const isOfBrowser = browsers?.has(leg) === true;
      // Sources are checked on the port of WebRTC alone; elsewhere such a leg would accept packets of anyone.
      if ((protection?.by === 'dtls') !== isOfBrowser) return;
      if (engine.connectLeg(leg, agreed, now()) && protection?.by === 'dtls')
        browsers?.agree(leg, protection);
    },
    close,
    /** Rejects where legs could not all be taken out; those that are out are then lost. */
    async release(names: MovedNames): Promise<MovedLegs> {
      await Promise.allSettled(names.legs.map((leg) => opening.get(leg)));
      const state = engine.moves.release(names, now());
      const leaving = state.legs.map(({ leg }) => {
        const index = indexes.get(leg);
        indexes.delete(leg);
        return index === undefined ? undefined : sockets.release(index);
      });
      return { state, sockets: await Promise.all(leaving) };
    },
    /** Rejects when a leg is lost, because there is no slot or no port for it. */
    async adopt({ state, sockets: moved }: MovedLegs): Promise<void> {
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
        if (pair !== undefined) await sockets.adopt(index, pair);
      });
      await Promise.all(binding);
    },
    closeAll: () => Promise.all([...indexes.keys()].map(close)),
  };
}
