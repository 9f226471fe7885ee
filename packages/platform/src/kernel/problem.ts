import { type ErrorCode, errorCodes } from '@jackfield/contract';
import { quoted } from '@jackfield/ports';

/** Why a request was refused: an expected outcome, never thrown. It holds no secret. */
export interface Problem {
  /** For programs: `error_code` of the answer, and a row of docs/reference/errors.md. */
  readonly code: ErrorCode;
  /** For people: `error` of the answer. */
  readonly sentence: string;
  /** The parameter at fault, where one is. */
  readonly parameter?: string;
  /** For `Retry-After`, where waiting helps. */
  readonly retryAfterSeconds?: number;
}

/** The HTTP status of a problem's answer. */
export function statusOf(problem: Problem): number {
  return errorCodes[problem.code].status;
}

/** A problem whose sentence is written where it arises. */
export function problem(code: ErrorCode, sentence: string): Problem {
  return { code, sentence };
}

/** `allowed` completes "must be …", e.g. `a whole number from 1 to 20`. The value is shown shortened and escaped. */
export function invalidParameter(parameter: string, value: unknown, allowed: string): Problem {
  return {
    code: 'invalid-parameter',
    sentence: `${parameter} must be ${allowed}, not ${shown(value)}`,
    parameter,
  };
}

/** As above without the value, for passwords, tokens and codes. */
export function invalidSecret(parameter: string, allowed: string): Problem {
  return { code: 'invalid-parameter', sentence: `${parameter} must be ${allowed}`, parameter };
}

/** The only error text that the hosted service has published has this shape (docs/interface/requests.md#errors). */
export function missingParameter(parameter: string): Problem {
  return { code: 'missing-parameter', sentence: `${parameter} parameter is missing`, parameter };
}

/** `thing` and `name` as in `endpoint`, `83742911018273`. */
export function notFound(thing: string, name: string): Problem {
  return { code: 'not-found', sentence: `there is no ${thing} ${shown(name)}` };
}

export function tooManyRequests(sentence: string, retryAfterSeconds: number): Problem {
  return { code: 'too-many-requests', sentence, retryAfterSeconds };
}

/** A part that the platform depends on is away; the request may or may not have had an effect. */
export function unavailable(part: string, retryAfterSeconds: number): Problem {
  return unavailableAs(
    `the ${part} cannot be reached; try again in ${retryAfterSeconds} s`,
    retryAfterSeconds,
  );
}

/** The same with a sentence of the caller, which may say what has been done. */
export function unavailableAs(sentence: string, retryAfterSeconds: number): Problem {
  return { code: 'unavailable', sentence, retryAfterSeconds };
}

export function draining(retryAfterSeconds: number): Problem {
  return {
    code: 'draining',
    sentence: `this node drains and accepts no new work; try again in ${retryAfterSeconds} s or at another node`,
    retryAfterSeconds,
  };
}

export function noCapacity(retryAfterSeconds: number): Problem {
  return {
    code: 'no-capacity',
    sentence: `neither this node nor another one has room for a new call; try again in ${retryAfterSeconds} s`,
    retryAfterSeconds,
  };
}

function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
