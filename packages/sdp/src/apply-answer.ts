import { type AgreedAudio, agree, isSecureProfile } from './agreed-audio.ts';
import type { CodecCapability } from './codec-capability.ts';
import { takenCrypto } from './crypto-attribute.ts';
import { parseSdp, type SdpLimits } from './parse-sdp.ts';
import type { SdpProblem } from './session-description.ts';

/** RFC 3551, RFC 4585, RFC 3711, RFC 5124. */
const rtpProfile = /^RTP\/S?AVPF?$/;

/**
 * What our offer and its answer agree on (RFC 3264 §7). `codecs` are those that the offer was made of. With `requiresCrypto` an
 * answer in the clear is a problem, whatever was offered; with false it is none, even where it forgets that SRTP was. Throws when our own offer is no description.
 */
export function applyAnswer(
  offer: string,
  answer: string,
  codecs: readonly CodecCapability[],
  limits?: SdpLimits & { readonly requiresCrypto?: boolean },
): { readonly agreed: AgreedAudio } | { readonly problem: SdpProblem } {
  const ours = parseSdp(offer);
  if ('problem' in ours) throw new TypeError(`offer is not a session description: ${ours.problem}`);
  const theirs = parseSdp(answer, limits);
  if ('problem' in theirs) return theirs;
  const offered = ours.session.media;
  const answered = theirs.session.media;
  // RFC 3264 §6: the answer has the offer's m= lines, one for one.
  const isMatching =
    offered.length === answered.length && offered.every((media, i) => media.kind === answered[i]!.kind);
  if (!isMatching) return { problem: 'media-mismatch' };
  const place = offered.findIndex((media) => media.kind === 'audio' && media.port !== 0);
  if (place < 0) return { problem: 'no-audio' };
  const stream = answered[place]!;
  if (stream.port === 0) return { problem: 'refused' };
  const isStrict = limits?.requiresCrypto !== false || !rtpProfile.test(stream.protocol);
  if (stream.protocol !== offered[place]!.protocol && isStrict) return { problem: 'unsupported-transport' };
  const agreed = agree(offered[place]!, stream, codecs);
  if ('problem' in agreed) return agreed;
  const crypto = takenCrypto(offered[place]!.crypto, stream.crypto);
  if (crypto === 'problem') return { problem: 'no-common-crypto' };
  if (crypto !== undefined) return { agreed: { ...agreed, crypto } };
  const isDemanded = limits?.requiresCrypto ?? isSecureProfile(stream.protocol);
  return isDemanded ? { problem: 'no-common-crypto' } : { agreed };
}
