export { type ConsoleSessionsFeature, createConsoleSessions } from './create-console-sessions.ts';
