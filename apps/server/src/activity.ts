import type { Logger } from '@jackfield/ports';

/** The fields of an event that its line needs. */
export interface ShownEvent {
  readonly type: string;
  readonly createdAt: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One readable line for an event; undefined for an event that is not shown. */
export function lineOfEvent({ type, createdAt, data }: ShownEvent): string | undefined {
  const text = (name: string) => plain(String(data[name] ?? ''));
  const call = `call      ${text('From')} → ${text('To')} `;
  switch (type) {
    case 'call.ringing':
      return `${call} rings`;
    case 'call.answered':
      return `${call} answered after ${seconds(createdAt - Date.parse(`${text('SessionStart')}Z`))}`;
    case 'call.ended': {
      const { Duration: duration } = data;
      const cause = `${text('HangupCauseName')} (${text('HangupSource')})`;
      return text('AnswerTime') === ''
        ? `${call} ended before an answer: ${cause}`
        : `${call} ended after ${String(duration)} s: ${cause}`;
    }
    case 'call.document-failed':
      return `document  ${text('Url')} failed: ${text('Sentence')}`;
    case 'stream.started':
      return `stream    ${text('ServiceURL')} started`;
    case 'stream.failed':
    case 'stream.stopped':
    case 'stream.timeout':
      return `stream    ${text('ServiceURL')} ${type.slice('stream.'.length)} after ${text('Duration')} s: ${text('StatusReason')}`;
    default:
      return undefined;
  }
}

/** The same for log records about requests to a customer's server. */
function lineOfRecord(sentence: string, fields: Readonly<Record<string, unknown>>): string | undefined {
  const { method, url, status, problem, durationMs } = fields;
  const request = `${String(method)} ${plain(String(url))}`;
  const outcome = plain(String(status ?? problem ?? 'failed'));
  switch (sentence) {
    case 'document requested':
      return `document  ${request} ${outcome} in ${String(durationMs)} ms`;
    case 'callback sent':
      return `callback  ${request} ${outcome} in ${String(durationMs)} ms (${String(fields.event)})`;
    default:
      return undefined;
  }
}

/** The same log; lines about requests are also shown, whatever its level. */
export function withActivity(log: Logger, show: (line: string) => void): Logger {
  return {
    ...log,
    debug(fields, sentence) {
      log.debug(fields, sentence);
      const line = lineOfRecord(sentence, fields as Readonly<Record<string, unknown>>);
      if (line !== undefined) show(line);
    },
  };
}

function seconds(ms: number): string {
  return `${(Math.max(0, ms) / 1000).toFixed(1)} s`;
}

/** Callers choose their names: no name may move the cursor of a terminal. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ').slice(0, 200);
}
