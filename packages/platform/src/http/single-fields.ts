import { type Problem, problem } from '../kernel/problem.ts';

/**
 * Fields that two readers of a request could understand differently when they are repeated: Host (RFC 9112 §3.2), credentials, the
 * description of the body, the idempotency key. Node.js silently keeps the first of most of them.
 */
const singleFields = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'idempotency-key',
  'range',
]);

/** The first of those fields that is repeated; `rawHeaders` are names and values in turn. */
export function repeatedField(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (!singleFields.has(name)) continue;
    if (seen.has(name)) return rawHeaders[at];
    seen.add(name);
  }
  return undefined;
}

export function repeatedHeader(name: string): Problem {
  return problem('malformed-request', `the header ${name} is given more than once: send it once`);
}
