import { problem } from '../kernel/problem.ts';
import { type Result, refused } from '../kernel/result.ts';

const maxDepth = 32;

/**
 * The object of a request body; an empty body is an empty object. Costs time linear in the bytes. Members named like those of
 * a prototype are own members, as in JSON.
 */
export function readJsonObject(bytes: Uint8Array): Result<Readonly<Record<string, unknown>>> {
  if (bytes.length === 0) return { ok: true, value: {} };
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refused(problem('malformed-body', 'the body must be JSON in UTF-8'));
  }
  if (text.trim() === '') return { ok: true, value: {} };
  if (nestsDeeperThan(maxDepth, text)) {
    return refused(problem('malformed-body', `the body must not nest deeper than ${maxDepth} levels`));
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused(problem('malformed-body', 'the body must be JSON'));
  }
  // A public client sends the text "" instead of no body.
  if (value === '' || value === null) return { ok: true, value: {} };
  if (typeof value !== 'object' || Array.isArray(value)) {
    return refused(
      problem(
        'malformed-body',
        `the body must be a JSON object, not ${Array.isArray(value) ? 'a list' : `a ${typeof value}`}`,
      ),
    );
  }
  return { ok: true, value: value as Record<string, unknown> };
}

/** Reads the text, so that no deep value is ever built. */
function nestsDeeperThan(limit: number, text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === 0x5c) at += 1;
      else if (code === 0x22) quoted = false;
    } else if (code === 0x22) {
      quoted = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return false;
}
