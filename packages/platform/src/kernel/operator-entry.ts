import { syntaxProblem } from './json-lines.ts';

/** Which texts are valid. */
type Shape = Pick<RegExp, 'test'>;

/** One object of the operator's file: reads its fields and notes a sentence for each that is wrong. */
export interface Entry {
  /** Path in the file, e.g. `carriers[0].caps`. */
  readonly at: string;
  readonly problems: string[];
  has(name: string): boolean;
  /** Unchecked; undefined when absent. */
  value(name: string): unknown;
  /** Notes that the field is wrong: its path and the rest of a sentence. */
  wrong(name: string, sentence: string): void;
  text(name: string, shape: Shape, allowed: string): string | undefined;
  /** Like `text`; the sentence does not show the value. */
  secret(name: string, shape: Shape, allowed: string): string | undefined;
  texts(name: string, most: number, shape: Shape, allowed: string): readonly string[];
  oneOf<Choice extends string>(name: string, choices: readonly Choice[], absent: Choice): Choice;
  oneOf<Choice extends string>(
    name: string,
    choices: readonly Choice[],
    absent: undefined,
  ): Choice | undefined;
  /** `absent` is the default. */
  flag(name: string, absent: boolean): boolean;
  optionalInteger(name: string, least: number, most: number): number | undefined;
  optionalNumber(name: string, least: number, most: number): number | undefined;
  list(name: string, most: number): readonly unknown[];
  /** Undefined when absent. */
  object(name: string, known: readonly string[]): Entry | undefined;
}

/** Undefined, with a problem noted, for a value that is not an object. Fields that are not `known` are noted as well. */
export function entryOf(
  value: unknown,
  at: string,
  known: readonly string[],
  problems: string[],
): Entry | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push(
      `${at === '' ? 'the document' : at} must be an object with ${known.join(', ')}, not ${shown(value)}`,
    );
    return undefined;
  }
  const object = value as Readonly<Record<string, unknown>>;
  const pathOf = (name: string) => (at === '' ? name : `${at}.${name}`);
  const wrong = (name: string, sentence: string) => void problems.push(`${pathOf(name)} ${sentence}`);
  const has = (name: string) => Object.hasOwn(object, name);
  for (const name of Object.keys(object)) {
    if (!known.includes(name)) wrong(shownName(name), `is unknown; known are ${known.join(', ')}`);
  }

  function text(name: string, shape: Shape, allowed: string, isSecret = false): string | undefined {
    const found = object[name];
    if (typeof found === 'string' && shape.test(found)) return found;
    wrong(name, `must be ${allowed}${isSecret ? '' : `, not ${shown(found)}`}`);
    return undefined;
  }

  function list(name: string, most: number): readonly unknown[] {
    const found = object[name];
    if (Array.isArray(found) && found.length <= most) return found;
    wrong(name, `must be a list of at most ${most} entries, not ${shown(found)}`);
    return [];
  }

  function numberWithin(name: string, least: number, most: number, isWhole: boolean): number | undefined {
    if (!has(name)) return undefined;
    const found = object[name];
    const fits = typeof found === 'number' && found >= least && found <= most;
    if (fits && (!isWhole || Number.isInteger(found))) return found;
    wrong(name, `must be a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}, not ${shown(found)}`);
    return undefined;
  }

  function oneOf<Choice extends string>(
    name: string,
    choices: readonly Choice[],
    absent: Choice | undefined,
  ): Choice | undefined {
    if (!has(name) && absent !== undefined) return absent;
    const found = choices.find((choice) => choice === object[name]);
    if (found === undefined) {
      wrong(name, `must be ${choices.map((each) => `"${each}"`).join(' or ')}, not ${shown(object[name])}`);
    }
    return found ?? absent;
  }

  return {
    at,
    problems,
    has,
    value: (name) => (has(name) ? object[name] : undefined),
    wrong,
    text,
    secret: (name, shape, allowed) => text(name, shape, allowed, true),
    texts: (name, most, shape, allowed) =>
      list(name, most).flatMap((each, index) => {
        if (typeof each === 'string' && shape.test(each)) return [each];
        wrong(`${name}[${index}]`, `must be ${allowed}, not ${shown(each)}`);
        return [];
      }),
    oneOf: oneOf as Entry['oneOf'],
    flag(name, absent) {
      const found = object[name];
      if (has(name) && typeof found !== 'boolean') wrong(name, `must be true or false, not ${shown(found)}`);
      return typeof found === 'boolean' ? found : absent;
    },
    optionalInteger: (name, least, most) => numberWithin(name, least, most, true),
    optionalNumber: (name, least, most) => numberWithin(name, least, most, false),
    list,
    object: (name, inner) => (has(name) ? entryOf(object[name], pathOf(name), inner, problems) : undefined),
  };
}

export function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 60);
}

function shownName(name: string): string {
  return name.slice(0, 60);
}

const amount = /^([0-9]{1,7})(?:\.([0-9]{1,5}))?$/;

/** "25.00" → 2,500,000: amounts are texts, as in the rate table, so that no float rounds them. */
export function readAmount(entry: Entry, name: string): number | undefined {
  const text = entry.text(name, amount, 'a text such as "25.00" with at most five decimals');
  const [, whole = '', decimals = ''] = amount.exec(text ?? '') ?? [];
  return text === undefined ? undefined : Number(whole) * 100_000 + Number(decimals.padEnd(5, '0'));
}

/** The JSON of an operator's file. Undefined for any other text: then a problem names the file and the line. */
export function readDocument(text: string, name: string, problems: string[]): unknown {
  try {
    return JSON.parse(text);
  } catch {
    problems.push(syntaxProblem(text, name));
    return undefined;
  }
}
