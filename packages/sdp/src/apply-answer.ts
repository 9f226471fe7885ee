import { type AgreedAudio, agree, isSecureProfile } from './agreed-audio.ts';
import type { CodecCapability } from './codec-capability.ts';
import { takenCrypto } from './crypto-attribute.ts';
import { parseSdp, type SdpLimits } from './parse-sdp.ts';
import type { SdpProblem } from './session-description.ts';
import { isWebrtcProfile, remoteTransport } from './webrtc.ts';

/** RFC 3551, RFC 4585, RFC 3711, RFC 5124. */
const rtpProfile = /^RTP\/S?AVPF?$/;

/**
 * The agreement of our offer and its answer (RFC 3264 §7). `codecs` are those of the offer. With `requiresCrypto` a plain RTP
 * answer is a problem, whatever the offer; with false it is none, even to an offer of SRTP. Throws when our offer is malformed.
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
  // RFC 3264 §6: the answer has one m= line for each of the offer.
  const isMatching =
    offered.length === answered.length && offered.every((media, i) => media.kind === answered[i]!.kind);
  if (!isMatching) return { problem: 'media-mismatch' };
  const index = offered.findIndex((media) => media.kind === 'audio' && media.port !== 0);
  if (index < 0) return { problem: 'no-audio' };
  const stream = answered[index]!;
  if (stream.port === 0) return { problem: 'refused' };
  const isStrict = limits?.requiresCrypto !== false || !rtpProfile.test(stream.protocol);
  if (stream.protocol !== offered[index]!.protocol && isStrict) return { problem: 'unsupported-transport' };
  const agreed = agree(offered[index]!, stream, codecs);
  if ('problem' in agreed) return agreed;
  if (isWebrtcProfile(stream.protocol)) {
    const webrtc = remoteTransport(stream, 'answer');
    return 'problem' in webrtc ? webrtc : { agreed: { ...agreed, webrtc } };
  }
  const crypto = takenCrypto(offered[index]!.crypto, stream.crypto);
  if (crypto === 'problem') return { problem: 'no-common-crypto' };
  if (crypto !== undefined) return { agreed: { ...agreed, crypto } };
  const isDemanded = limits?.requiresCrypto ?? isSecureProfile(stream.protocol);
  return isDemanded ? { problem: 'no-common-crypto' } : { agreed };
}
