import type { Logger } from '@jackfield/ports';
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly sentence: string;
}

/** A logger that prints nothing and keeps its lines, for tests of log output. */
export function createRecordingLog(): Logger & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine['level']) => (fields: object, sentence: string) => {
    lines.push({ level, fields, sentence });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
