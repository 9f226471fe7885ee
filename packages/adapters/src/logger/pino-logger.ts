import type { Logger } from '@jackfield/ports';
import { pino } from 'pino';
import { hideSecrets } from './hide-secrets.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface LoggerOptions {
  readonly level?: LogLevel;
  /** Accepts whole lines of JSON; standard output by default. For example a pretty printer for terminals. */
  readonly destination?: { write(line: string): void };
}

/** One JSON line per event, written before the call returns, so that a crash loses none. */
export function createLogger({ level = 'info', destination }: LoggerOptions = {}): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    messageKey: 'message',
    timestamp: pino.stdTimeFunctions.isoTime,
    // `hideSecrets` has already turned errors into plain objects.
    serializers: { err: (err: unknown) => err },
    formatters: { level: (label) => ({ level: label }), log: hideSecrets },
  };
  const lines = destination === undefined ? pino(options) : pino(options, destination);
  return {
    debug: (fields, sentence) => lines.debug(fields, sentence),
    info: (fields, sentence) => lines.info(fields, sentence),
    warn: (fields, sentence) => lines.warn(fields, sentence),
    error: (fields, sentence) => lines.error(fields, sentence),
  };
}
