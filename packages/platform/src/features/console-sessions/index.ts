export type { ConsoleIdentity } from './access/identity-login.ts';
export { type ConsoleSessionsFeature, createConsoleSessions } from './create-console-sessions.ts';
