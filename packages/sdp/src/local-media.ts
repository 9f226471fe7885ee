import { addressVersion } from './address.ts';
import type { CodecCapability } from './codec-capability.ts';
import type { CryptoAttribute, CryptoKey } from './crypto-attribute.ts';
import type { Direction } from './direction.ts';
import type { MediaDescription, SessionDescription } from './session-description.ts';

/** What we can do with one audio stream, and where. */
export interface MediaCapabilities {
  /** In the order of our preference. */
  readonly codecs: readonly CodecCapability[];
  /** Numeric IPv4 or IPv6 address where we receive. */
  readonly address: string;
  readonly port: number;
  /** RFC 4733 events that we take, e.g. `0-15`, the default; false for none. */
  readonly telephoneEvent?: string | false;
  /** Whether offers say which events by `a=fmtp`; default true. Without it 0–15 are meant (RFC 4733 §2.4.1). */
  readonly describesEvents?: boolean;
  /** What we want to do; default sendrecv. */
  readonly direction?: Direction;
  /** What we like to receive; default 20. */
  readonly ptimeMs?: number;
  /** We can do RTCP on the RTP port; default true. */
  readonly rtcpMux?: boolean;
  /** Transport protocols of m= lines; default RTP/AVP alone. An offer is made with the first. */
  readonly protocols?: readonly string[];
  /**
   * Keys of ours, one for each suite of SRTP that we speak, in the order of our preference; none when left out. They are offered with every
   * RTP profile: with RTP/AVP as what may be taken or not (RFC 8643).
   */
  readonly crypto?: readonly CryptoKey[];
  /** Media in the clear is refused; default false. */
  readonly requiresCrypto?: boolean;
}

/** Whose description this is: the origin line, which stays for the whole dialog (RFC 3264 §8). */
export interface LocalSession {
  /** A decimal number, unlike that of any other session of ours; ignored with `previous`. */
  readonly sessionId: string;
  /** Version of the first description; default 0. */
  readonly version?: number;
  /** The description that we sent last in this dialog: keeps its session id, m= lines and payload types, counts its version up. */
  readonly previous?: string;
}

/** An m= line of ours, ready to be written. */
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
}

/** A stream that we do not take: port 0, the rest repeated (RFC 3264 §6). */
export function refusedMedia(media: MediaDescription): LocalMedia {
  return {
    kind: media.kind,
    port: 0,
    protocol: media.protocol,
    // RFC 8866 §9: an m= line has a format, also where it means nothing.
    formats: media.formats.length === 0 ? ['0'] : media.formats,
  };
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
  const session = `v=0\r\no=- ${sessionId} ${version} ${host}\r\ns=-\r\nc=${host}\r\nt=${timing.start} ${timing.stop}\r\n`;
  return media.reduce((text, line) => text + printMedia(line), session);
}

function printMedia(line: LocalMedia): string {
  const { rtpmaps = [], crypto = [] } = line;
  let text = `m=${line.kind} ${line.port} ${line.protocol} ${line.formats.join(' ')}\r\n`;
  for (const { payloadType, name, clockRate, channels = 1 } of rtpmaps) {
    text += `a=rtpmap:${payloadType} ${name}/${clockRate}${channels > 1 ? `/${channels}` : ''}\r\n`;
  }
  for (const { payloadType, fmtp } of rtpmaps) {
    if (fmtp !== undefined) text += `a=fmtp:${payloadType} ${fmtp}\r\n`;
  }
  // Neither lifetime nor MKI, so that the greatest lifetime holds (RFC 4568 §6.1).
  for (const { tag, suite, keyAndSalt } of crypto)
    text += `a=crypto:${tag} ${suite} inline:${keyAndSalt}\r\n`;
  if (line.ptimeMs !== undefined) text += `a=ptime:${line.ptimeMs}\r\n`;
  if (line.direction !== undefined) text += `a=${line.direction}\r\n`;
  return line.rtcpMux ? `${text}a=rtcp-mux\r\n` : text;
}
