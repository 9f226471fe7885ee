import { isUnavailable, type Logger } from '@jackfield/ports';
import type { AnswerFields } from '@jackfield/sip';

/** Seconds after which a refused phone may retry: about the length of a restart. */
const retryAfterSeconds = '10';

export interface FaultAnswer {
  readonly status: 500 | 503;
  readonly fields: AnswerFields;
}

/** Another server, or a later attempt, may succeed. */
export const unavailable = {
  status: 503,
  fields: { headers: [['Retry-After', retryAfterSeconds]] },
} as const satisfies FaultAnswer;

/** The answer to a request whose lookup or write has failed; logs the failure. */
export function faultAnswer(error: unknown, what: string, log: Logger): FaultAnswer {
  if (isUnavailable(error)) {
    log.warn({ err: error }, `${what} refused: database unavailable`);
    return unavailable;
  }
  log.error({ err: error }, `${what} failed`);
  return { status: 500, fields: unavailable.fields };
}
