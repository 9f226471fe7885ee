import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createEspeakSpeech } from '@jackfield/adapters/speech-espeak';
import { readDocument } from './read-document.ts';

const root = new URL('../../../../../../', import.meta.url);
const page = readFileSync(new URL('docs/reference/call-instructions.md', root), 'utf8');
const read = (text: string) => readDocument(new TextEncoder().encode(text));
const examplesOf = (text: string) =>
  [...text.matchAll(/```xml\n([\s\S]*?)```/g)].map((match) => match[1] as string);
const code = /^`(.*)`$/;

test('every document that a page shows is read without a warning', () => {
  const names = globSync(['docs/**/*.md', 'packages/*/README.md'], { cwd: root });
  const examples = names.flatMap((name) => examplesOf(readFileSync(new URL(name, root), 'utf8')));
  assert.ok(examples.length > 18, `${examples.length} documents were found`);
  for (const example of examples) {
    const document = read(example);
    assert.ok(document.ok, document.ok ? '' : `${document.sentence} in\n${example}`);
    assert.deepEqual(document.warnings, [], example);
  }
});

interface Section {
  readonly element: string;
  readonly example: string;
  readonly rows: readonly { readonly attribute: string; readonly byDefault: string | undefined }[];
}

const sections: readonly Section[] = page
  .split(/^### /m)
  .slice(1)
  .map((text) => ({
    element: text.split('\n', 1)[0] as string,
    example: examplesOf(text)[0] as string,
    rows: [...text.matchAll(/^\| `(\w+)` \|(.*?)\|.*\|$/gm)].map(([, attribute = '', byDefault = '']) => ({
      attribute,
      byDefault: code.exec(byDefault.trim())?.[1],
    })),
  }));

/** The example with this attribute instead of any of the same name, in the first tag of the element. */
function withAttribute({ element, example }: Section, name: string, written: string): string {
  const tag = new RegExp(`<${element}(?=[\\s/>])[^>]*`);
  return example.replace(tag, (found) => {
    const bare = found.replace(new RegExp(` ${name}="[^"]*"`), '');
    return bare.replace(`<${element}`, `<${element} ${written}`);
  });
}

for (const section of sections) {
  test(`the table of <${section.element}> names its attributes, no fewer and no more`, () => {
    const document = read(withAttribute(section, 'x-y', 'x-y="1"'));
    assert.ok(!document.ok);
    const names = /allowed are (.*)$/.exec(document.sentence)?.[1]?.split(/, | and /) ?? [];
    if (names.length === 0) assert.match(document.sentence, /it has none$/);
    assert.deepEqual(section.rows.map(({ attribute }) => attribute).sort(), names);
  });

  test(`the table of <${section.element}> lists its defaults`, () => {
    for (const { attribute, byDefault } of section.rows) {
      if (byDefault === undefined) continue;
      const without = read(withAttribute(section, attribute, ''));
      const explicit = read(withAttribute(section, attribute, `${attribute}="${byDefault}"`));
      assert.ok(explicit.ok, explicit.ok ? '' : explicit.sentence);
      assert.deepEqual(explicit, without, `${attribute}="${byDefault}"`);
    }
  });
}

test('the page has a section for every element', () => {
  const document = read('<Response><x/></Response>');
  assert.ok(!document.ok);
  const elements = [...document.sentence.matchAll(/<(\w+)>/g)].map((match) => match[1] as string).slice(2);
  const written = sections.map(({ element }) => element).filter((each) => !['Number', 'User'].includes(each));
  assert.deepEqual(written.sort(), elements.sort());
});

test('docs/reference/speech.md lists the languages of the engine, no fewer and no more', async () => {
  const speech = createEspeakSpeech();
  const languages = await speech.languages().finally(() => speech.close());
  const rows =
    readFileSync(new URL('docs/reference/speech.md', root), 'utf8').split('| language | tags |')[1] ?? '';
  const listed = [...rows.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
  assert.deepEqual(listed.sort(), [...languages].sort());
});
