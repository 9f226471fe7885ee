export type {
  AudioStreams,
  FrameRefusal,
  StreamDialectName,
  StreamNotice,
  StreamOrder,
  StreamStatistics,
  StreamTarget,
  StreamTrack,
  VoiceActivityLimits,
} from './audio-streams.ts';
export {
  type Bus,
  BusError,
  type BusErrorCode,
  type BusReceiver,
  everyone,
  longestBusMessage,
} from './bus.ts';
export {
  type CallEnd,
  callEnds,
  type HangupCode,
  type HangupSource,
  hangupNames,
} from './call-end.ts';
export type { CallRoute, CallRoutes, RouteOwner, RouteTarget, TargetFailure } from './call-routes.ts';
export type { CallTracing, EndedPart, SpanAttributes } from './call-tracing.ts';
export type { CarrierRequests, RegisterOrder, RegisterOutcome } from './carrier-requests.ts';
export type { CertificateAuthority, ChallengeAnswers, IssuedCertificate } from './certificate-authority.ts';
export { type ClientTokens, type TokenClient, type TokenRefusal, tokenRefusals } from './client-tokens.ts';
export type { Clock } from './clock.ts';
export type { Database, DatabaseMember, Migration, Read, UnitOptions, Write } from './database.ts';
export { isDatabaseUnavailable, isUnavailable, saysNothingWritten } from './database-faults.ts';
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
  StopSignal,
} from './egress.ts';
export { escapedText } from './escaped-text.ts';
export type { FailedLogin, FailedLogins } from './failed-logins.ts';
export type { IdentifiedPerson, IdentityProvider, LoginSecrets } from './identity-provider.ts';
export { jsonBody, readJsonBody } from './json-bodies.ts';
export {
  defaultLegLimits,
  type LegParties,
  type LegSpec,
  legSpec,
  type MachineDetection,
} from './leg-spec.ts';
export type { Logger } from './logger.ts';
export { type Instant, type Machine, type Step, stay, type TimerFired } from './machine.ts';
export type {
  CaptureTrack,
  Media,
  MediaNotice,
  MixCommand,
  MixMember,
  PlayEnd,
  Sound,
  SoundClip,
} from './media.ts';
export type {
  AgreedCodec,
  AgreedKeys,
  AgreedMedia,
  AgreedPayload,
  AgreedProtection,
  AgreedSuite,
  CertificateFingerprint,
  IceCredentials,
  LegMeasures,
  LegStatistics,
  MediaClips,
  MediaLegs,
  OpenedLeg,
} from './media-legs.ts';
export type { Histogram, LabelledSource, MetricSource, Metrics } from './metrics.ts';
export {
  type AppliedMigration,
  contractsColumnSql,
  MigrationError,
  migrationsTableSql,
  type PlannedMigration,
  planMigrations,
} from './migration-plan.ts';
export type { InboundTrunk, NumberRoutes, OwnNumbers } from './number-routes.ts';
export type { PeerNodes } from './peer-nodes.ts';
export { type PrefixRoutes, prefixRoutes, type RoutePrefix, routesFor } from './prefix-routes.ts';
export { type KeySource, type PressedKey, withKey } from './pressed-keys.ts';
export { type Promised, whenThere } from './promised.ts';
export { quoted } from './quoted.ts';
export type {
  RecordedFile,
  RecordedPeaks,
  Recorder,
  RecordingFailure,
  RecordingFailureCode,
  RecordingFormat,
  RecordingOrder,
} from './recorder.ts';
export type { RecordingFiles } from './recording-files.ts';
export type { Binding, EndpointCredential, Registrations } from './registrations.ts';
export type { Secrets } from './secrets.ts';
export type { ExpectedCall, SignallingPorts } from './signalling-ports.ts';
export type { SignallingTrace, TracedMessage } from './signalling-trace.ts';
export { sipUriAt } from './sip-uri-at.ts';
export type { Sms, SmsOrder, SmsOutcome, SmsReceipt } from './sms.ts';
export type { DecodeLimits, DecodeProblem, SoundDecoder } from './sound-decoder.ts';
export type { SourceBan, SourceBans } from './source-bans.ts';
export { isLoopback, networksOf, sourceOf } from './source-of.ts';
export type { Speech, SpeechLanguages, SpeechProblem, SpeechRequest } from './speech.ts';
export {
  engineSampleRate,
  type RecognitionNotice,
  type RecognitionOrder,
  type RecognitionProblem,
  type RecognitionProblemCode,
  type SpeechEngine,
  type SpeechRecognition,
  type SpeechReport,
  type SpeechRequestOptions,
  type SpeechResult,
  type SpeechSession,
} from './speech-recognition.ts';
export type {
  CarrierRefusal,
  DialRequest,
  DialTarget,
  LegEnd,
  LegKey,
  LegListener,
  LegNotice,
  LegReport,
  NamedTrunk,
  RefusalStatus,
  Telephony,
  TransferRequest,
} from './telephony.ts';
export type {
  TranscribedPart,
  TranscribedWords,
  Transcription,
  TranscriptionOrder,
  TranscriptionProblemCode,
} from './transcription.ts';
export type {
  RefusedTrunkCall,
  TrunkAccess,
  TrunkLogin,
  TrunkPassword,
  TrunkRefusal,
  Trunks,
} from './trunks.ts';
export { writtenAuthority } from './written-authority.ts';
