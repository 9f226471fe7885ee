import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nestedVoices } from './nested-voices.ts';

const woman = { language: 'en-US', voice: 'woman' } as const;
const hasLanguage = (tag: string) => ['de', 'fr'].includes(tag);
const nested = (markup: string) => nestedVoices(markup, woman, hasLanguage);

test('another language keeps the voice of the text, and another voice its language', () => {
  assert.equal(
    nested('a <voice xml:lang="de">b</voice> <voice gender="male">c</voice>'),
    'a <voice xml:lang="de" gender="female">b</voice> <voice xml:lang="en-US" gender="male">c</voice>',
  );
});

test('a nested voice inherits what it does not name, and the words after it have the outer voice again', () => {
  assert.equal(
    nested(
      '<voice xml:lang="de" gender="male"><voice xml:lang="fr">a</voice><voice gender="female">b</voice></voice>',
    ),
    '<voice xml:lang="de" gender="male"><voice xml:lang="fr" gender="male">a</voice><voice xml:lang="de" gender="female">b</voice></voice>',
  );
});

test('text in a language that the engine lacks is spoken in the language around it', () => {
  assert.equal(nested('<voice xml:lang="xx">a</voice>'), '<voice xml:lang="en-US" gender="female">a</voice>');
});

test('escaped text is no markup, and an end tag without a start changes nothing', () => {
  assert.equal(
    nested('&lt;voice gender="male"&gt; <p>a</p></voice>'),
    '&lt;voice gender="male"&gt; <p>a</p></voice>',
  );
});
