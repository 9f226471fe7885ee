// capture/
export type { TakeCaptured } from './capture/capture.ts';
export {
  type CaptureMessage,
  type CaptureReceiver,
  receiverOf,
  recognitionPrefix,
} from './capture/capture-message.ts';
// codec/
export type { AudioCodec, CodecName } from './codec/audio-codec.ts';
export { codecFor } from './codec/codec-for.ts';
export {
  createDigitReceiver,
  type DigitReceiver,
  type DigitReceiverOptions,
  type ReceivedDigit,
} from './codec/digit-receiver.ts';
export { createDigitSender, type DigitSender, type DigitSenderOptions } from './codec/digit-sender.ts';
export { pcma, pcmu } from './codec/g711.ts';
export {
  digitOfEvent,
  eventOfDigit,
  readTelephoneEvent,
  type TelephoneEvent,
  telephoneEventBytes,
  writeTelephoneEvent,
} from './codec/telephone-event.ts';
// dsp/
export { type AnswerSounds, createAnswerSounds } from './dsp/answer-sounds.ts';
export { FrameResampler } from './dsp/frame-resampler.ts';
export { createFreeResampler } from './dsp/free-resampler.ts';
export { joinedSamples } from './dsp/joined-samples.ts';
export { isSilent, levelDb } from './dsp/level.ts';
export { createResampler, type Resampler, type ResamplerOptions, resample } from './dsp/resampler.ts';
export { toneLevel } from './dsp/tone-level.ts';
export { type Utterance, type UtteranceOptions, Utterances } from './dsp/utterances.ts';
export { createVoiceActivity, type VoiceActivity } from './dsp/voice-activity.ts';
// dtls/
export type { DtlsEndpoint, DtlsKeys, DtlsSession } from './dtls/dtls-session.ts';
// engine/
export { wideClipRate } from './engine/clip-rates.ts';
export {
  type AgreedHandshake,
  type AgreedKeys,
  type AgreedMedia,
  type AgreedPayload,
  type AgreedProtection,
  type CaptureTrack,
  type CertificateFingerprint,
  type LegStatistics,
  type MediaNotice,
  type MixCommand,
  noStatistics,
  type Sound,
  type SoundClip,
} from './engine/commands.ts';
export type { MediaEngine, MediaEngineDeps } from './engine/engine-interface.ts';
export {
  defaultEngineLimits,
  type EngineCensus,
  type EngineCounters,
  type EngineLimits,
} from './engine/engine-limits.ts';
export { createMediaEngine } from './engine/media-engine.ts';
export type { MovedNames } from './engine/moves.ts';
export type { SendPacket } from './engine/send-packet.ts';
// ice/
export type { IceCredentials } from './ice/ice-agent.ts';
export { readStun } from './ice/stun-message.ts';
export { stunWriterBytes, writeCheck } from './ice/stun-writer.ts';
export { createJitterBuffer } from './jitter/create-jitter-buffer.ts';
// jitter/
export type { AudioPayloads, JitterBuffer, JitterBufferOptions } from './jitter/jitter-buffer.ts';
export type { JitterCounters } from './jitter/jitter-counters.ts';
export { taken } from './jitter/taken.ts';
// wav/
export { type MpegHeader, readMpegHeader } from './mpeg/mpeg-header.ts';
// placement/
export { createPlacement, type Placement, type PlacementOptions } from './placement/place-rooms.ts';
// rtp/
export {
  createLatch,
  type Latch,
  type LatchCounters,
  type LatchOptions,
  type SignalledSource,
} from './rtp/latch.ts';
export {
  createReceiverStatistics,
  middleOfNtp,
  type ReceiverStatistics,
  roundTripMs,
} from './rtp/receiver-statistics.ts';
export {
  createReportBlock,
  type ReportBlock,
  type RtcpPacket,
  readRtcp,
  type SenderInfo,
  writeRtcp,
} from './rtp/rtcp.ts';
export {
  createRtpHeader,
  looksLikeRtcp,
  type RtpHeader,
  readRtpPacket,
  receivedPacketBytes,
  rtpHeaderBytes,
  writeRtpHeader,
} from './rtp/rtp-packet.ts';
export { createRtpSender, type RtpSender, type RtpSenderOptions } from './rtp/rtp-sender.ts';
export {
  createSrtpCounters,
  createSrtpReceiver,
  type SrtpCounters,
  type SrtpReceiver,
} from './rtp/srtp-receiver.ts';
export { createSrtpSender, type SrtpSender } from './rtp/srtp-sender.ts';
export {
  type AesBlocks,
  type AesGcm,
  type HmacSha1,
  type SrtpCiphers,
  type SrtpSuiteName,
  srtpPacketBytes,
} from './rtp/srtp-suite.ts';
export type { SrtpMaster } from './rtp/srtp-transform.ts';
// samples/
export { allocateBytes } from './samples/sample-memory.ts';
// stream/
export type {
  EngineStreams,
  KeyListener,
  OpenedStreamSource,
  PressedKeys,
  StreamSourceOrder,
  TapOrder,
  VirtualLegOrder,
} from './stream/engine-streams.ts';
export { isWav, readWavHeader, type WavFault, type WavHeader, wavTag } from './wav/read-wav-header.ts';
export { longestWavData, wavDurationMs, wavHeader, wavHeaderBytes } from './wav/wav-header.ts';
