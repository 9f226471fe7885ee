import { transportOf } from './media-transport.ts';
import { type SdpSection, sdpSections } from './sdp-sections.ts';
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

const originText = /^(\S*) (\d*) (\d*) \S* IP\d (\S*)/;
const timingText = /^(\d*) (\d*)/;
const rtcpText = /^(\d*)(?: \S* IP\d (\S*))?/;
const rtpmapText = /^(\d*) ([\w\-.]*)(?:\s*\/(\d*)(?:\s*\/(\S*))?)?/;
const fmtpText = /^(\d*) ([^\t]*)/;

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
  const { origin, timing, session, media: sections } = sdpSections(lines);
  if (sections.length > (limits.maxMedia ?? 16)) return { problem: 'too-large' };
  const [, username, sessionId, version, address] = originText.exec(origin) ?? [];
  if (address === undefined) return { problem: 'malformed' };
  const media: MediaDescription[] = [];
  for (const section of sections) {
    const description = describe(section, session);
    if (description === undefined) return { problem: 'malformed' };
    media.push(description);
  }
  const [, start, stop] = timingText.exec(timing) ?? [];
  return {
    session: {
      origin: { username: username!, sessionId: sessionId!, version: version!, address },
      timing: { start: start ?? '0', stop: stop ?? '0' },
      bundle: bundleOf(session),
      media,
    },
  };
}

function bundleOf({ groups }: SdpSection): readonly string[] {
  const mids = groups.find((group) => group.startsWith('BUNDLE '))?.slice('BUNDLE '.length) ?? '';
  return mids.split(' ').filter((mid) => mid !== '');
}

function describe(section: SdpSection, session: SdpSection): MediaDescription | undefined {
  const { attributes, crypto } = section;
  const match = mediaLine.exec(section.head);
  if (match === null || Number(match[2]) > 65535) return undefined;
  const formats = match[4]!.split(' ').filter((format) => format !== '');
  const rtcp = rtcpText.exec(attributes.get('rtcp') ?? '');
  const rtcpPort = portOf(rtcp?.[1]);
  const either = (name: string) => attributes.get(name) ?? session.attributes.get(name);
  return {
    kind: match[1]!,
    port: Number(match[2]),
    protocol: match[3]!,
    formats,
    payloadTypes: payloadTypesOf(formats),
    address: section.connection ?? session.connection,
    direction: section.direction ?? session.direction ?? 'sendrecv',
    rtpmaps: rtpmapsOf(section),
    fmtp: fmtpOf(section),
    ptimeMs: millisecondsOf(either('ptime')),
    maxPtimeMs: millisecondsOf(either('maxptime')),
    rtcp: rtcpPort === undefined ? undefined : { port: rtcpPort, address: rtcp?.[2] },
    rtcpMux: attributes.has('rtcp-mux'),
    crypto,
    transport: transportOf(section, session),
  };
}

/** Each payload type once, in the order of the formats. */
function payloadTypesOf(formats: readonly string[]): readonly number[] {
  const payloadTypes: number[] = [];
  for (const format of formats) {
    const payloadType = /^\d{1,3}$/.test(format) ? Number(format) : 128;
    if (payloadType < 128 && !payloadTypes.includes(payloadType)) payloadTypes.push(payloadType);
  }
  return payloadTypes;
}

function rtpmapsOf(section: SdpSection): MediaDescription['rtpmaps'] {
  const rtpmaps = new Map<number, { name: string; clockRate: number; channels: number }>();
  for (const rtpmap of section.rtpmaps) {
    const [, payload, name = '', rate, encoding] = rtpmapText.exec(rtpmap) ?? [];
    const payloadType = Number(payload);
    const clockRate = Number(rate);
    const channels = encoding === undefined ? 1 : Number(encoding);
    if (!(payloadType >= 0 && payloadType < 128 && clockRate > 0 && channels > 0)) continue;
    // RFC 8866 §6.6 allows one for each payload type; the first is kept.
    if (!rtpmaps.has(payloadType)) rtpmaps.set(payloadType, { name, clockRate, channels });
  }
  return rtpmaps;
}

function fmtpOf({ fmtps }: SdpSection): MediaDescription['fmtp'] {
  const fmtp = new Map<number, string>();
  for (const each of fmtps) {
    const [, payload, config] = fmtpText.exec(each) ?? [];
    if (config !== undefined) fmtp.set(Number(payload), config);
  }
  return fmtp;
}

function millisecondsOf(value: string | undefined): number | undefined {
  const milliseconds = Number(value === undefined ? undefined : /^[\d.]*/.exec(value)![0]);
  return milliseconds > 0 && milliseconds <= 1000 ? milliseconds : undefined;
}

function portOf(value: string | undefined): number | undefined {
  const port = Number(value);
  return Number.isInteger(port) && port > 0 && port <= 65535 ? port : undefined;
}
