import { encodingOf, telephoneEventName } from './codec-capability.ts';
import { offeredCrypto } from './crypto-attribute.ts';
import {
  type LocalMedia,
  type LocalSession,
  type MediaCapabilities,
  refusedMedia,
  writeDescription,
} from './local-media.ts';
import { parseSdp } from './parse-sdp.ts';
import type { MediaDescription } from './session-description.ts';
import { webrtcProfile } from './webrtc.ts';

const firstDynamicPayloadType = 96;
/** The usual number of telephone events, so that a peer that ignores our numbers still works. */
const usualTelephoneEventPayloadType = 101;

/**
 * Writes an offer of one audio stream: for an INVITE, a re-INVITE (with `previous`), or the 200 to an INVITE without an offer,
 * whose answer comes in the ACK (RFC 3264 §5, §8; RFC 3261 §13.2.1). Throws when `previous` is malformed.
 */
export function createOffer(options: MediaCapabilities & LocalSession): string {
  const previous = previousOf(options);
  const lines = previous?.session.media ?? [];
  // RFC 3264 §8: m= lines are never removed, and the audio keeps its position; a line with port 0 may be used again.
  const active = lines.findIndex((media) => media.kind === 'audio' && media.port !== 0);
  const index = active >= 0 ? active : lines.findIndex((media) => media.kind === 'audio');
  const media = lines.map(refusedMedia);
  const audio = offeredAudio(options, index < 0 ? undefined : lines[index]);
  if (index < 0) media.push(audio);
  else media[index] = audio;
  return writeDescription(options, options.address, { start: '0', stop: '0' }, media, previous);
}

/** Parses the description that we sent last. */
export function previousOf(local: LocalSession) {
  if (local.previous === undefined) return undefined;
  const parsed = parseSdp(local.previous);
  if ('problem' in parsed) throw new TypeError(`previous is not a session description: ${parsed.problem}`);
  return { text: local.previous, session: parsed.session };
}

function offeredAudio(options: MediaCapabilities, before: MediaDescription | undefined): LocalMedia {
  const rtpmaps: NonNullable<LocalMedia['rtpmaps']>[number][] = [];
  // RFC 3264 §8.3.2: within a session a dynamic number keeps its codec.
  const taken = new Set<number>(before?.rtpmaps.keys());
  const numberFor = (name: string, clockRate: number, liked: number | undefined): number => {
    const same = before?.payloadTypes.find((payloadType) => {
      const encoding = encodingOf(before, payloadType);
      return encoding?.name.toUpperCase() === name.toUpperCase() && encoding.clockRate === clockRate;
    });
    if (same !== undefined) return same;
    let number = liked ?? firstDynamicPayloadType;
    while (taken.has(number))
      number = number < firstDynamicPayloadType ? firstDynamicPayloadType : number + 1;
    taken.add(number);
    return number;
  };
  for (const codec of options.codecs) {
    rtpmaps.push({ ...codec, payloadType: numberFor(codec.name, codec.clockRate, codec.payloadType) });
  }
  const events = options.telephoneEvent ?? '0-15';
  // The hosted service's browser SDK leaves the fmtp of payload types that it strips from m= lines, and Chromium refuses such a line:
  // offers of WebRTC have none for events, which means 0–15 (RFC 4733 §2.4.1).
  if (events !== false) {
    // RFC 4733 §2.1: events share the clock of their audio, so one payload type for each clock rate.
    for (const clockRate of new Set(options.codecs.map((codec) => codec.clockRate))) {
      const payloadType = numberFor(telephoneEventName, clockRate, usualTelephoneEventPayloadType);
      const fmtp = options.describesEvents === false || options.webrtc !== undefined ? {} : { fmtp: events };
      rtpmaps.push({ payloadType, name: telephoneEventName, clockRate, ...fmtp });
    }
  }
  return {
    kind: 'audio',
    port: options.port,
    protocol: options.webrtc === undefined ? (options.protocols?.[0] ?? 'RTP/AVP') : webrtcProfile,
    formats: rtpmaps.map(({ payloadType }) => String(payloadType)),
    rtpmaps,
    direction: options.direction ?? 'sendrecv',
    ptimeMs: options.ptimeMs ?? 20,
    rtcpMux: options.rtcpMux ?? true,
    ...(options.webrtc === undefined
      ? { crypto: offeredCrypto(options.crypto ?? []) }
      : {
          mid: before?.transport.mid ?? '0',
          webrtc: { local: options.webrtc, setup: 'actpass', isBundled: true },
        }),
  };
}
