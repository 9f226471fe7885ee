import { invalidParameter } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';

/** conventions.md §13: what a browser phone reads of a header's name. */
const maxNameLength = 24;

/** `name=value,name=value`; the prefix that the wire adds may stand in the name already. */
export function readSipHeaders(text: string | undefined): Result<Readonly<Record<string, string>>> {
  if (text === undefined) return accepted({});
  const headers = new Map<string, string>();
  const names = new Set<string>();
  for (const pair of text.split(',')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).replace(/^x-ph-/i, '');
    if (name === '' || name.length > maxNameLength) {
      const allowed = `pairs with names of 1 to ${maxNameLength} characters`;
      return refused(invalidParameter('sip_headers', text, allowed));
    }
    if (names.has(name.toLowerCase())) {
      return refused(invalidParameter('sip_headers', text, 'pairs of which each name occurs once'));
    }
    names.add(name.toLowerCase());
    headers.set(name, pair.slice(at + 1));
  }
  // Built from entries, so that a name such as __proto__ stays a name.
  return accepted(Object.fromEntries(headers));
}
