import { endOfQuoted, isToken, trimSpace } from './tokens.ts';

/** One `;name=value`; the value stays as written, quotes included, and is undefined for a flag such as `;lr`. */
export interface Param {
  /** Lower case. */
  readonly name: string;
  readonly value: string | undefined;
}

const NONE: readonly Param[] = [];

/**
 * The parameters of a header value from `start`, the position of the first `;` or of the end. Spaces around `;` and `=` are
 * allowed. Undefined when the text is malformed.
 */
export function parseParams(text: string, start: number): readonly Param[] | undefined {
  let index = skipSpace(text, start);
  if (index >= text.length) return NONE;
  const params: Param[] = [];
  while (index < text.length) {
    if (text.charCodeAt(index) !== 0x3b) return undefined;
    const end = endOfParam(text, index + 1);
    if (end < 0) return undefined;
    const param = parseParam(text.slice(index + 1, end));
    if (param === undefined) return undefined;
    // An empty parameter (";;" or a trailing ";") violates the grammar, but is common and harmless.
    if (param !== EMPTY) params.push(param);
    index = end;
  }
  return params;
}

/** The value of the first parameter of that lower-case name: '' for a flag, undefined when it is absent. */
export function paramOf(params: readonly Param[], name: string): string | undefined {
  for (const param of params) if (param.name === name) return param.value ?? '';
  return undefined;
}

/** Parameters as text, each with its leading semicolon. */
export function printParams(params: readonly Param[]): string {
  let text = '';
  for (const { name, value } of params) text += value === undefined ? `;${name}` : `;${name}=${value}`;
  return text;
}

/** The parameters with one of them replaced, or added at the end. */
export function withParam(
  params: readonly Param[],
  name: string,
  value: string | undefined,
): readonly Param[] {
  const param = { name, value };
  return params.some((other) => other.name === name)
    ? params.map((other) => (other.name === name ? param : other))
    : [...params, param];
}

const EMPTY: Param = { name: '', value: undefined };

function parseParam(text: string): Param | undefined {
  const equals = text.indexOf('=');
  if (equals < 0) {
    const name = trimSpace(text);
    if (name === '') return EMPTY;
    return isToken(name) ? { name: name.toLowerCase(), value: undefined } : undefined;
  }
  const name = trimSpace(text.slice(0, equals));
  if (!isToken(name)) return undefined;
  return { name: name.toLowerCase(), value: trimSpace(text.slice(equals + 1)) };
}

function endOfParam(text: string, start: number): number {
  for (let index = start; index < text.length; ) {
    const code = text.charCodeAt(index);
    if (code === 0x3b) return index;
    if (code === 0x22) {
      index = endOfQuoted(text, index);
      if (index < 0) return -1;
    } else index += 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let index = start;
  while (text.charCodeAt(index) === 0x20 || text.charCodeAt(index) === 0x09) index += 1;
  return index;
}
