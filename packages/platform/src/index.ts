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
export type { NewRecording, Recordings } from './features/recordings/public-api.ts';
export type { SandboxNetwork } from './features/sandbox-calls/index.ts';
export type { FaultyNetwork } from './features/sandbox-faults/index.ts';
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
export {
  type ConsoleFile,
  type ConsolePages,
  clientNamedBy,
  type GuidePages,
  type HttpLimits,
  identityCallbackPath,
  upgradeAnswer,
} from './http/index.ts';
export { askedSeldom } from './kernel/asked-seldom.ts';
export type { OutboxEvent } from './kernel/kernel-effects.ts';
export { nearestName } from './kernel/nearest-name.ts';
export type { SessionRunner } from './kernel/session-runner.ts';
export { createStartPhase } from './kernel/start-phases.ts';
export type { CreatedPlatform, KeptRecords, Platform, PlatformDeps } from './platform.ts';
