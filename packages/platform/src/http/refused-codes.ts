import { allErrorCodes, type ErrorCode, errorBody, errorCodes } from '@jackfield/contract';
import { type TSchema, Type } from 'typebox';
import type { ApiRoute } from './route.ts';

/** Every operation: its path and query are read, its client authenticated (`forbidden`: a session of the console) and counted, its resource looked up. */
const ofAll: readonly ErrorCode[] = [
  'invalid-parameter',
  'malformed-request',
  'unauthenticated',
  'forbidden',
  'not-found',
  'too-many-requests',
  'internal',
  'unavailable',
  'draining',
];
const ofBodies: readonly ErrorCode[] = ['malformed-body', 'payload-too-large', 'unsupported-media-type'];
const ofChanges: readonly ErrorCode[] = ['limit-reached', 'conflict'];
const ofRepetitions: readonly ErrorCode[] = ['idempotency-mismatch', 'idempotency-outcome-unknown'];
const ofTrunks: readonly ErrorCode[] = ['missing-trunk-parameter'];

/** Codes that an operation may answer, in the order of the table: those of its method and parts, and its own `refuses`. */
function refusedCodes({ method, path, schema, refuses = [] }: ApiRoute): readonly ErrorCode[] {
  const isPost = method === 'POST';
  const hasBody = isPost && schema.body !== undefined;
  const needsQuery = (schema.query?.required ?? []).length > 0;
  const codes = new Set<ErrorCode>([
    ...ofAll,
    ...(method === 'GET' ? [] : [...ofBodies, ...ofChanges]),
    ...(isPost ? ofRepetitions : []),
    ...(hasBody || needsQuery ? (['missing-parameter'] as const) : []),
    ...(hasBody ? (['unknown-parameter'] as const) : []),
    ...(isPost && /^(SipTrunk|Zentrunk)\//.test(path) ? ofTrunks : []),
    ...refuses,
  ]);
  return allErrorCodes.filter((code) => codes.has(code));
}

/** The answers of an operation that are not a success, by status: the error body with the codes of that status. */
export function refusedAnswers(route: ApiRoute): Readonly<Record<number, TSchema>> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of refusedCodes(route)) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        ...Type.Intersect([errorBody, Type.Object({ error_code: oneOf(codes) })]),
        description: codes.map((code) => `\`${code}\``).join(', '),
      },
    ]),
  );
}

function oneOf(codes: readonly ErrorCode[]): TSchema {
  return Type.Unsafe<ErrorCode>({ type: 'string', enum: [...codes] });
}
