import { quoted } from '@jackfield/ports';

/** Why a wish was refused: an expected outcome, never thrown. `sentence` is what the client reads; it holds no secret. */
export interface Problem {
  readonly code: ProblemCode;
  readonly sentence: string;
  /** The parameter at fault, where one is. */
  readonly parameter?: string;
  /** For `Retry-After`, where waiting helps. */
  readonly retryAfterSeconds?: number;
}

export type ProblemCode = keyof typeof problemTable;

interface ProblemRow {
  readonly status: number;
  /** Its row in docs/errors.md. */
  readonly anchor: string;
}

/** The closed table: problem code → HTTP status → row of docs/errors.md. A code exists here or not at all. */
export const problemTable = {
  'invalid-parameter': { status: 400, anchor: '#invalid-parameter' },
  'missing-parameter': { status: 400, anchor: '#missing-parameter' },
  'malformed-body': { status: 400, anchor: '#malformed-body' },
  /** A full multiparty call and its like: conventions.md §9.3 answers 400. */
  'limit-reached': { status: 400, anchor: '#limit-reached' },
  unauthenticated: { status: 401, anchor: '#unauthenticated' },
  'not-found': { status: 404, anchor: '#not-found' },
  'method-not-allowed': { status: 405, anchor: '#method-not-allowed' },
  conflict: { status: 409, anchor: '#conflict' },
  'idempotency-mismatch': { status: 409, anchor: '#idempotency-mismatch' },
  'payload-too-large': { status: 413, anchor: '#payload-too-large' },
  'unsupported-media-type': { status: 415, anchor: '#unsupported-media-type' },
  'range-not-satisfiable': { status: 416, anchor: '#range-not-satisfiable' },
  /** interface.md: what is missing on trunk resources is answered so, and not with 400. */
  'missing-trunk-parameter': { status: 422, anchor: '#missing-trunk-parameter' },
  'too-many-requests': { status: 429, anchor: '#too-many-requests' },
  internal: { status: 500, anchor: '#internal' },
  unavailable: { status: 503, anchor: '#unavailable' },
  draining: { status: 503, anchor: '#draining' },
} as const satisfies Readonly<Record<string, ProblemRow>>;

/** The HTTP status of a problem's answer. */
export function statusOf(problem: Problem): number {
  return problemTable[problem.code].status;
}

/** A problem whose sentence is written where it arises. */
export function problem(code: ProblemCode, sentence: string): Problem {
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

/** As above for values that nobody should read again: passwords, tokens, codes. */
export function invalidSecret(parameter: string, allowed: string): Problem {
  return { code: 'invalid-parameter', sentence: `${parameter} must be ${allowed}`, parameter };
}

/** The one error text that the hosted service has published has this shape (conventions.md §1). */
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

/** A part that the platform leans on is gone for the moment; nothing of what was asked for is known to have happened. */
export function unavailable(part: string, retryAfterSeconds: number): Problem {
  return {
    code: 'unavailable',
    sentence: `the ${part} cannot be reached; try again in ${retryAfterSeconds} s`,
    retryAfterSeconds,
  };
}

export function draining(retryAfterSeconds: number): Problem {
  return {
    code: 'draining',
    sentence: `this node is shutting down and takes no new work; try again in ${retryAfterSeconds} s or at another node`,
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
