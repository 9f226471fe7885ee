import type { Fingerprint } from './fingerprint.ts';
import type { MediaTransport } from './media-transport.ts';
import type { MediaDescription, SdpProblem } from './session-description.ts';

/** Our side of ICE and DTLS for one leg: an ICE-lite agent that is the server of the handshake, or leaves the choice in an offer. */
export interface LocalTransport {
  readonly fragment: string;
  readonly password: string;
  readonly fingerprint: Fingerprint;
  /** Where we receive, the preferred first. The first one over UDP is also in `c=` and `m=`. */
  readonly candidates: readonly LocalCandidate[];
  /** Names our stream in `a=msid`: letters and digits, the same for the whole dialog. */
  readonly stream: string;
}

/** Our host candidate (RFC 8839 §5.1); over TCP the other side connects (RFC 6544 §4.5). */
export interface LocalCandidate {
  readonly transport: 'udp' | 'tcp';
  /** Numeric. */
  readonly address: string;
  readonly port: number;
}

/** The other side of ICE and DTLS: what authenticates its handshake and its checks. */
export interface RemoteTransport {
  readonly fragment: string;
  readonly password: string;
  /** The fingerprints whose hash function we support; one of them has to match. */
  readonly fingerprints: readonly Fingerprint[];
}

/** The profile of our offers (RFC 8827, JSEP: RFC 9429 §5.1.2). */
export const webrtcProfile = 'UDP/TLS/RTP/SAVPF';

const webrtcProfiles = /^(?:UDP\/TLS|TCP\/DTLS)\/RTP\/SAVPF?$/;
const hashes = ['sha-256', 'sha-384', 'sha-512'];

/** Whether a profile takes its keys from DTLS. An answer has the profile of its offer. */
export function isWebrtcProfile(protocol: string): boolean {
  return webrtcProfiles.test(protocol);
}

/**
 * The other side's transport, or the problem with it. It needs ICE by a full agent, RTP and RTCP on one port, and a fingerprint by a hash
 * function that is not broken. It must be the DTLS client: an answer says `active`, and an offer may leave the choice to us (`actpass`).
 */
export function remoteTransport(
  { transport, rtcpMux }: MediaDescription,
  of: 'offer' | 'answer',
): RemoteTransport | { readonly problem: SdpProblem } {
  const { ice, isIceLite, setup = 'active' } = transport;
  const isClient = setup === 'active' || (of === 'offer' && setup === 'actpass');
  // Two lite agents send no checks.
  if (ice === undefined || isIceLite || !rtcpMux || !isClient) return { problem: 'unsupported-transport' };
  const fingerprints = transport.fingerprints.filter(({ hash }) => hashes.includes(hash));
  return fingerprints.length === 0 ? { problem: 'no-common-crypto' } : { ...ice, fingerprints };
}

/** RFC 8445 §5.1.2: host candidates of one component; UDP before TCP, and in the order of the list. */
function priorityOf(candidate: LocalCandidate, index: number): number {
  const isUdp = candidate.transport === 'udp';
  // RFC 6544 §4.2: passive TCP has direction preference 4.
  const local = isUdp ? 65_535 - index : 4 * 8192 + 8191 - index;
  return (isUdp ? 126 : 90) * 2 ** 24 + local * 2 ** 8 + 255;
}

/** The attributes of our line, except the mid; `setup` is actpass in an offer. */
export function transportLines(local: LocalTransport, setup: 'passive' | 'actpass'): string {
  const { fragment, password, fingerprint, candidates, stream } = local;
  const lines = [
    `a=ice-ufrag:${fragment}`,
    `a=ice-pwd:${password}`,
    `a=fingerprint:${fingerprint.hash} ${fingerprint.value}`,
    `a=setup:${setup}`,
    `a=msid:${stream} audio`,
    ...candidates.map((candidate, index) => {
      const { transport, address, port } = candidate;
      const type = transport === 'tcp' ? 'typ host tcptype passive' : 'typ host';
      return `a=candidate:${index + 1} 1 ${transport} ${priorityOf(candidate, index)} ${address} ${port} ${type}`;
    }),
    // The list is complete: a lite agent gathers no candidates.
    'a=end-of-candidates',
  ];
  return lines.map((line) => `${line}\r\n`).join('');
}

/** The transport of our lines without WebRTC. */
export const noTransport: MediaTransport = {
  mid: undefined,
  isBundleOnly: false,
  ice: undefined,
  isIceLite: false,
  fingerprints: [],
  setup: undefined,
};
