export { type AnswerJudge, holdToDocument, judgeOf } from './answered-as-documented.ts';
export { busContract, type OpenBus } from './bus-contract.ts';
export {
  answeredCall,
  conversation,
  incomingCall,
  ringingCall,
  ringingConversation,
} from './calls-by-hand.ts';
export { databaseContract } from './database-contract.ts';
export {
  assertDocumentedEvents,
  documentedOutbox,
  eventFaults,
  type FoundWebhook,
  webhookFor,
} from './documented-events.ts';
export { eachDatabase, type OpenDatabase, onEmbeddedDatabase, onPostgres } from './each-database.ts';
export { createFailingCommits, databaseUnavailable, type FailingCommits } from './failing-commits.ts';
export { type BrokenInvariant, brokenInvariants, type History } from './history-checker.ts';
export { killedWhileWriting, type WritingProcess } from './killed-while-writing.ts';
export { type BusFaults, createMemoryBuses, type MemoryBuses } from './memory-bus.ts';
export { createNatsCredentials, type NatsCredentialFiles } from './nats-credentials.ts';
export { type NatsServer, natsMissing, startNats } from './nats-server.ts';
export type { HeardFrame, PhoneAudio } from './phone-audio.ts';
export type { PhoneCall } from './phone-call.ts';
export {
  type PostgresServer,
  type PostgresServerOptions,
  postgresMissing,
  startPostgres,
} from './postgres-server.ts';
export { createRecordedFiles, type RecordedFiles } from './recorded-files.ts';
export { recordedEvents, recordedHistory } from './recorded-history.ts';
export { type OpenRecordingFiles, recordingFilesContract } from './recording-files-contract.ts';
export { createRecordingLog, type LogLine } from './recording-log.ts';
export { onTwoNodes, type Race, type Rivals } from './rivals.ts';
export { runsWithin } from './runs-within.ts';
export { type S3Server, startS3Server } from './s3-server.ts';
export { seededRandom } from './seeded-random.ts';
export { createSettling } from './settling.ts';
export type { Census } from './simulated-census.ts';
export {
  type CustomerAnswer,
  type CustomerRequest,
  createSimulatedCustomer,
  type SimulatedCustomer,
  toneFile,
} from './simulated-customer.ts';
export { createSimulatedMedia, frameMs, type SimulatedMedia } from './simulated-media.ts';
export { createSimulatedMessageGateway, type SimulatedMessageGateway } from './simulated-message-gateway.ts';
export { type Impairment, type NetworkAddress, SimulatedNetwork } from './simulated-network.ts';
export type { MediaOrders } from './simulated-orders.ts';
export { type PhoneBehaviour, SimulatedPhone } from './simulated-phone.ts';
export {
  type ApiAnswer,
  basic,
  type Call,
  type Caller,
  type CallOptions,
  type PlatformSettings,
  type SimulatedPlatform,
} from './simulated-platform.ts';
export { createSimulatedRecognition, type SimulatedRecognition } from './simulated-recognition.ts';
export { msPerCharacter, speechHz } from './simulated-sounds.ts';
export {
  createSimulatedStreams,
  type SimulatedStream,
  type SimulatedStreams,
  type StreamServer,
} from './simulated-streams.ts';
export type { NewOffer, SimulatedTelephony } from './simulated-telephony.ts';
export { openSimulatedTransports } from './simulated-transports.ts';
export {
  eventStreamOf,
  everyWorldHas,
  inSimulatedWorld,
  openSimulatedWorld,
  type SimulatedWorld,
  type SimulatedWorldOptions,
} from './simulated-world.ts';
export { type EngineSide, type OpenSpeechEngine, speechEngineContract } from './speech-engine-contract.ts';
export { srtpCiphersContract } from './srtp-ciphers-contract.ts';
export { machineBeep, syntheticVoice } from './synthetic-voice.ts';
export { frameSamples, toneFrame, toneMeter } from './tone-meter.ts';
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.ts';
export { createWatchedWrites, type WatchedWrites } from './watched-writes.ts';
export { worldOfSuite } from './world-of-suite.ts';
