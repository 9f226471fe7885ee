import type { Encoding, MediaDescription } from './session-description.ts';

/** A codec for offer and answer: plain data, so that a new codec is a new row. */
export interface CodecCapability {
  /** Encoding name, compared without case (RFC 4855 §3). */
  readonly name: string;
  /** RTP clock rate, not always the sampling rate (8000 for G722). */
  readonly clockRate: number;
  /** Sampling rate, if not the clock rate. */
  readonly sampleRate?: number;
  /** Default 1. */
  readonly channels?: number;
  /** Fixed by RFC 3551 §6, or the dynamic number (96–127) that we prefer to offer. */
  readonly payloadType?: number;
  /** Its `a=fmtp` in our descriptions. */
  readonly fmtp?: string;
}

/** G.711 µ-law, static payload type 0 (RFC 3551 §6). */
export const pcmuCapability: CodecCapability = { name: 'PCMU', clockRate: 8000, payloadType: 0 };
/** G.711 A-law, static payload type 8 (RFC 3551 §6). */
export const pcmaCapability: CodecCapability = { name: 'PCMA', clockRate: 8000, payloadType: 8 };
/** G.722, static payload type 9, with a clock of half its sample rate (RFC 3551 §4.5.2). */
export const g722Capability: CodecCapability = {
  name: 'G722',
  clockRate: 8000,
  sampleRate: 16_000,
  payloadType: 9,
};
/** Opus: always declared with two channels and 48 kHz (RFC 7587 §7); sent in mono, with redundancy against loss. */
export const opusCapability: CodecCapability = {
  name: 'opus',
  clockRate: 48_000,
  channels: 2,
  payloadType: 111,
  fmtp: 'maxplaybackrate=48000;stereo=0;useinbandfec=1',
};
/** Uncompressed mono samples (RFC 3551 §4.5.11), at the rates of telephony. */
export const l16Capabilities: readonly CodecCapability[] = [48_000, 24_000, 16_000, 8000].map(
  (clockRate) => ({
    name: 'L16',
    clockRate,
  }),
);

/** Whether both have the same clock and sample rate, so that their packets may alternate. */
export function isOfOneFormat(a: CodecCapability, b: CodecCapability): boolean {
  return a.clockRate === b.clockRate && (a.sampleRate ?? a.clockRate) === (b.sampleRate ?? b.clockRate);
}

/** RFC 3551 §6: payload types that need no `a=rtpmap`. Only audio that is still in use. */
const staticPayloadTypes: ReadonlyMap<number, Encoding> = new Map([
  [0, fixed('PCMU')],
  [3, fixed('GSM')],
  [8, fixed('PCMA')],
  [9, fixed('G722')],
  [13, fixed('CN')],
  [18, fixed('G729')],
]);

function fixed(name: string): Encoding {
  return { name, clockRate: 8000, channels: 1 };
}

/** The encoding name of RFC 4733 events. */
export const telephoneEventName = 'telephone-event';

/** The codec of a payload type in a description; undefined for a dynamic one without `a=rtpmap`. */
export function encodingOf(media: MediaDescription, payloadType: number): Encoding | undefined {
  return media.rtpmaps.get(payloadType) ?? staticPayloadTypes.get(payloadType);
}

/** The first of our codecs that matches a payload type of a description. */
export function capabilityFor(
  media: MediaDescription,
  payloadType: number,
  codecs: readonly CodecCapability[],
): CodecCapability | undefined {
  const encoding = encodingOf(media, payloadType);
  if (encoding === undefined) return undefined;
  return codecs.find(
    (codec) =>
      codec.clockRate === encoding.clockRate &&
      (codec.channels ?? 1) === encoding.channels &&
      isNamed(encoding, codec.name),
  );
}

/** RFC 4855 §3: names of encodings are compared without case. */
function isNamed(encoding: Encoding, name: string): boolean {
  const { name: written } = encoding;
  return written === name || (written.length === name.length && written.toUpperCase() === name.toUpperCase());
}

/**
 * The clock of the telephone events for audio of this clock: the same (RFC 4733 §2.1), else 8000, the only clock that many phones
 * offer beside Opus; undefined without events.
 */
export function telephoneEventClock(media: MediaDescription, clockRate: number): number | undefined {
  return [clockRate, 8000].find((rate) => telephoneEventIn(media, rate) !== undefined);
}

/** The payload type of telephone events at this clock rate, in the order of the description. */
export function telephoneEventIn(media: MediaDescription, clockRate: number): number | undefined {
  return media.payloadTypes.find((payloadType) => {
    const encoding = encodingOf(media, payloadType);
    return encoding?.clockRate === clockRate && isNamed(encoding, telephoneEventName);
  });
}
