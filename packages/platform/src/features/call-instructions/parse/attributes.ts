import { quoted } from '@jackfield/ports';
import { nearestName } from '../../../kernel/nearest-name.ts';
import type { ActionRequest } from '../domain/instruction.ts';
import type { Fault, Reading } from './reading.ts';
import type { XmlAttribute, XmlElement } from './xml-tree.ts';

/**
 * The attributes of one element, asked for one by one: what was asked for is what is allowed. A wrong value is noted as a fault
 * and read as the default.
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
  /** In any case; as it is spelled in `values`. */
  oneOf<const Value extends string>(name: string, values: readonly Value[], byDefault: Value): Value;
  url(name: string, fault?: Fault): string | null;
  /** A URL with its method; those of an `action` have faults of their own. */
  request(name: string, methodName: string, faults?: 'action'): ActionRequest | null;
  method(name: string, faults?: 'action'): ActionRequest['method'];
  /** Characters 0–9 * #, which may be separated by commas; `none` and nothing stand for none. */
  keys(name: string, byDefault: string): string;
  refuse(name: string, allowed: string): void;
  remark(sentence: string): void;
  /** Whatever was not asked for is unknown. */
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
  const asked = new Set<string>();

  const ask = (name: string): string | undefined => {
    asked.add(name);
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
    const value = ask(name);
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
    const value = ask(name)?.toLowerCase();
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
    has: (name) => ask(name) !== undefined,
    text(name, rule) {
      const value = ask(name);
      if (value === undefined) return null;
      if (rule !== undefined && !rule.pattern.test(value)) refuse(name, rule.allowed);
      return value;
    },
    flag: (name, byDefault) => oneOf(name, ['true', 'false'], byDefault ? 'true' : 'false') === 'true',
    integer(name, { min, max, byDefault, auto = false }) {
      const value = ask(name);
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
      const value = ask(name);
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
    remark: (sentence) => reading.remark(element.line, sentence),
    end() {
      for (const { name, line } of element.attributes) {
        if (asked.has(name)) continue;
        const meant = nearestName(name, asked);
        const allowed = asked.size === 0 ? 'it has none' : `allowed are ${listed([...asked].sort(), 'and')}`;
        reading.refuse(
          line,
          `<${element.name}> has no attribute ${quoted(name)}${meant === undefined ? '' : ` (did you mean ${meant}?)`}: ${allowed}`,
        );
        return;
      }
    },
  };
}

/** `a, b or c`. */
export function listed(words: readonly string[], link: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${link} ${words.at(-1)}`;
}
