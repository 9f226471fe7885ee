import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readDocument } from './read-document.ts';

const page = readFileSync(
  join(import.meta.dirname, '../../../../../..', 'docs/reference/call-instructions.md'),
  'utf8',
);

/** Each element with `@` for the attribute under test, beside those without which others have no effect: a method needs its URL. */
const written: Readonly<Record<string, string>> = {
  Speak: '<Speak @>hello</Speak>',
  Play: '<Play @>https://a.example/x.mp3</Play>',
  Wait: '<Wait @/>',
  PreAnswer: '<PreAnswer @/>',
  GetDigits: '<GetDigits action="https://a.example/" @/>',
  GetInput:
    '<GetInput action="https://a.example/" inputType="speech" interimSpeechResultsCallback="https://a.example/" @/>',
  Record:
    '<Record action="https://a.example/" callbackUrl="https://a.example/" transcriptionUrl="https://a.example/" @/>',
  Dial: '<Dial action="https://a.example/" callbackUrl="https://a.example/" machineDetection="true" machineDetectionUrl="https://a.example/" @><User>sip:a@b.example</User></Dial>',
  Number: '<Dial><Number @>+12025550100</Number></Dial>',
  User: '<Dial><User @>sip:a@b.example</User></Dial>',
  MultiPartyCall:
    '<MultiPartyCall role="customer" enterSound="https://a.example/" exitSound="https://a.example/" statusCallbackUrl="https://a.example/" recordingCallbackUrl="https://a.example/" onExitActionUrl="https://a.example/" startRecordingAudio="https://a.example/" stopRecordingAudio="https://a.example/" waitMusicUrl="https://a.example/" agentHoldMusicUrl="https://a.example/" customerHoldMusicUrl="https://a.example/" transcriptionUrl="https://a.example/" @>name</MultiPartyCall>',
  Stream: '<Stream statusCallbackUrl="https://a.example/" @>wss://a.example/</Stream>',
  Redirect: '<Redirect @>https://a.example/</Redirect>',
  DTMF: '<DTMF @>1</DTMF>',
  Hangup: '<Hangup @/>',
};

interface Row {
  readonly name: string;
  readonly byDefault: string;
  readonly allowed: string;
}

function rowsOf(element: string): readonly Row[] {
  const section = page.split(/^##+ /m).find((each) => each.startsWith(`${element}\n`)) ?? '';
  return [...section.matchAll(/^\| `(\w+)` \|(.*?)\|(.*)\|$/gm)].map(
    ([, name = '', byDefault = '', allowed = '']) => ({ name, byDefault: byDefault.trim(), allowed }),
  );
}

/** The element without the attribute of this name, or with it alone. */
function read(element: string, name: string, value?: string) {
  const without = (written[element] ?? '').replace(new RegExp(` ${name}="[^"]*"`), '');
  const attribute = value === undefined ? '' : `${name}="${value}"`;
  return readInside(without.replace('@', attribute));
}

function readInside(text: string) {
  return readDocument(new TextEncoder().encode(`<Response>${text}</Response>`), {}, true);
}

function sentenceOf(document: ReturnType<typeof readDocument>): string | undefined {
  return document.ok ? undefined : document.sentence;
}

test('the page of call instructions has a section for each element, and no other', () => {
  const sentence = sentenceOf(readInside('<X/>')) ?? '';
  const known = [...sentence.matchAll(/<(\w+)>/g)].flatMap(([, name = '']) => name).slice(2);
  const shown = [...page.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);
  assert.deepEqual(shown.toSorted(), [...known, 'Number', 'User'].toSorted(), sentence);
  assert.deepEqual(Object.keys(written).toSorted(), shown.toSorted());
});

/** What the reader says that a value must be; undefined where it accepts any text. */
function ruleOf(element: string, name: string): string | undefined {
  const sentence = sentenceOf(read(element, name, '?!'));
  return sentence === undefined
    ? undefined
    : (/ must be (.*), not /.exec(sentence)?.[1] ?? assert.fail(sentence));
}

function assertShown(rule: string, { byDefault, allowed }: Row): void {
  const [, from, to] = /^a whole number from (-?\d+) to (-?\d+)/.exec(rule) ?? [];
  if (from !== undefined) {
    const ranges = [`${from} to ${to}`, `${from}, ${to}`];
    assert.ok(
      ranges.some((range) => allowed.includes(range)),
      rule,
    );
    return;
  }
  // A flag names the value that is not its default, or the element whose flag it is.
  if (rule === 'true or false' || !/ or /.test(rule)) return;
  const words = rule.split(/, | or /);
  if (words.some((word) => /^(?:an?|one|at most|sequences|left out)\b/.test(word))) return;
  for (const word of words)
    assert.ok(`${allowed} ${byDefault}`.toLowerCase().includes(`\`${word.toLowerCase()}\``), word);
}

for (const element of Object.keys(written)) {
  describe(`<${element}> in the page of call instructions`, () => {
    const rows = rowsOf(element);

    test('has the attributes that the reader of documents knows', () => {
      const sentence = sentenceOf(read(element, 'x-y', '1')) ?? '';
      const known = /: allowed are (.*)$/.exec(sentence)?.[1]?.split(/, | and /) ?? [];
      assert.deepEqual(rows.map(({ name }) => name).toSorted(), known.toSorted(), sentence);
    });

    for (const row of rows) {
      test(`${row.name}: its default and what is allowed are those of the reader`, () => {
        const value = /^`([^`]+)`$/.exec(row.byDefault)?.[1];
        if (value !== undefined) assert.deepEqual(read(element, row.name, value), read(element, row.name));
        const rule = ruleOf(element, row.name);
        if (rule !== undefined) assertShown(rule, row);
      });
    }
  });
}
