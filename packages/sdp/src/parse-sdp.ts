import { type ParsedAttributes, type ParsedMedia, type ParsedSession, parse } from 'sdp-transform';
import { type CryptoAttribute, parseCrypto } from './crypto-attribute.ts';
import type { Direction } from './direction.ts';
import { fingerprintLines, transportOf } from './media-transport.ts';
import type { MediaDescription, SdpProblem, SessionDescription } from './session-description.ts';

/** Bounds of a description. */
export interface SdpLimits {
  /** Characters of the whole; default 16,384. */
  readonly maxLength?: number;
  /** Default 512; a browser's offer of audio and video has about 150. */
  readonly maxLines?: number;
  /** Characters of one line; default 1,024, which bounds the cost of each pattern of the grammar. */
  readonly maxLineLength?: number;
  /** m= lines; default 16. */
  readonly maxMedia?: number;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const controlCharacter = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const mediaLine = /^m=([\w-]{1,32}) (\d{1,5})(?:\/\d{1,5})? ([\w/-]{1,64})((?: [^ ]+)*) *$/;

/** Parses a session description; never throws. */
export function parseSdp(
  text: string,
  limits: SdpLimits = {},
): { readonly session: SessionDescription } | { readonly problem: SdpProblem } {
  if (text.length > (limits.maxLength ?? 16_384)) return { problem: 'too-large' };
  if (controlCharacter.test(text)) return { problem: 'malformed' };
  // RFC 8866 §5: lines end in CRLF, but parsers should accept a bare LF.
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.length > (limits.maxLines ?? 512)) return { problem: 'too-large' };
  const longest = limits.maxLineLength ?? 1024;
  if (lines.some((line) => line.length > longest)) return { problem: 'too-large' };
  if (lines[0] !== 'v=0') return { problem: 'malformed' };
  const heads = lines.filter((line) => line.startsWith('m='));
  if (heads.length > (limits.maxMedia ?? 16)) return { problem: 'too-large' };

  const parsed = parse(lines.join('\r\n'));
  const { origin } = parsed;
  if (origin === undefined || parsed.media.length !== heads.length) return { problem: 'malformed' };
  const media: MediaDescription[] = [];
  const crypto = cryptoLines(lines);
  const fingerprints = fingerprintLines(lines);
  for (let i = 0; i < heads.length; i++) {
    const description = describe(heads[i]!, parsed.media[i]!, parsed, crypto[i] ?? []);
    if (description === undefined) return { problem: 'malformed' };
    const own = { session: fingerprints.session, media: fingerprints.media[i] ?? [] };
    media.push({ ...description, transport: transportOf(parsed.media[i]!, parsed, own) });
  }
  const { timing } = parsed;
  return {
    session: {
      origin: {
        username: String(origin.username),
        sessionId: String(origin.sessionId),
        version: String(origin.sessionVersion),
        address: String(origin.address),
      },
      timing: { start: String(timing?.start ?? 0), stop: String(timing?.stop ?? 0) },
      bundle: bundleOf(parsed),
      media,
    },
  };
}

function bundleOf({ groups = [] }: ParsedSession): readonly string[] {
  const group = groups.find(({ type }) => type === 'BUNDLE');
  return group === undefined
    ? []
    : String(group.mids)
        .split(' ')
        .filter((mid) => mid !== '');
}

/** By m= line; parsed here, because the library drops session parameters after the first. */
function cryptoLines(lines: readonly string[]): readonly (readonly CryptoAttribute[])[] {
  const found: CryptoAttribute[][] = [];
  for (const line of lines) {
    if (line.startsWith('m=')) found.push([]);
    const attribute = line.startsWith('a=crypto:') ? parseCrypto(line) : undefined;
    const media = found.at(-1);
    if (attribute === undefined || media === undefined) continue;
    if (!media.some(({ tag }) => tag === attribute.tag)) media.push(attribute);
  }
  return found;
}

function describe(
  head: string,
  media: ParsedMedia,
  session: ParsedSession,
  crypto: readonly CryptoAttribute[],
): Omit<MediaDescription, 'transport'> | undefined {
  const match = mediaLine.exec(head);
  if (match === null || Number(match[2]) > 65535) return undefined;
  const formats = match[4]!.split(' ').filter((format) => format !== '');
  const payloadTypes = formats.filter((format) => /^\d{1,3}$/.test(format)).map(Number);
  const connection = media.connection ?? session.connection;
  const rtcpPort = portOf(media.rtcp?.port);
  return {
    kind: match[1]!,
    port: Number(match[2]),
    protocol: match[3]!,
    formats,
    payloadTypes: [...new Set(payloadTypes.filter((payloadType) => payloadType < 128))],
    address: connection === undefined ? undefined : String(connection.ip),
    direction: directionIn(media) ?? directionIn(session) ?? 'sendrecv',
    rtpmaps: rtpmapsOf(media),
    fmtp: new Map(media.fmtp.map(({ payload, config }) => [Number(payload), String(config)])),
    ptimeMs: millisecondsOf(media.ptime ?? session.ptime),
    maxPtimeMs: millisecondsOf(media.maxptime ?? session.maxptime),
    rtcp:
      rtcpPort === undefined
        ? undefined
        : {
            port: rtcpPort,
            address: media.rtcp?.address === undefined ? undefined : String(media.rtcp.address),
          },
    rtcpMux: media.rtcpMux !== undefined,
    crypto,
  };
}

function rtpmapsOf(media: ParsedMedia): MediaDescription['rtpmaps'] {
  const rtpmaps = new Map<number, { name: string; clockRate: number; channels: number }>();
  for (const { payload, codec, rate, encoding } of media.rtp) {
    const payloadType = Number(payload);
    const clockRate = Number(rate);
    const channels = encoding === undefined ? 1 : Number(encoding);
    if (!(payloadType >= 0 && payloadType < 128 && clockRate > 0 && channels > 0)) continue;
    // RFC 8866 §6.6 allows one for each payload type; the first is kept.
    if (!rtpmaps.has(payloadType)) rtpmaps.set(payloadType, { name: String(codec), clockRate, channels });
  }
  return rtpmaps;
}

function directionIn(attributes: ParsedAttributes): Direction | undefined {
  return attributes.direction as Direction | undefined;
}

function millisecondsOf(value: number | string | undefined): number | undefined {
  const milliseconds = Number(value);
  return milliseconds > 0 && milliseconds <= 1000 ? milliseconds : undefined;
}

function portOf(value: number | string | undefined): number | undefined {
  const port = Number(value);
  return Number.isInteger(port) && port > 0 && port <= 65535 ? port : undefined;
}
