import type { AgreedKeys, AgreedMedia, CertificateFingerprint, LegStatistics } from '../engine/commands.ts';
import type { IceCredentials } from '../ice/ice-agent.ts';
import { createHostMoves, type HostLegsDeps } from './host-moves.ts';
import { throughRelay } from './relayed-legs.ts';

/** Where a leg receives. */
export interface OpenedLeg {
  readonly port: number;
  /** Of a leg of WebRTC. */
  readonly webrtc?: { readonly fingerprint: CertificateFingerprint; readonly takesTcp: boolean };
}

/** WebRTC is not configured, or not possible on this machine. */
class WebrtcOffError extends Error {
  readonly code = 'WEBRTC_OFF';
  constructor() {
    super('WebRTC is off: this host has no port for it');
    this.name = 'WebrtcOffError';
  }
}

/** Legs with their ports: a pair of their own, or that of WebRTC. */
export function createHostLegs(deps: HostLegsDeps) {
  const { engine, sockets, browsers, webrtc, relayed, now, wake } = deps;
  const indexes = new Map<string, number>();
  /** Legs whose ports are being bound; `close` waits for them. */
  const opening = new Map<string, Promise<unknown>>();

  const close = async (leg: string): Promise<LegStatistics> => {
    await opening.get(leg)?.catch(() => {});
    const index = indexes.get(leg);
    indexes.delete(leg);
    const statistics = engine.closeLeg(leg, now());
    const isShared = browsers?.close(leg) === true;
    const hasPair = relayed.take(leg) !== undefined || !isShared;
    if (hasPair && index !== undefined) await sockets.close(index);
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
      const was = relayed.take(leg);
      if (was !== undefined) {
        // A moved leg of WebRTC is now one without WebRTC. It keeps the ports of its relay.
        browsers?.close(leg);
        return { port: was.ownPort };
      }
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
      const relay = relayed.find(leg)?.relay;
      const isChecked = relay !== undefined || browsers?.has(leg) === true;
      // Only a port of WebRTC checks sources. On any other port the leg would accept packets from every source.
      if ((protection?.by === 'dtls') !== isChecked) return;
      const heard = relay === undefined ? agreed : throughRelay(agreed, relay);
      // A leg that another thread has is in the engine of that thread; only its handshake is here.
      const isDone = indexes.has(leg) ? engine.connectLeg(leg, heard, now()) : true;
      if (isDone && protection?.by === 'dtls') browsers?.agree(leg, protection);
    },
    /** The handshake of a relayed leg is over. */
    secure: (leg: string, keys: AgreedKeys): boolean => engine.secureLeg(leg, keys, now()),
    close,
    ...createHostMoves({ ...deps, indexes, opening }),
    closeAll: () => Promise.all([...indexes.keys()].map(close)),
  };
}
