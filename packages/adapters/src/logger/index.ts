export { createLogger, type LoggerOptions, type LogLevel } from './pino-logger.ts';
