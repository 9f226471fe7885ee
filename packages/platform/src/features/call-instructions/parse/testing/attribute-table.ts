import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadDocument } from '../../domain/instruction.ts';
import { readDocument } from '../read-document.ts';

/** An attribute: the property that it sets, its default, allowed values with their results, refused values. */
export interface AttributeRow {
  /** Path into the instruction; absent for an attribute without effect. */
  readonly sets?: string;
  readonly byDefault?: unknown;
  /** As written → as read. */
  readonly allowed: readonly (readonly [string, unknown])[] | readonly string[];
  readonly refused: readonly string[];
  readonly fault?: 'url' | 'method';
  /** Words of the warning that every allowed value leaves, or the listed values. */
  readonly warning?: RegExp;
  /** Further attributes that it needs. */
  readonly beside?: string;
}

/** An element as it is written, with `@` for the attributes. */
export interface ElementTable {
  readonly element: string;
  readonly written: string;
  /** From the first instruction to the instruction under test. */
  readonly at?: (instruction: unknown) => unknown;
  readonly attributes: Readonly<Record<string, AttributeRow>>;
}

export function read(inside: string): ReadDocument {
  return readDocument(new TextEncoder().encode(`<Response>${inside}</Response>`));
}

/** The sentence of a document that must be refused. */
export function sentenceOf(inside: string, fault: 'xml' | 'url' | 'method' = 'xml'): string {
  const document = read(inside);
  assert.ok(!document.ok, `${inside} was accepted`);
  assert.equal(document.fault, fault, document.sentence);
  return document.sentence;
}

/** The instructions and warnings of a document that must be accepted. */
export function acceptedOf(inside: string) {
  const document = read(inside);
  assert.ok(document.ok, document.ok ? '' : `${inside}: ${document.sentence}`);
  return document;
}

export function testAttributes({ element, written, at = (first) => first, attributes }: ElementTable): void {
  const instructionWith = (attribute: string) => {
    const { instructions, warnings } = acceptedOf(written.replace('@', attribute));
    return { read: at(instructions[0]), warnings };
  };

  test(`<${element}> has these attributes and no other`, () => {
    const sentence = sentenceOf(written.replace('@', 'x-y="1"'));
    const names = Object.keys(attributes).sort();
    if (names.length === 0) assert.match(sentence, /it has none$/);
    assert.deepEqual(/allowed are (.*)$/.exec(sentence)?.[1]?.split(/, | and /) ?? [], names, sentence);
  });

  for (const [name, row] of Object.entries(attributes)) {
    test(`<${element} ${name}>: default, what is allowed, what is refused`, () => {
      if (row.sets !== undefined)
        assert.deepEqual(property(instructionWith('').read, row.sets), row.byDefault);
      for (const entry of row.allowed) {
        const [value, expected] = typeof entry === 'string' ? [entry, undefined] : entry;
        const found = instructionWith(`${row.beside ?? ''} ${name}="${value}"`);
        if (row.sets !== undefined)
          assert.deepEqual(property(found.read, row.sets), expected, `${name}="${value}"`);
        if (row.warning === undefined) assert.deepEqual(found.warnings, [], `${name}="${value}"`);
        else assert.match(found.warnings.join('\n'), row.warning, `${name}="${value}"`);
      }
      for (const value of row.refused) {
        const sentence = sentenceOf(
          written.replace('@', `${row.beside ?? ''} ${name}="${value}"`),
          row.fault,
        );
        assert.match(
          sentence,
          new RegExp(`^line 1: the attribute ${name} of <${element}> must `),
          `${name}="${value}"`,
        );
      }
    });
  }
}

function property(value: unknown, path: string): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: the path is the test's own
  return path.split('.').reduce((found, key) => (found as any)?.[key], value);
}

export const flag = (sets: string | undefined, byDefault: boolean): AttributeRow => ({
  ...(sets === undefined ? {} : { sets, byDefault }),
  allowed: [
    ['true', true],
    ['TRUE', true],
    [' False ', false],
  ],
  refused: ['', 'yes', '1'],
});

/** `times` for properties in milliseconds. */
export const integer = (
  sets: string | undefined,
  [min, max]: readonly [number, number],
  byDefault: number | null,
  times = 1,
): AttributeRow => ({
  ...(sets === undefined ? {} : { sets, byDefault: byDefault === null ? null : byDefault * times }),
  allowed: [
    [`${min}`, min * times],
    [`${max}`, max * times],
    [` 0${max} `, max * times],
  ],
  refused: ['', `${min - 1}`, `${max + 1}`, `${min}.5`, 'x', '1e1', '0x1', '+1', '9'.repeat(400), 'NaN'],
});

export const badUrls = [
  '',
  'x',
  '/relative',
  'ftp://a.example/x',
  'http://',
  'https:///x',
  'http://a b',
  'javascript:alert(1)',
  'http://[::1',
  `https://a.example/${'a'.repeat(2048)}`,
];
const url = 'https://a.example/x?y=1&amp;z=2#rc=3';
const urlRead = 'https://a.example/x?y=1&z=2#rc=3';

export const actionUrl = (sets: string, byDefault: unknown = null): AttributeRow => ({
  sets,
  byDefault,
  fault: 'url',
  allowed: [
    [url, { url: urlRead, method: 'POST' }],
    [` HTTP://a.example `, { url: 'HTTP://a.example', method: 'POST' }],
  ],
  refused: badUrls,
});

export const callbackUrl = (sets?: string): AttributeRow => {
  const { fault: _, ...row } = actionUrl(sets ?? '');
  return sets === undefined ? { allowed: row.allowed, refused: row.refused } : row;
};

export const plainUrl = (sets: string): AttributeRow => ({
  sets,
  byDefault: null,
  allowed: [[url, urlRead]],
  refused: badUrls,
});

export const actionMethod = (sets: string, beside: string): AttributeRow => ({
  ...callbackMethod(sets, beside),
  fault: 'method',
});

export const callbackMethod = (sets?: string, beside = ''): AttributeRow => ({
  ...(sets === undefined ? {} : { sets, byDefault: undefined }),
  beside,
  allowed: [
    ['get', 'GET'],
    ['POST', 'POST'],
  ],
  refused: ['', 'PUT', 'GETPOST'],
});

export const keys = (sets: string, byDefault: string): AttributeRow => ({
  sets,
  byDefault,
  allowed: [
    ['*', '*'],
    ['1,2, 3', '123'],
    ['11##', '1#'],
    ['', ''],
    ['None', ''],
  ],
  refused: ['a', '1-2', 'A', '1;2'],
});
