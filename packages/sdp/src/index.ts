export { isHoldAddress } from './address.ts';
export type { AgreedAudio } from './agreed-audio.ts';
export { answerOffer, isAcceptable } from './answer-offer.ts';
export { applyAnswer } from './apply-answer.ts';
export {
  type CodecCapability,
  g722Capability,
  l16Capabilities,
  opusCapability,
  pcmaCapability,
  pcmuCapability,
} from './codec-capability.ts';
export { createOffer } from './create-offer.ts';
export type { AgreedCrypto, CryptoAttribute, CryptoKey } from './crypto-attribute.ts';
export { type Direction, receives, sends } from './direction.ts';
export type { Fingerprint } from './fingerprint.ts';
export type { LocalSession, MediaCapabilities } from './local-media.ts';
export { parseSdp, type SdpLimits } from './parse-sdp.ts';
export type { MediaDescription, SdpProblem, SessionDescription } from './session-description.ts';
export { isWebrtcProfile, type LocalCandidate, type LocalTransport, type RemoteTransport } from './webrtc.ts';
