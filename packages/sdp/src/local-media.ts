import { addressVersion } from './address.ts';
import type { CodecCapability } from './codec-capability.ts';
import type { CryptoAttribute, CryptoKey } from './crypto-attribute.ts';
import type { Direction } from './direction.ts';
import type { MediaDescription, SessionDescription } from './session-description.ts';
import { type LocalTransport, transportLines } from './webrtc.ts';

/** Our capabilities for one audio stream, and its address. */
export interface MediaCapabilities {
  /** In the order of our preference. */
  readonly codecs: readonly CodecCapability[];
  /** Whether an answer has them in our order instead of the offer's (RFC 3264 §6.1 allows it); default false. */
  readonly answersInOurOrder?: boolean;
  /** Numeric IPv4 or IPv6 address where we receive. */
  readonly address: string;
  readonly port: number;
  /** RFC 4733 events that we accept, e.g. `0-15`, the default; false for none. */
  readonly telephoneEvent?: string | false;
  /** Whether offers list the events in `a=fmtp`; default true. Without it peers assume 0–15 (RFC 4733 §2.4.1). */
  readonly describesEvents?: boolean;
  /** Our requested direction; default sendrecv. */
  readonly direction?: Direction;
  /** The packet time that we prefer to receive; default 20. */
  readonly ptimeMs?: number;
  /** Whether we support RTCP on the RTP port; default true. */
  readonly rtcpMux?: boolean;
  /** Transport protocols of m= lines; default RTP/AVP only. An offer uses the first. */
  readonly protocols?: readonly string[];
  /**
   * Our keys, one for each supported SRTP suite, in the order of our preference; none when absent. They are offered with every
   * RTP profile; with RTP/AVP they are optional for the peer (RFC 8643).
   */
  readonly crypto?: readonly CryptoKey[];
  /**
   * Our side of WebRTC: offers use its profile, and offers of that profile are answered beside those of `protocols`. Undefined: they are
   * not supported.
   */
  readonly webrtc?: LocalTransport;
  /** Plain RTP is refused; default false. */
  readonly requiresCrypto?: boolean;
}

/** The origin line of a description, which stays for the whole dialog (RFC 3264 §8). */
export interface LocalSession {
  /** A decimal number, unique among our sessions; ignored with `previous`. */
  readonly sessionId: string;
  /** Version of the first description; default 0. */
  readonly version?: number;
  /** The description that we sent last in this dialog: its session id, m= lines and payload types stay, its version counts up. */
  readonly previous?: string;
}

/** Our m= line, before printing. */
export interface LocalMedia {
  readonly kind: string;
  readonly port: number;
  readonly protocol: string;
  readonly formats: readonly string[];
  readonly rtpmaps?: readonly {
    readonly payloadType: number;
    readonly name: string;
    readonly clockRate: number;
    readonly channels?: number;
    readonly fmtp?: string;
  }[];
  readonly direction?: Direction;
  readonly ptimeMs?: number;
  readonly rtcpMux?: boolean;
  readonly crypto?: readonly CryptoAttribute[];
  readonly mid?: string;
  readonly webrtc?: {
    readonly local: LocalTransport;
    readonly setup: 'passive' | 'actpass';
    readonly isBundled: boolean;
  };
}

/** A refused stream: port 0, the rest repeated (RFC 3264 §6). */
export function refusedMedia(media: MediaDescription): LocalMedia {
  return {
    kind: media.kind,
    port: 0,
    protocol: media.protocol,
    // RFC 8866 §9: an m= line needs a format, even a meaningless one.
    formats: media.formats.length === 0 ? ['0'] : media.formats,
    ...midOf(media),
  };
}

/** The mid of a line stays with it, also when it is refused (RFC 5888 §9.2). */
export function midOf({ transport: { mid } }: MediaDescription): { readonly mid?: string } {
  return mid === undefined ? {} : { mid };
}

/** Writes a description; its version counts up by one when anything differs from `previous` (RFC 3264 §8). */
export function writeDescription(
  local: LocalSession,
  address: string,
  timing: SessionDescription['timing'],
  media: readonly LocalMedia[],
  previous: { readonly text: string; readonly session: SessionDescription } | undefined,
): string {
  const last = previous?.session.origin;
  const sessionId = last?.sessionId ?? local.sessionId;
  if (last === undefined) return print(sessionId, String(local.version ?? 0), address, timing, media);
  const unchanged = print(sessionId, last.version, address, timing, media);
  if (unchanged === previous?.text) return unchanged;
  return print(sessionId, String(BigInt(last.version || '0') + 1n), address, timing, media);
}

function print(
  sessionId: string,
  version: string,
  address: string,
  timing: SessionDescription['timing'],
  media: readonly LocalMedia[],
): string {
  const host = `IN IP${addressVersion(address)} ${address}`;
  let session = `v=0\r\no=- ${sessionId} ${version} ${host}\r\ns=-\r\nc=${host}\r\nt=${timing.start} ${timing.stop}\r\n`;
  const secured = media.find(({ webrtc }) => webrtc !== undefined);
  // RFC 9143 §7.3: the group of an answer has the accepted lines of the offered one; ours is one line.
  if (secured?.mid !== undefined && secured.webrtc?.isBundled) session += `a=group:BUNDLE ${secured.mid}\r\n`;
  if (secured !== undefined) session += 'a=ice-lite\r\n';
  // Joined into one flat string: the dialog keeps it, and the pieces of a concatenation take three times as much memory.
  return [session, ...media.map((line) => printMedia(line, secured !== undefined))].join('');
}

function printMedia(line: LocalMedia, hasMids: boolean): string {
  const { rtpmaps = [], crypto = [], webrtc } = line;
  let text = `m=${line.kind} ${line.port} ${line.protocol} ${line.formats.join(' ')}\r\n`;
  if (hasMids && line.mid !== undefined) text += `a=mid:${line.mid}\r\n`;
  if (webrtc !== undefined) text += transportLines(webrtc.local, webrtc.setup);
  for (const { payloadType, name, clockRate, channels = 1 } of rtpmaps) {
    text += `a=rtpmap:${payloadType} ${name}/${clockRate}${channels > 1 ? `/${channels}` : ''}\r\n`;
  }
  for (const { payloadType, fmtp } of rtpmaps) {
    if (fmtp !== undefined) text += `a=fmtp:${payloadType} ${fmtp}\r\n`;
  }
  // Without lifetime and MKI: the greatest lifetime holds (RFC 4568 §6.1).
  for (const { tag, suite, keyAndSalt } of crypto)
    text += `a=crypto:${tag} ${suite} inline:${keyAndSalt}\r\n`;
  if (line.ptimeMs !== undefined) text += `a=ptime:${line.ptimeMs}\r\n`;
  if (line.direction !== undefined) text += `a=${line.direction}\r\n`;
  return line.rtcpMux ? `${text}a=rtcp-mux\r\n` : text;
}
