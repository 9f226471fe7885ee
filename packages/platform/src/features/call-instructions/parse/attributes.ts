import { quoted } from '@jackfield/ports';
import { nearestName } from '../../../kernel/nearest-name.ts';
import type { ActionRequest } from '../domain/instruction.ts';
import type { Fault, Reading } from './reading.ts';
import type { XmlAttribute, XmlElement } from './xml-tree.ts';

/**
 * The attributes of an element, read one by one: the names that were read are the allowed ones. A wrong value is noted as a
 * fault and read as the default.
 */
export interface Attributes {
  has(name: string): boolean;
  /** The value without white space around it. */
  text(name: string, rule?: { readonly pattern: RegExp; readonly allowed: string }): string | null;
  flag(name: string, byDefault: boolean): boolean;
  /** Both bounds are inclusive; with `auto` that word stands for the default. */
  integer<Default extends number | null>(
    name: string,
    range: {
      readonly min: number;
      readonly max: number;
      readonly byDefault: Default;
      readonly auto?: boolean;
    },
  ): number | Default;
  /** Ignores upper and lower case; gives the spelling of `values`. */
  oneOf<const Value extends string>(name: string, values: readonly Value[], byDefault: Value): Value;
  url(name: string, fault?: Fault): string | null;
  /** A URL with its method; an `action` has faults of its own. */
  request(name: string, methodName: string, faults?: 'action'): ActionRequest | null;
  method(name: string, faults?: 'action'): ActionRequest['method'];
  /** Characters 0–9 * #, perhaps separated by commas; `none` and an empty text mean none. */
  keys(name: string, byDefault: string): string;
  refuse(name: string, allowed: string): void;
  warn(sentence: string): void;
  /** Refuses attributes that were not read. */
  end(): void;
}

const httpPattern = /^https?:\/\/[^\s\p{Cc}/?#]+[^\s\p{Cc}]*$/iu;
const webSocketPattern = /^wss?:\/\/[^\s\p{Cc}/?#]+[^\s\p{Cc}]*$/iu;
const maxUrlLength = 2048;

export const httpUrlAllowed = `an absolute URL that starts with http:// or https://, of at most ${maxUrlLength} characters`;
export const webSocketUrlAllowed = `a URL that starts with wss:// or ws://, of at most ${maxUrlLength} characters`;
export const allKeys = '1234567890*#';
const methods = ['GET', 'POST'] as const;

export function isHttpUrl(value: string): boolean {
  return value.length <= maxUrlLength && httpPattern.test(value) && URL.canParse(value);
}

export function isWebSocketUrl(value: string): boolean {
  return value.length <= maxUrlLength && webSocketPattern.test(value) && URL.canParse(value);
}

export function attributesOf(element: XmlElement, reading: Reading): Attributes {
  const given = new Map<string, XmlAttribute>(element.attributes.map((each) => [each.name, each]));
  const known = new Set<string>();

  const valueFor = (name: string): string | undefined => {
    known.add(name);
    return given.get(name)?.value.trim();
  };
  const refuse = (name: string, allowed: string, fault: Fault = 'xml') => {
    const { line, value } = given.get(name) ?? { line: element.line, value: '' };
    reading.refuse(
      line,
      `the attribute ${name} of <${element.name}> must be ${allowed}, not ${quoted(value)}`,
      fault,
    );
  };
  const url = (name: string, fault: Fault = 'xml') => {
    const value = valueFor(name);
    if (value === undefined) return null;
    if (!isHttpUrl(value)) refuse(name, httpUrlAllowed, fault);
    return value;
  };
  const oneOf = <const Value extends string>(
    name: string,
    values: readonly Value[],
    byDefault: Value,
    fault: Fault = 'xml',
  ): Value => {
    const value = valueFor(name)?.toLowerCase();
    if (value === undefined) return byDefault;
    const found = values.find((each) => each.toLowerCase() === value);
    if (found === undefined) refuse(name, listed(values, 'or'), fault);
    return found ?? byDefault;
  };

  const methodOf = (name: string, faults?: 'action') =>
    oneOf(name, methods, 'POST', faults === undefined ? 'xml' : 'method');

  return {
    url,
    method: methodOf,
    oneOf: (name, values, byDefault) => oneOf(name, values, byDefault),
    has: (name) => valueFor(name) !== undefined,
    text(name, rule) {
      const value = valueFor(name);
      if (value === undefined) return null;
      if (rule !== undefined && !rule.pattern.test(value)) refuse(name, rule.allowed);
      return value;
    },
    flag: (name, byDefault) => oneOf(name, ['true', 'false'], byDefault ? 'true' : 'false') === 'true',
    integer(name, { min, max, byDefault, auto = false }) {
      const value = valueFor(name);
      if (value === undefined || (auto && value.toLowerCase() === 'auto')) return byDefault;
      const number = /^-?[0-9]{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= min && number <= max) return number;
      refuse(name, `a whole number from ${min} to ${max}${auto ? ', or auto' : ''}`);
      return byDefault;
    },
    request(name, methodName, faults) {
      const target = url(name, faults === undefined ? 'xml' : 'url');
      const method = methodOf(methodName, faults);
      return target === null ? null : { url: target, method };
    },
    keys(name, byDefault) {
      const value = valueFor(name);
      if (value === undefined) return byDefault;
      if (value === '' || value.toLowerCase() === 'none') return '';
      const keys = value.replace(/[\s,]/g, '');
      if (!/^[0-9*#]+$/.test(keys)) {
        refuse(name, 'one or several of the keys 0 to 9, * and #, or none');
        return byDefault;
      }
      return [...new Set(keys)].join('');
    },
    refuse: (name, allowed) => refuse(name, allowed),
    warn: (sentence) => reading.warn(element.line, sentence),
    end() {
      for (const { name, line } of element.attributes) {
        if (known.has(name)) continue;
        reading.refuse(line, `<${element.name}> has no attribute ${quoted(name)}${insteadOf(name, known)}`);
        return;
      }
    },
  };
}

/** What the customer may have meant; without such a name, all that is allowed. */
function insteadOf(name: string, known: ReadonlySet<string>): string {
  const meant = nearestName(name, known);
  if (meant !== undefined) return ` (did you mean ${meant}?)`;
  return known.size === 0 ? ': it has none' : `: allowed are ${listed([...known].sort(), 'and')}`;
}

/** `a, b or c`. */
export function listed(words: readonly string[], link: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${link} ${words.at(-1)}`;
}
