export { createPlatform } from './create-platform.ts';
export type { AccountCredentials } from './features/accounts/index.ts';
export {
  type Carrier,
  type CarrierAccount,
  type IncomingCarrierCalls,
  type ReadCarriers,
  readCarriers,
} from './features/carriers/index.ts';
export {
  type GatewayAccess,
  type HttpAccess,
  type LinkedGateway,
  type MessageGateway,
  type ReadGateways,
  readGateways,
  type SmppAccess,
} from './features/message-gateways/index.ts';
export type { NewRecording, Recordings } from './features/recordings/door.ts';
export type { SandboxNetwork } from './features/sandbox-calls/index.ts';
export {
  behaviours,
  type CallingNotice,
  type CallingPhones,
  greeting,
  greetingClip,
  sentences,
  startSandboxPhones,
  talkerClip,
  type Voicemail,
} from './features/sandbox-phones/index.ts';
export { type RateTable, readRateTable } from './features/usage/index.ts';
export { sendLimits as verifySendLimits } from './features/verify/index.ts';
export { type HttpLimits, networksOf, sourceOf } from './http/index.ts';
export { askedSeldom } from './kernel/asked-seldom.ts';
export type { Instant, OutboxEvent } from './kernel/machine.ts';
export { nearestName } from './kernel/nearest-name.ts';
export type { SessionRunner } from './kernel/session-runner.ts';
export { createStartPhase } from './kernel/start-phases.ts';
export type { Platform, PlatformDeps } from './platform.ts';
export type {
  AudioStreams,
  StreamNotice,
  StreamOrder,
  StreamStatistics,
  StreamTarget,
  StreamTrack,
} from './ports/audio-streams.ts';
export type { CarrierRequests, RegisterOrder, RegisterOutcome } from './ports/carrier-requests.ts';
export {
  type ClientTokens,
  type TokenClient,
  type TokenRefusal,
  tokenRefusals,
} from './ports/client-tokens.ts';
export type { Clock } from './ports/clock.ts';
export type { Database, Migration, Read, Write } from './ports/database.ts';
export type {
  CheckedAddresses,
  Egress,
  EgressAddresses,
  EgressAnswer,
  EgressOutcome,
  EgressProblem,
  EgressProblemKind,
  EgressRequest,
  EgressTimeouts,
} from './ports/egress.ts';
export type { FailedLogin, FailedLogins } from './ports/failed-logins.ts';
export type { Logger } from './ports/logger.ts';
export type {
  CaptureTrack,
  Media,
  MediaNotice,
  MixCommand,
  MixMember,
  Sound,
  SoundClip,
} from './ports/media.ts';
export type {
  AgreedMedia,
  AgreedPayload,
  AgreedProtection,
  AgreedSuite,
  LegStatistics,
  MediaClips,
  MediaLegs,
} from './ports/media-legs.ts';
export type { Histogram, LabelledSource, MetricSource, Metrics } from './ports/metrics.ts';
export type { NumberRoutes } from './ports/number-routes.ts';
export type { RecordedFile, Recorder, RecordingFormat, RecordingOrder } from './ports/recorder.ts';
export type { RecordingFiles } from './ports/recording-files.ts';
export type { Binding, EndpointCredential, Registrations } from './ports/registrations.ts';
export type { Secrets } from './ports/secrets.ts';
export type { ExpectedCall, SignallingDoors } from './ports/signalling-doors.ts';
export type { Sms, SmsOrder, SmsOutcome, SmsReceipt } from './ports/sms.ts';
export type { DecodeLimits, DecodeProblem, SoundDecoder } from './ports/sound-decoder.ts';
export type { SourceBan, SourceBans } from './ports/source-bans.ts';
export type { Speech, SpeechLanguages, SpeechProblem, SpeechRequest } from './ports/speech.ts';
export type {
  DialRequest,
  DialTarget,
  LegEnd,
  LegKey,
  LegListener,
  LegNotice,
  Telephony,
  TransferRequest,
} from './ports/telephony.ts';
export type {
  RefusedTrunkCall,
  TrunkAccess,
  TrunkLogin,
  TrunkPassword,
  TrunkRefusal,
  Trunks,
} from './ports/trunks.ts';
