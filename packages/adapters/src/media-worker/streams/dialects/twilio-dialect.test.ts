import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pcmu } from '@jackfield/media';
import type { StreamOrder } from '@jackfield/ports';
import fc from 'fast-check';
import { readTwilioFrame } from './read-twilio.ts';
import { TwilioWriter } from './twilio-writer.ts';

const order: StreamOrder = {
  stream: 's-1',
  call: 'c-1',
  account: 'MA',
  dialect: 'twilio',
  encoding: 'audio/x-mulaw',
  sampleRate: 8000,
  tracks: [],
  bidirectional: true,
  hearers: [],
  extraHeaders: 'order=4711;note=a=b',
  stopFrame: true,
  keepLostMs: 0,
};
const read = (frame: unknown) => readTwilioFrame(JSON.stringify(frame), 's-1');

test('a connection begins with connected and start; numbers are texts, and pairs of extra_headers are customParameters', () => {
  const writer = new TwilioWriter(order);
  const shape = writer.shapeOf('inbound');
  const samples = Int16Array.from({ length: 160 }, (_, i) => 50 * i);
  const messages = [
    ...writer.start(['inbound']),
    Buffer.from(writer.media(shape, 1_700_000_000_020, 1, samples, 0, 1)).toString(),
    Buffer.from(writer.media(shape, 1_700_000_000_040, 2, samples, 0, 1)).toString(),
    ...writer.dtmf('inbound', '5'),
    ...writer.played('greeting'),
    ...writer.refused(),
    ...writer.cleared(['a', '"b']),
    ...writer.stop(),
  ].map((text) => JSON.parse(text));
  const encoded = new Uint8Array(160);
  pcmu.encode(samples, 160, encoded, 0);
  const payload = Buffer.from(encoded).toString('base64');
  const start = {
    accountSid: 'MA',
    streamSid: 's-1',
    callSid: 'c-1',
    tracks: ['inbound'],
    mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
    customParameters: { order: '4711', note: 'a=b' },
  };
  const streamSid = 's-1';
  assert.deepEqual(messages, [
    { event: 'connected', protocol: 'Call', version: '1.0.0' },
    { event: 'start', sequenceNumber: '1', streamSid, start },
    {
      event: 'media',
      sequenceNumber: '2',
      streamSid,
      media: { track: 'inbound', timestamp: '0', chunk: '1', payload },
    },
    {
      event: 'media',
      sequenceNumber: '3',
      streamSid,
      media: { track: 'inbound', timestamp: '20', chunk: '2', payload },
    },
    { event: 'dtmf', sequenceNumber: '4', streamSid, dtmf: { track: 'inbound_track', digit: '5' } },
    { event: 'mark', sequenceNumber: '5', streamSid, mark: { name: 'greeting' } },
    { event: 'mark', sequenceNumber: '6', streamSid, mark: { name: 'a' } },
    { event: 'mark', sequenceNumber: '7', streamSid, mark: { name: '"b' } },
    { event: 'stop', sequenceNumber: '8', streamSid, stop: { accountSid: 'MA', callSid: 'c-1' } },
  ]);
});

for (const [written, parameters] of [
  ['', {}],
  ['{"a":"1","b":"x;y"}', { a: '1', b: 'x;y' }],
  ['{{customer}}=4711;b=2', { '{{customer}}': '4711', b: '2' }],
  ["{'order':'4711'}", {}],
] as const) {
  test(`customParameters of extra_headers ${JSON.stringify(written)}`, () => {
    const [, start] = new TwilioWriter({ ...order, extraHeaders: written }).start(['inbound']);
    assert.deepEqual(JSON.parse(start!).start.customParameters, parameters);
  });
}

test('start is written for any text of extra_headers', () => {
  fc.assert(
    fc.property(fc.constantFrom('', '{', '['), fc.string({ unit: 'binary' }), (head, rest) => {
      const [, start] = new TwilioWriter({ ...order, extraHeaders: head + rest }).start(['inbound']);
      assert.equal(typeof JSON.parse(start!).start.customParameters, 'object');
    }),
  );
});

test('media, mark and clear are read, with or without streamSid', () => {
  assert.deepEqual(read({ event: 'media', streamSid: 's-1', media: { payload: '/38=' } }), {
    event: 'play',
    contentType: 'audio/x-mulaw',
    sampleRate: 8000,
    bytes: Buffer.from([0xff, 0x7f]),
  });
  assert.deepEqual(read({ event: 'mark', mark: { name: 'm' } }), { event: 'checkpoint', name: 'm' });
  assert.deepEqual(read({ event: 'clear', streamSid: 's-1' }), { event: 'clear' });
});

const wrong: readonly [unknown, RegExp][] = [
  ['text', /not a JSON object/],
  [{}, /event undefined is not known; media, mark and clear are/],
  [{ event: 'playAudio' }, /event "playAudio"/],
  [{ event: 'clear', streamSid: 'other' }, /streamSid "other" is not/],
  [{ event: 'media' }, /media.payload/],
  [{ event: 'media', media: { payload: '*' } }, /not base64/],
  [{ event: 'mark', mark: { name: '' } }, /mark.name ""/],
  [{ event: 'mark', mark: { name: 'n'.repeat(1025) } }, /1 to 1024 characters/],
];
for (const [frame, reason] of wrong) {
  test(`refused with a sentence: ${JSON.stringify(frame).slice(0, 70)}`, () => {
    const refused = read(frame);
    assert.ok(refused.event === 'refused');
    assert.match(refused.sentence, reason);
    assert.ok(refused.sentence.length < 200);
  });
}

test('no text makes the reader throw', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom('media', 'mark', 'clear', 's-1'));
  const frames = fc.dictionary(fc.constantFrom('event', 'streamSid', 'media', 'mark'), anything);
  fc.assert(
    fc.property(fc.oneof(frames.map(JSON.stringify as (frame: object) => string), fc.string()), (text) => {
      const frame = readTwilioFrame(text, 's-1');
      if (frame.event === 'refused') assert.ok(frame.sentence.length < 300);
    }),
    { numRuns: 1000 },
  );
});
