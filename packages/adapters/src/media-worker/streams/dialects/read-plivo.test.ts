import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readBase64, writeBase64 } from '../base64.ts';
import { readPlivoFrame } from './read-plivo.ts';
import type { ReceivedFrame } from './stream-dialect.ts';

const stream = '0f0b7a9e-6d0f-4b1c-9a53-6a2f0f6f1a11';
const read = (frame: unknown): ReceivedFrame => readPlivoFrame(JSON.stringify(frame), stream);

test('each frame is read as the SDKs and the oldest pages write it', () => {
  const media = { contentType: 'audio/x-l16', sampleRate: 16_000, payload: 'AAA=' };
  const command = {
    event: 'play',
    contentType: 'audio/x-l16',
    sampleRate: 16_000,
    bytes: Buffer.from([0, 0]),
  };
  assert.deepEqual(read({ event: 'playAudio', media }), command);
  const sdk = { event: 'playAudio', streamId: stream, media: { ...media, sampleRate: '16000' } };
  assert.deepEqual(read(sdk), command);
  assert.deepEqual(read({ event: 'playAudio', media: { payload: '' } }), {
    event: 'play',
    contentType: '',
    sampleRate: undefined,
    bytes: Buffer.alloc(0),
  });
  assert.deepEqual(read({ event: 'checkpoint', streamId: stream, name: 'a' }), {
    event: 'checkpoint',
    name: 'a',
  });
  assert.deepEqual(read({ event: 'clearAudio', streamId: null, more: 1 }), { event: 'clear' });
  assert.deepEqual(read({ event: 'sendDTMF', dtmf: '0-9'.replace('-', 'wW*#A') }), {
    event: 'press',
    digits: '0wW*#A9',
  });
  assert.deepEqual(read({ event: 'sendDTMF', dtmf: { digit: '5' } }), { event: 'press', digits: '5' });
  assert.deepEqual(read({ event: 'stop', stop: {} }), { event: 'stop' });
});

const wrong: readonly [unknown, RegExp][] = [
  [null, /not a JSON object/],
  [[{ event: 'stop' }], /not a JSON object/],
  [{}, /event undefined is not known; playAudio, /],
  [{ event: 'media' }, /event "media"/],
  [{ event: { a: 1 } }, /event an object/],
  [{ event: 'stop', streamId: 'x'.repeat(500) }, /streamId "x{60}…"/],
  [{ event: 'playAudio' }, /media is missing/],
  [{ event: 'playAudio', media: { payload: 7 } }, /payload/],
  [{ event: 'playAudio', media: { payload: 'A*' } }, /payload is not base64/],
  [{ event: 'playAudio', media: { payload: '', contentType: [] } }, /contentType a list/],
  [{ event: 'playAudio', media: { payload: '', sampleRate: 7999 } }, /sampleRate 7999/],
  [{ event: 'playAudio', media: { payload: '', sampleRate: '48001' } }, /sampleRate "48001"/],
  [{ event: 'playAudio', media: { payload: '', sampleRate: 8000.5 } }, /from 8000 to 48000/],
  [{ event: 'playAudio', media: { payload: '', sampleRate: '0x1f40' } }, /sampleRate/],
  [{ event: 'checkpoint' }, /name undefined/],
  [{ event: 'checkpoint', name: '' }, /name ""/],
  [{ event: 'checkpoint', name: 'n'.repeat(1025) }, /1 to 1024 characters/],
  [{ event: 'sendDTMF', dtmf: '12x' }, /dtmf "12x"/],
  [{ event: 'sendDTMF', dtmf: 5 }, /dtmf 5/],
  [{ event: 'sendDTMF', dtmf: '1'.repeat(65) }, /1 to 64/],
];
for (const [frame, reason] of wrong) {
  test(`refused with a sentence: ${JSON.stringify(frame).slice(0, 70)}`, () => {
    const refused = read(frame);
    assert.ok(refused.event === 'refused');
    assert.match(refused.sentence, reason);
    assert.ok(refused.sentence.length < 200);
  });
}

test('no text makes the reader throw, and each accepted frame has the values of its text', () => {
  const known = fc.constantFrom('playAudio', 'checkpoint', 'clearAudio', 'sendDTMF', 'stop', 'media', '');
  const anything = fc.oneof(fc.jsonValue(), fc.string(), fc.constant(stream));
  const member = (key: string) => fc.record({ [key]: anything }, { requiredKeys: [] });
  const frames = fc
    .tuple(
      fc.record({ event: fc.oneof(known, anything) }, { requiredKeys: [] }),
      member('streamId'),
      member('name'),
      member('dtmf'),
      fc.record({
        media: fc.oneof(
          anything,
          fc.record({ contentType: anything, sampleRate: anything, payload: anything }, { requiredKeys: [] }),
        ),
      }),
    )
    .map((parts) => JSON.stringify(Object.assign({}, ...parts)));
  fc.assert(
    fc.property(fc.oneof(frames, fc.string(), fc.json()), (text) => {
      const frame = readPlivoFrame(text, stream);
      if (frame.event === 'checkpoint') assert.ok(frame.name.length > 0 && frame.name.length <= 1024);
      if (frame.event === 'press') assert.match(frame.digits, /^[0-9*#A-Da-dwW]{1,64}$/);
      if (frame.event === 'play' && frame.sampleRate !== undefined) {
        assert.ok(frame.sampleRate >= 8000 && frame.sampleRate <= 48_000);
      }
      if (frame.event === 'refused') assert.ok(frame.sentence.length < 300);
    }),
    { numRuns: 2000 },
  );
});

test('a megabyte that is crafted to be slow is read as fast as any other', () => {
  const size = 1_000_000;
  for (const text of [
    '['.repeat(size),
    `{"a":`.repeat(size / 5),
    `{"event":"${'\\\\'.repeat(size / 2)}"}`,
    `{"event":"playAudio","media":{"payload":"","sampleRate":"${' '.repeat(size)}"}}`,
    `{"event":"playAudio","media":{"payload":"","sampleRate":${'9'.repeat(size)}}}`,
    `{"event":"sendDTMF","dtmf":"${'1'.repeat(size)}x"}`,
    `{${'"event":"stop",'.repeat(size / 15)}"event":"x"}`,
  ]) {
    assert.equal(readPlivoFrame(text, stream).event, 'refused');
  }
  assert.equal(readBase64(`${' '.repeat(size)}%`), undefined);
  assert.equal(readBase64('='.repeat(size)), undefined);
});

test('base64 is written as Node writes it, and read in every common form; any other text is refused', () => {
  const out = new Uint8Array(2000);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => {
      const end = writeBase64(bytes, bytes.length, out, 3);
      const text = Buffer.from(out.subarray(3, end)).toString('latin1');
      assert.equal(text, Buffer.from(bytes).toString('base64'));
      assert.deepEqual(new Uint8Array(readBase64(text)!), bytes);
      assert.deepEqual(new Uint8Array(readBase64(Buffer.from(bytes).toString('base64url'))!), bytes);
      assert.deepEqual(new Uint8Array(readBase64(text.replace(/.{20}/g, '$&\r\n'))!), bytes);
    }),
    { numRuns: 300 },
  );
  for (const text of ['%', 'A', 'AAAAA', 'AA=A', 'AA*A', 'ÄAAA'])
    assert.equal(readBase64(text), undefined, text);
});
