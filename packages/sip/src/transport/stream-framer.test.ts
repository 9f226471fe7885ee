import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createStreamFramer, type Frame } from './stream-framer.ts';

const message = (body = '', header = `Content-Length: ${body.length}`): string =>
  `OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/TCP c;branch=z9hG4bK1\r\n${header}\r\n\r\n${body}`;
const texts = (frames: readonly Frame[]): (string | undefined)[] =>
  frames.map((frame) => (frame.kind === 'ping' ? 'ping' : frame.text));

function pushAll(stream: string, sizes: readonly number[]): Frame[] {
  const framer = createStreamFramer();
  const frames: Frame[] = [];
  for (let at = 0, turn = 0; at < stream.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    frames.push(...framer.push(stream.slice(at, at + size)));
    at += size;
  }
  return frames;
}

describe('stream framer', () => {
  it('cuts messages by Content-Length, several in one piece (RFC 3261 §18.3)', () => {
    const framer = createStreamFramer();
    const stream = message('v=0\r\n\r\nx') + message() + message('tail');
    assert.deepEqual(texts(framer.push(stream)), [message('v=0\r\n\r\nx'), message(), message('tail')]);
    assert.equal(framer.buffered, 0);
  });

  it('gives the same frames for any cut of the stream, also byte by byte', () => {
    const stream = `\r\n\r\n${message('body')}\r\n${message('', 'l :  \r\n 0')}\r\n\r\n\r\n\r\n${message('x'.repeat(300))}`;
    const whole = createStreamFramer().push(stream);
    assert.deepEqual(texts(whole), [
      'ping',
      message('body'),
      message('', 'l :  \r\n 0'),
      'ping',
      'ping',
      message('x'.repeat(300)),
    ]);
    assert.deepEqual(pushAll(stream, [1]), whole);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        assert.deepEqual(pushAll(stream, sizes), whole);
      }),
      { numRuns: 100 },
    );
  });

  it('treats a message without Content-Length as one without a body', () => {
    assert.deepEqual(texts(createStreamFramer().push(message('', 'X: y') + message())), [
      message('', 'X: y'),
      message(),
    ]);
  });

  it('breaks off at a Content-Length that is not a number, negative, repeated or above the limit, and returns the header', () => {
    for (const header of [
      'Content-Length: -1',
      'Content-Length: 1x',
      'l:',
      'l: 0\r\nContent-Length: 0',
      'L: 70000',
      `l: ${'9'.repeat(400)}`,
    ]) {
      const framer = createStreamFramer();
      const frames = framer.push(message('', header) + message());
      assert.deepEqual(
        frames.map((frame) => frame.kind),
        ['broken'],
        header,
      );
      assert.deepEqual(texts(frames), [message('', header)], header);
      assert.deepEqual(framer.push(message()), []);
    }
  });

  it('never buffers more than its limit and one piece', () => {
    const framer = createStreamFramer(1000);
    let frames: readonly Frame[] = [];
    let pushes = 0;
    for (; frames.length === 0; pushes += 1) {
      frames = framer.push('x'.repeat(100));
      assert.ok(framer.buffered <= 1100);
    }
    assert.equal(pushes, 11);
    assert.equal(frames[0]?.kind, 'broken');
    assert.equal(framer.buffered, 0);
  });

  it('survives the corpus and any bytes, and gives the same for one piece as for single bytes', () => {
    const corpus = new URL('../../corpus/', import.meta.url);
    const samples = readdirSync(corpus).map((name) => readFileSync(new URL(name, corpus), 'latin1'));
    for (const sample of samples) {
      const whole = createStreamFramer().push(sample);
      const pieces = pushAll(sample, [1, 7, 1000]);
      // A section above the limit breaks off where it exceeds the limit, so its text depends on the cut.
      assert.deepEqual(
        pieces.map((frame) => frame.kind),
        whole.map((frame) => frame.kind),
      );
    }
    const bytes = fc.string({
      unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
      maxLength: 200,
    });
    const mutation = fc.tuple(
      fc.constantFrom(...samples.filter((text) => text.length < 3000)),
      fc.nat(3000),
      bytes,
    );
    fc.assert(
      fc.property(mutation, ([sample, at, noise]) => {
        const stream = sample.slice(0, at) + noise + sample.slice(at + 1);
        assert.deepEqual(pushAll(stream, [1]), createStreamFramer().push(stream));
      }),
      { numRuns: 200 },
    );
  });
});
