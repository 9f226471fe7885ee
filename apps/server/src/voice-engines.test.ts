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
    accounts: { MA1: 'live', MA2: 'embedded' },
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
      ['MA1', 'live'],
      ['MA2', 'embedded'],
    ],
  );
});

test('each mistake has a sentence that names the member', () => {
  const mistakes = {
    '{': /^it must be a JSON object/,
    '{"engines":[]}': /^engines must be an object/,
    '{"engines":{"a":{"url":"ftp://x"}}}': /^engines\.a\.url must/,
    '{"engines":{"a":{"url":"https://u:p@x"}}}': /^engines\.a\.url must have no user/,
    '{"engines":{"a":{"url":"https://x","key":""}}}': /^engines\.a\.key must/,
    '{"engines":{"a":{"url":"https://x","voices":{"woman":"w"}}}}': /^engines\.a\.voices must/,
    '{"engines":{"a":{"url":"https://x","sample_rate":7}}}': /^engines\.a\.sample_rate must/,
    '{"engines":{},"default":"b"}': /^default must be the name/,
    '{"engines":{},"accounts":{"MA1":"b"}}': /^accounts\.MA1 must be the name/,
  };
  for (const [text, sentence] of Object.entries(mistakes))
    assert.match(read(text).problems[0] ?? '', sentence);
});

test('the file of the guide of speech engines is accepted', async () => {
  const guide = join(import.meta.dirname, '../../../docs/guides/speech-engines.md');
  const [, file] = /^```json\n(.*?)^```/ms.exec(await readFile(guide, 'utf8'))!;
  const { value, problems } = read(file!);
  assert.deepEqual(problems, []);
  assert.deepEqual([...value.engines.keys()], ['studio', 'local']);
});
