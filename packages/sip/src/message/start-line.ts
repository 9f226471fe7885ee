import { isToken } from './tokens.ts';

/** The first line of a message; `problem` is the fault of a line whose kind is clear. */
export type StartLine =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly uri: string;
      /** The status for `problem`. */
      readonly status: number;
      readonly problem: string | undefined;
    }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly reason: string;
      readonly problem: string | undefined;
    };

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a Request-URI may not hold
const NOT_URI = /[\x00-\x20<>"\x7f]/;

/** Parses a request line or status line (RFC 3261 §7.1, §7.2); undefined when the text is neither. */
export function parseStartLine(line: string, maxLength: number): StartLine | undefined {
  // Only a status line has a slash here, so a request needs no comparison without case.
  if (line.charCodeAt(3) === 0x2f && isVersionAt(line, 0)) return parseStatusLine(line);
  const space = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  const method = line.slice(0, space);
  if (space <= 0 || !isToken(method)) return undefined;
  const isVersion = isVersionAt(line, last + 1);
  if (last === space || (!isVersion && !/^SIP\//i.test(line.slice(last + 1)))) {
    // RFC 4475 §3.1.2.8, §3.1.2.10: extra spaces are errors of a recognisable request.
    return /\bSIP\/[0-9]/i.test(line)
      ? { kind: 'request', method, uri: '', status: 400, problem: 'The request line is malformed.' }
      : undefined;
  }
  const uri = line.slice(space + 1, last);
  const request = { kind: 'request' as const, method, uri };
  if (!isVersion || line.length !== last + 8) {
    return { ...request, status: 505, problem: 'Only SIP/2.0 is supported.' };
  }
  if (line.length > maxLength)
    return { ...request, status: 414, problem: `The request line exceeds ${maxLength} bytes.` };
  // RFC 4475 §3.1.2.9, §3.1.2.11: neither angle brackets nor spaces.
  if (uri === '' || NOT_URI.test(uri))
    return { ...request, status: 400, problem: 'The Request-URI is malformed.' };
  return { kind: 'request', method, uri, status: 400, problem: undefined };
}

function parseStatusLine(line: string): StartLine | undefined {
  const code = line.slice(8, 11);
  const isStatus = line.charCodeAt(7) === 0x20 && /^[1-6][0-9][0-9]$/.test(code);
  if (!isStatus || (line.length > 11 && line.charCodeAt(11) !== 0x20)) return undefined;
  return { kind: 'response', status: Number(code), reason: line.slice(12), problem: undefined };
}

function isVersionAt(line: string, index: number): boolean {
  // RFC 3261 §7.1: the version is compared without case; the usual upper case takes the fast path.
  return line.startsWith('SIP/2.0', index) || line.slice(index, index + 7).toUpperCase() === 'SIP/2.0';
}
