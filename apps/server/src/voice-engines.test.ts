import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readVoices } from './voice-engines.ts';

const read = (file: unknown) => {
  const problems: string[] = [];
  const value = readVoices(typeof file === 'string' ? file : JSON.stringify(file), problems);
  return { value, problems };
};

test('engines, the default and the choices of accounts are read', () => {
  const { value, problems } = read({
    engines: {
      studio: { url: 'https://host/v1/audio/speech', key: 'k', sample_rate: 24000 },
      live: { url: 'wss://host/' },
    },
    default: 'studio',
    accounts: { MA0123456789ABCDEFGH: 'live', SA0123456789ABCDEFGH: 'embedded' },
  });
  assert.deepEqual(problems, []);
  assert.equal(value.usual, 'studio');
  assert.deepEqual(value.engines.get('studio'), {
    url: 'https://host/v1/audio/speech',
    key: 'k',
    sampleRate: 24000,
  });
  assert.deepEqual(
    [...value.accounts],
    [
      ['MA0123456789ABCDEFGH', 'live'],
      ['SA0123456789ABCDEFGH', 'embedded'],
    ],
  );
});

test('each mistake has a sentence that names the member, its value and what is allowed', () => {
  const mistakes = {
    '{': /^line 1: the list of engines is no JSON/,
    '[]': /^the document must be an object with engines, default, accounts, not a list/,
    '{"engine":{}}': /^engine is unknown; known are engines, default, accounts/,
    '{}': /^engines must be an object of engines by name, not nothing/,
    '{"engines":[]}': /^engines must be an object/,
    '{"engines":{"a":7}}': /^engines\.a must be an object with url, key, model, voices, sample_rate, not 7/,
    '{"engines":{"a":{"url":"https://x","rate":8000}}}': /^engines\.a\.rate is unknown; known are url, key/,
    '{"engines":{"embedded":{"url":"https://x"}}}': /^engines\.embedded needs another name/,
    '{"engines":{"a":{"url":"ftp://x"}}}': /^engines\.a\.url must .*, not "ftp:\/\/x"$/,
    '{"engines":{"a":{"url":"https://u:p@x"}}}': /^engines\.a\.url must have no user: [^@]*$/,
    '{"engines":{"a":{"url":"https://x","key":"a b"}}}': /^engines\.a\.key must be [^"]*$/,
    '{"engines":{"a":{"url":"https://x","voices":{"woman":"w"}}}}':
      /^engines\.a\.voices\.man must .*, not nothing$/,
    '{"engines":{"a":{"url":"https://x","sample_rate":7}}}': /^engines\.a\.sample_rate must .*, not 7$/,
    '{"engines":{"a":{"url":"https://x"}},"default":"b"}': /^default must be "a" or "embedded", .*, not "b"$/,
    '{"engines":{},"accounts":["a"]}': /^accounts must be an object/,
    '{"engines":{},"accounts":{"MA0123456789ABCDEFGH":"b"}}':
      /^accounts\.MA0123456789ABCDEFGH must be "embedded",/,
    '{"engines":{},"accounts":{"studio":"embedded"}}':
      /^accounts\.studio must be called by an auth_id: MA or SA/,
  };
  for (const [text, sentence] of Object.entries(mistakes))
    assert.match(read(text).problems[0] ?? '', sentence, text);
});

test('the file of the guide of speech engines is accepted', async () => {
  const guide = join(import.meta.dirname, '../../../docs/guides/speech-engines.md');
  const [, file] = /^```json\n(.*?)^```/ms.exec(await readFile(guide, 'utf8'))!;
  const { value, problems } = read(file!);
  assert.deepEqual(problems, []);
  assert.deepEqual([...value.engines.keys()], ['studio', 'local']);
});
