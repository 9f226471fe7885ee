export {
  type ApplicationFrame,
  applicationFrame,
  type PlatformFrame,
  platformFrame,
} from '@jackfield/contract';
export { fromLinear, fromMulaw, levelDb, toLinear, toMulaw, tone } from './audio.ts';
export { type CheckOptions, checkServer, type RuleFinding } from './check/check-server.ts';
export { TestCall, type TestCallOptions } from './check/test-call.ts';
export { type StreamServer, type StreamServerOptions, serveStreams } from './serve-streams.ts';
export { type StreamEvents, StreamSession, type StreamStart } from './stream-session.ts';
export { judgeUpgrade, type UpgradeJudgement, verifyUpgrade } from './verify-upgrade.ts';
