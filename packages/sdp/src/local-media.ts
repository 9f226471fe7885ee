import { write } from 'sdp-transform';
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
  const ipVer = addressVersion(address);
  const text = write({
    version: 0,
    // The library prints the version as a float; its place is filled in below.
    origin: { username: '-', sessionId, sessionVersion: 0, netType: 'IN', ipVer, address },
    name: '-',
    connection: { version: ipVer, ip: address },
    timing: { start: timing.start, stop: timing.stop },
    media: media.map((line) => ({
      type: line.kind,
      port: line.port,
      protocol: line.protocol,
      payloads: line.formats.join(' '),
      rtp: (line.rtpmaps ?? []).map((map) => ({
        payload: map.payloadType,
        codec: map.name,
        rate: map.clockRate,
        ...((map.channels ?? 1) > 1 ? { encoding: map.channels } : {}),
      })),
      fmtp: (line.rtpmaps ?? []).flatMap((map) =>
        map.fmtp === undefined ? [] : [{ payload: map.payloadType, config: map.fmtp }],
      ),
      ...(line.ptimeMs === undefined ? {} : { ptime: line.ptimeMs }),
      ...(line.direction === undefined ? {} : { direction: line.direction }),
      ...(line.rtcpMux ? { rtcpMux: 'rtcp-mux' } : {}),
      crypto: (line.crypto ?? []).map(({ tag, suite, keyAndSalt }) => ({
        id: tag,
        suite,
        // Neither lifetime nor MKI, so that the greatest lifetime holds (RFC 4568 §6.1).
        config: `inline:${keyAndSalt}`,
      })),
    })),
  });
  return text.replace(`o=- ${sessionId} 0 IN`, `o=- ${sessionId} ${version} IN`);
}
