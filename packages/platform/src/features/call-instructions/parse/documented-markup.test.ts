import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readDocument } from './read-document.ts';
import { spokenElement, spokenElements } from './spoken-elements.ts';

const page = readFileSync(new URL('../../../../../../docs/reference/speech.md', import.meta.url), 'utf8');
const [, table = ''] = page.split('| element | here |');
const rows = [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (`.+) \| (.+) \|$/gm)].map(
  ([, shown = '', here = '']) => ({ shown, here }),
);
const notFollowed = 'their words';

/** The elements in the first cells, each with the attributes that all its rows name. */
function attributesShown(isMeant: (here: string) => boolean): Readonly<Record<string, readonly string[]>> {
  const elements: Record<string, readonly string[]> = {};
  for (const { shown } of rows.filter(({ here }) => isMeant(here)))
    for (const [, name = '', attributes = ''] of shown.matchAll(/<([\w:…-]+)([^>]*?)\/?>/g)) {
      const more = [...attributes.matchAll(/([\w:-]+)=/g)].map(([, attribute = '']) => attribute);
      elements[name] = [...new Set([...(elements[name] ?? []), ...more])].sort();
    }
  return elements;
}

/** What a document says of one element in a Speak. */
function warningsOf(markup: string): readonly string[] {
  const document = readDocument(new TextEncoder().encode(`<Response><Speak>${markup}</Speak></Response>`));
  assert.ok(document.ok, document.ok ? '' : document.sentence);
  return document.warnings.map(String);
}

test('the page lists the elements of SSML that are not followed, no fewer and no more', () => {
  const ignored = [...spokenElements].flatMap(([name, element]) => {
    const written = element.write(() => undefined, '', 'en-US');
    return 'ignored' in written && written.ignored === 'is not followed' ? [name] : [];
  });
  assert.ok(spokenElement('amazon:effect') !== undefined);
  const shown = attributesShown((here) => here === notFollowed);
  assert.deepEqual(Object.keys(shown).sort(), [...ignored, 'amazon:…'].sort());
});

test('the page lists the elements that are followed with their attributes, no fewer and no more', () => {
  const ignored = Object.keys(attributesShown((here) => here === notFollowed));
  const followed = [...spokenElements]
    .filter(([name]) => !ignored.includes(name))
    .map(([name, { attributes }]) => [
      name,
      // The root may have what a document of SSML declares, which is not spoken.
      attributes === 'any' ? ['xml:lang'] : [...attributes].sort(),
    ]);
  assert.deepEqual(
    attributesShown((here) => here !== notFollowed),
    Object.fromEntries(followed),
  );
});

test('each value that the page names for an attribute is followed without a warning', () => {
  const valuesOf = (first: string) => {
    const { here } = rows.find(({ shown }) => shown.includes(first)) ?? assert.fail(`no row has ${first}`);
    return [...new Set([...here.matchAll(/`([\w-]+)`/g)].map(([, value = '']) => value))];
  };
  const dateIn = (format: string) =>
    format === 'yyyymmdd'
      ? '20261124'
      : format.replaceAll(/[ymd]/g, (part) => ({ y: '2026/', m: '11/', d: '24/' })[part] ?? '').slice(0, -1);
  const followed = [
    ...valuesOf('<emphasis level').map((level) => `<emphasis level="${level}">now</emphasis>`),
    ...valuesOf('interpret-as="">').map((as) => `<say-as interpret-as="${as}">2026-11-24</say-as>`),
    ...valuesOf('format="">').map(
      (format) => `<say-as interpret-as="date" format="${format}">${dateIn(format)}</say-as>`,
    ),
  ];
  assert.equal(followed.length, 4 + 6 + 8);
  for (const markup of followed) assert.deepEqual(warningsOf(markup), [], markup);
  assert.equal(warningsOf('<emphasis level="loud">now</emphasis>').length, 1);
});
