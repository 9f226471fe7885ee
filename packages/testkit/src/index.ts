export { databaseContract } from './database-contract.ts';
export { eachDatabase, type OpenDatabase, onEmbeddedDatabase, onPostgres } from './each-database.ts';
export { killedWhileWriting, type WritingProcess } from './killed-while-writing.ts';
export {
  type PostgresServer,
  type PostgresServerOptions,
  postgresMissing,
  startPostgres,
} from './postgres-server.ts';
export { createRecordingLog, type LogLine } from './recording-log.ts';
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './virtual-clock.ts';
