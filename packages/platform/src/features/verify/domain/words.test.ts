import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { messageText, spokenLanguage } from './words.ts';

const text = (over: Partial<Parameters<typeof messageText>[0]>) =>
  messageText({ template: '', locale: 'en', brand: 'Acme', appHash: '', ...over }, '4711');

describe('the text of a message', () => {
  it('has the brand and the code, in the words of the language or of the app', () => {
    assert.equal(text({}), '4711 is your Acme verification code.');
    assert.equal(text({ brand: '' }), '4711 is your verification code.');
    assert.equal(text({ locale: 'de-AT' }), '4711 ist Ihr Bestätigungscode für Acme.');
    assert.equal(text({ template: '{{brand}}: {{code}} {{x}}', brand: '$&' }), '$&: 4711 {{x}}');
  });

  it('has the code in its position only, for every brand name', () => {
    assert.equal(text({ brand: '{{code}}' }), '4711 is your {{code}} verification code.');
    assert.equal(text({ template: '{{brand}} {{code}}', brand: '{{code}}' }), '{{code}} 4711');
  });

  it('ends with the hash of the app on a line of its own', () => {
    assert.equal(text({ appHash: 'FA+9qCX9VSu' }), '4711 is your Acme verification code.\nFA+9qCX9VSu');
  });
});

describe('the language of a call', () => {
  it('is the tag of the locale where there are words in its language, else English', () => {
    const spoken = (...locales: readonly string[]) => locales.map(spokenLanguage);
    assert.deepEqual(spoken('en-GB', 'pt_BR', 'DE'), ['en-GB', 'pt-BR', 'DE']);
    assert.deepEqual(spoken('xx', 'eng', 'eng-US', 'frr'), ['en', 'en', 'en', 'en']);
  });
});
