import type { MediaDescription } from './session-description.ts';

/** A codec as offer and answer know it: plain data, so that a further codec is a further row. */
export interface CodecCapability {
  /** Encoding name, compared without case (RFC 4855 §3). */
  readonly name: string;
  /** RTP clock rate, not always the sampling rate (G722 says 8000). */
  readonly clockRate: number;
  /** What it carries, where that is not the clock rate. */
  readonly sampleRate?: number;
  /** Default 1. */
  readonly channels?: number;
  /** Fixed by RFC 3551 §6, or the dynamic number (96–127) that we like to offer. */
  readonly payloadType?: number;
  /** What `a=fmtp` says about it in our descriptions. */
  readonly fmtp?: string;
}

/** G.711 µ-law, static payload type 0 (RFC 3551 §6). */
export const pcmuCapability: CodecCapability = { name: 'PCMU', clockRate: 8000, payloadType: 0 };
/** G.711 A-law, static payload type 8 (RFC 3551 §6). */
export const pcmaCapability: CodecCapability = { name: 'PCMA', clockRate: 8000, payloadType: 8 };
/** G.722, static payload type 9, whose clock runs at half of its sample rate (RFC 3551 §4.5.2). */
export const g722Capability: CodecCapability = {
  name: 'G722',
  clockRate: 8000,
  sampleRate: 16_000,
  payloadType: 9,
};
/** Opus: two channels and 48 kHz by name, whatever is sent (RFC 7587 §7); mono, with redundancy against loss. */
export const opusCapability: CodecCapability = {
  name: 'opus',
  clockRate: 48_000,
  channels: 2,
  payloadType: 111,
  fmtp: 'maxplaybackrate=48000;stereo=0;useinbandfec=1',
};
/** Uncompressed mono samples (RFC 3551 §4.5.11), at the rates that telephony uses. */
export const l16Capabilities: readonly CodecCapability[] = [48_000, 24_000, 16_000, 8000].map(
  (clockRate) => ({
    name: 'L16',
    clockRate,
  }),
);

/** Whether streams of both run on one clock and at one sample rate, so that packets of both may alternate. */
export function isOfOneFormat(a: CodecCapability, b: CodecCapability): boolean {
  return a.clockRate === b.clockRate && (a.sampleRate ?? a.clockRate) === (b.sampleRate ?? b.clockRate);
}

/** RFC 3551 §6: payload types that mean something without `a=rtpmap`. Only audio that somebody may still send. */
const staticPayloadTypes: ReadonlyMap<number, { readonly name: string; readonly clockRate: number }> =
  new Map([
    [0, { name: 'PCMU', clockRate: 8000 }],
    [3, { name: 'GSM', clockRate: 8000 }],
    [8, { name: 'PCMA', clockRate: 8000 }],
    [9, { name: 'G722', clockRate: 8000 }],
    [13, { name: 'CN', clockRate: 8000 }],
    [18, { name: 'G729', clockRate: 8000 }],
  ]);

/** The encoding name of RFC 4733 events. */
export const telephoneEventName = 'telephone-event';

/** What a payload type of a description stands for; undefined for a dynamic one without `a=rtpmap`. */
export function encodingOf(
  media: MediaDescription,
  payloadType: number,
): { readonly name: string; readonly clockRate: number; readonly channels: number } | undefined {
  const mapped = media.rtpmaps.get(payloadType);
  if (mapped !== undefined) return mapped;
  const fixed = staticPayloadTypes.get(payloadType);
  return fixed === undefined ? undefined : { ...fixed, channels: 1 };
}

/** The first of our codecs that a payload type of a description stands for. */
export function capabilityFor(
  media: MediaDescription,
  payloadType: number,
  codecs: readonly CodecCapability[],
): CodecCapability | undefined {
  const encoding = encodingOf(media, payloadType);
  if (encoding === undefined) return undefined;
  const name = encoding.name.toUpperCase();
  return codecs.find(
    (codec) =>
      codec.name.toUpperCase() === name &&
      codec.clockRate === encoding.clockRate &&
      (codec.channels ?? 1) === encoding.channels,
  );
}

/**
 * The clock of the telephone events that go with audio of this one: the same (RFC 4733 §2.1), else 8000, which is all that many phones offer
 * beside Opus; undefined where there are none.
 */
export function telephoneEventClock(media: MediaDescription, clockRate: number): number | undefined {
  return [clockRate, 8000].find((rate) => telephoneEventIn(media, rate) !== undefined);
}

/** The payload type of telephone events at this clock rate, in the order of the description. */
export function telephoneEventIn(media: MediaDescription, clockRate: number): number | undefined {
  return media.payloadTypes.find((payloadType) => {
    const encoding = encodingOf(media, payloadType);
    return encoding?.name.toLowerCase() === telephoneEventName && encoding.clockRate === clockRate;
  });
}
