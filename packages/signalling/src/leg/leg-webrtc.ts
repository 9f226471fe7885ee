import { type AgreedProtection, type IceCredentials, isLoopback, type OpenedLeg } from '@jackfield/ports';
import {
  type CodecCapability,
  g722Capability,
  isWebrtcProfile,
  type LocalTransport,
  opusCapability,
  pcmaCapability,
  pcmuCapability,
  type RemoteTransport,
} from '@jackfield/sdp';
import type { IncomingInvite } from '@jackfield/sip';
import type { InviteOffer } from './invite-offer.ts';
import { cameInPrivate, isOfBrowser, type ProtocolOf } from './private-signalling.ts';

/** Codecs for browsers, by the names of JACKFIELD_BROWSER_CODECS. */
const capabilities = {
  opus: opusCapability,
  PCMU: pcmuCapability,
  PCMA: pcmaCapability,
  G722: g722Capability,
};

export type BrowserCodec = keyof typeof capabilities;

/** Opus first: two browsers then have one codec, and the server passes their packets on. */
const usualBrowserCodecs: readonly BrowserCodec[] = ['opus', 'PCMU', 'PCMA', 'G722'];

/** WebRTC of phones in browsers (docs/decisions/0023-webrtc.md). */
export interface WebrtcOptions {
  /** The codecs of browsers, the first one first; `usualBrowserCodecs` when absent. */
  readonly codecs?: readonly BrowserCodec[];
  /**
   * Also over unencrypted WebSockets from other machines. An attacker on the path can then change the fingerprint and listen to the call
   * (RFC 8827 §5.1).
   */
  readonly overPlain: boolean;
  /** The address at the other end of a flow; undefined for a closed flow. */
  readonly remoteAddressOf: (flow: string) => string | undefined;
}

/** WebRTC of one leg. */
export interface LegWebrtc {
  /** Our credentials in force. */
  readonly ice: IceCredentials;
  /** Our credentials after the next restart of the other side; undefined until `withNextIce`. */
  readonly nextIce: IceCredentials | undefined;
  /** The codecs in our order, for offers and answers. */
  readonly codecs: readonly CodecCapability[];
  /** The name of our stream in `a=msid`. */
  readonly stream: string;
  /** Undefined until the port is open. */
  readonly opened: OpenedLeg['webrtc'];
  /** The other side's fragment: another one is a restart (RFC 8839 §4.4.1.1.1). */
  readonly remoteFragment: string | undefined;
}

/** Draws unpredictable credentials. */
export type DrawIce = () => IceCredentials;

/** RFC 8445 §5.3: at least 24 random bits in the fragment and 128 in the password; whole groups of base64 have no padding. */
export function newIce(randomBytes: (count: number) => Uint8Array): IceCredentials {
  const text = (count: number): string => Buffer.from(randomBytes(count)).toString('base64');
  return { fragment: text(9), password: text(18) };
}

/** A leg before its port is open. */
export function newLegWebrtc(draw: DrawIce, codecs = usualBrowserCodecs): LegWebrtc {
  const ice = draw();
  const stream = ice.fragment.replace(/[^A-Za-z0-9]/g, '0');
  return {
    ice,
    nextIce: draw(),
    codecs: codecs.map((name) => capabilities[name]),
    stream,
    opened: undefined,
    remoteFragment: undefined,
  };
}

/** Whether the leg needs credentials before its next restart. */
export function lacksIce(webrtc: LegWebrtc | undefined): boolean {
  return webrtc !== undefined && webrtc.nextIce === undefined;
}

/** Keeps the credentials for the next restart. */
export function withNextIce(webrtc: LegWebrtc, nextIce: IceCredentials): LegWebrtc {
  return { ...webrtc, nextIce };
}

/** Our side in a description; undefined before the port is open. */
export function localTransport(
  { ice, opened, stream }: LegWebrtc,
  address: string,
  port: number,
): LocalTransport | undefined {
  if (opened === undefined) return undefined;
  const udp = { transport: 'udp', address, port } as const;
  const candidates = opened.takesTcp ? [udp, { ...udp, transport: 'tcp' } as const] : [udp];
  return { ...ice, fingerprint: opened.fingerprint, candidates, stream };
}

/** RFC 8839 §4.4.1.1.1: the other side restarts with a new fragment, and the answer has new credentials as well. */
export function restarted(webrtc: LegWebrtc, remote: RemoteTransport): LegWebrtc | undefined {
  const { remoteFragment, nextIce } = webrtc;
  if (remoteFragment === undefined || remoteFragment === remote.fragment || nextIce === undefined)
    return undefined;
  return { ...webrtc, ice: nextIce, nextIce: undefined };
}

/** The agreement in the form of the media port. */
export function handshakeOf({ ice }: LegWebrtc, { fingerprints }: RemoteTransport): AgreedProtection {
  return { by: 'dtls', fingerprints, ice };
}

/** Whether an INVITE offers audio over WebRTC and nothing else. */
export function offersWebrtc(offer: InviteOffer): boolean {
  if (typeof offer === 'string') return false;
  const lines = offer.media.filter(({ kind }) => kind === 'audio');
  return lines.length > 0 && lines.every(({ protocol }) => isWebrtcProfile(protocol));
}

/** Whether a call of this INVITE may have WebRTC. */
export function mayAnswerWebrtc(
  incoming: Pick<IncomingInvite, 'flow' | 'request' | 'sourceAddress'>,
  options: WebrtcOptions | undefined,
  protocolOf: ProtocolOf,
): boolean {
  if (options === undefined || !isOfBrowser(incoming.flow, protocolOf)) return false;
  return options.overPlain || isLoopback(incoming.sourceAddress) || cameInPrivate(incoming, protocolOf);
}

/** Whether the phone behind a flow is offered WebRTC. */
export function mayOfferWebrtc(
  flow: string | undefined,
  options: WebrtcOptions | undefined,
  protocolOf: ProtocolOf,
): boolean {
  if (options === undefined || flow === undefined || !isOfBrowser(flow, protocolOf)) return false;
  const address = options.remoteAddressOf(flow);
  const isNear = address !== undefined && isLoopback(address);
  return options.overPlain || isNear || protocolOf(flow) === 'wss';
}
