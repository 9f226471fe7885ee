import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamOrder } from '@jackfield/ports';
import fc from 'fast-check';
import { WaitingFrames } from '../waiting-frames.ts';
import { PlivoWriter } from './plivo-writer.ts';

const order: StreamOrder = {
  stream: 's-1',
  call: 'c-1',
  account: 'MA',
  dialect: 'plivo',
  encoding: 'audio/x-l16',
  sampleRate: 8000,
  tracks: [],
  bidirectional: false,
  hearers: [],
  extraHeaders: '',
  stopFrame: true,
  keepLostMs: 0,
};

test('a media frame is valid JSON for any names and numbers', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 12_000 }),
      fc.integer({ min: 0, max: 2 ** 52 }),
      fc.integer({ min: 1, max: 2 ** 31 }),
      fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 160, maxLength: 160 }),
      (track, extraHeaders, timestamp, chunk, list) => {
        const writer = new PlivoWriter({ ...order, extraHeaders });
        const bytes = writer.media(writer.shapeOf(track), timestamp, chunk, Int16Array.from(list), 0, 1);
        const frame = JSON.parse(Buffer.from(bytes).toString('utf8'));
        const payload = Buffer.alloc(320);
        for (const [i, sample] of list.entries()) payload.writeInt16LE(sample, 2 * i);
        assert.deepEqual(frame, {
          event: 'media',
          sequenceNumber: 1,
          streamId: 's-1',
          media: { track, timestamp: String(timestamp), chunk, payload: payload.toString('base64') },
          extra_headers: extraHeaders,
        });
      },
    ),
    { numRuns: 200 },
  );
});

test('interleaved tracks are separated, and all frames of a stream share one sequence of numbers', () => {
  const writer = new PlivoWriter(order);
  const samples = Int16Array.from({ length: 320 }, (_, i) => (i % 2 === 0 ? 1 : -2));
  const frames = [
    ...writer.start(['a', 'b'], false),
    ...[0, 1].map((t) =>
      Buffer.from(writer.media(writer.shapeOf('ab'[t]!), 5, 1, samples, t, 2)).toString('utf8'),
    ),
    ...writer.dtmf('a', '#', 7),
    ...writer.played('"\u0000'),
    ...writer.cleared(),
    ...writer.refused('queue-full', 'no'),
    ...writer.start(['a', 'b'], true),
    ...writer.stop('Call hangup'),
  ].map((text) => JSON.parse(text));
  assert.deepEqual(
    frames.map(({ sequenceNumber }) => sequenceNumber),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
  assert.equal(Buffer.from(frames[1].media.payload, 'base64').readInt16LE(100), 1);
  assert.equal(Buffer.from(frames[2].media.payload, 'base64').readInt16LE(100), -2);
  assert.deepEqual(frames[3].dtmf, { track: 'a', digit: '#', timestamp: '7' });
  assert.deepEqual([frames[3].extra_headers, frames[4].name, frames[7].start.resumed], ['', '"\u0000', true]);
  assert.deepEqual(frames[8].stop, { callId: 'c-1', reason: 'Call hangup' });
});

test('a name too long for a binary header is cut, and the audio begins where the header says', () => {
  const writer = new PlivoWriter({ ...order, binary: true, encoding: 'audio/x-mulaw' });
  const bytes = Buffer.from(
    writer.media(writer.shapeOf('n'.repeat(400)), 1_700_000_000_123, 9, new Int16Array(160).fill(0), 0, 1),
  );
  assert.deepEqual([bytes[0], bytes[1], bytes[2], bytes.length], [1, 252, 232, 252 + 160]);
  assert.equal(bytes.readBigUInt64BE(12), 1_700_000_000_123n);
  assert.equal(bytes[252], 0xff);
});

test('waiting frames are sent in order, the oldest first; sent frames that have not arrived are sent again', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.array(fc.nat(4), { maxLength: 200 }), (most, acts) => {
      const waiting = new WaitingFrames(most);
      let model: { position: number; sent: boolean }[] = [];
      let position = 0;
      for (const act of acts) {
        if (act <= 1) {
          const full = model.length === most ? model.shift() : undefined;
          const dropped = waiting.push(position, 0, [{} as never], Int16Array.of(position));
          assert.equal(dropped, full?.sent === false ? 1 : 0);
          model.push({ position: position++, sent: false });
        } else if (act === 2) {
          const next = model.find(({ sent }) => !sent);
          const frame = waiting.next();
          assert.equal(frame?.position, next?.position);
          if (next !== undefined) {
            assert.equal(frame!.samples[0], next.position);
            next.sent = true;
          }
        } else if (act === 3) {
          const upTo = position - 2;
          waiting.forget(upTo);
          model = model.filter((one) => !(one.sent && one.position <= upTo));
        } else {
          waiting.rewind();
          for (const one of model) one.sent = false;
        }
        assert.equal(waiting.unsent, model.filter(({ sent }) => !sent).length);
      }
    }),
    { numRuns: 300 },
  );
});
