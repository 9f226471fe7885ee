export type {
  ApiAnswer,
  ApiMethod,
  App,
  AppPaths,
  CallEnd,
  Fault,
  FaultOptions,
  Phone,
  PhoneAnswer,
  Program,
  ProgramAnswer,
  ProgramRequest,
  ReceivedText,
  TextMessage,
  Within,
  World,
} from './api.ts';
export { createWorld, type WorldOptions } from './create-world.ts';
export type { Duration } from './duration.ts';
export { type FaultName, faultNames } from './fault-names.ts';
export { type ServerOptions, skippedOnServer } from './server-options.ts';
export { spokenText } from './spoken-text.ts';
export { startTestServer, type TestServer, type TestServerOptions } from './test-server.ts';
export { type TestingCode, TestingError } from './testing-error.ts';
