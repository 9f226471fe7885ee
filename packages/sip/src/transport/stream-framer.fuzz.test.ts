import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { mutatedText } from '@jackfield/testkit/mutated';
import fc from 'fast-check';
import { parseMessage } from '../message/parse-message.ts';
import { createStreamFramer, type Frame } from './stream-framer.ts';

const textsIn = (folder: string): string[] => {
  const url = new URL(folder, import.meta.url);
  return readdirSync(url).map((name) => readFileSync(new URL(name, url), 'latin1'));
};
const streams = new URL('./corpus/', import.meta.url);
const LETTERS = { message: 'm', ping: 'p', broken: 'b' } as const;
const lettersOf = (frames: readonly Frame[]): string =>
  frames.map(({ kind }) => LETTERS[kind]).join('') || 'none';

const seeds = [
  ...textsIn('./corpus/'),
  ...textsIn('../../corpus/'),
  ...textsIn('../torture/rfc4475/'),
  ...textsIn('../torture/rfc5118/'),
].filter((text) => text.length < 3_000);

function push(stream: string, sizes: readonly number[], limit: number): Frame[] {
  const framer = createStreamFramer(limit);
  const frames: Frame[] = [];
  for (let at = 0, turn = 0; at < stream.length; turn += 1) {
    const size = sizes[turn % sizes.length]!;
    const given = framer.push(stream.slice(at, at + size));
    assert.ok(!(frames.at(-1)?.kind === 'broken' && given.length > 0), 'nothing comes after a broken stream');
    frames.push(...given);
    assert.ok(framer.buffered <= limit + size, 'it buffers no more than its limit and a piece');
    at += size;
  }
  return frames;
}

describe('stream framer on the kept streams (the file name starts with the expected frames)', () => {
  for (const name of readdirSync(streams)) {
    it(name, () => {
      const stream = readFileSync(new URL(name, streams), 'latin1');
      const letters = name.slice(0, name.indexOf('-'));
      assert.equal(lettersOf(push(stream, [stream.length], 65_535)), letters);
      assert.equal(lettersOf(push(stream, [1], 65_535)), letters);
    });
  }
});

const noise = fc.constantFrom(
  ...['\r\n', '\n', '\r', '\r\n\r\n', ' ', '\t', ':', '-', '0', '9', 'l:', 'x', '\0', '\xff'],
  ...['\r\nl: 0', '\r\nContent-Length: 5', '\r\nContent-Length : \r\n 1', '\r\nl: 70000', '\r\n\r\n\r\n\r\n'],
);
const parts = fc.array(fc.constantFrom(...seeds), { minLength: 1, maxLength: 4 });
const stream = mutatedText(
  parts.map((each) => each.join('')),
  { put: noise, cut: 12 },
);
const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });

describe('stream framer under mutation', () => {
  it('gives the same frames for any cut of the stream, and its frames are exactly the stream', () => {
    fc.assert(
      fc.property(stream, sizes, (text, cuts) => {
        const whole = push(text, [text.length || 1], 65_535);
        assert.deepEqual(push(text, cuts, 65_535), whole);
        let from = 0;
        for (const frame of whole) {
          if (frame.kind === 'ping' || frame.text === undefined) continue;
          const at = text.indexOf(frame.text, from);
          assert.match(text.slice(from, at), /^[\r\n]*$/, 'between messages stand empty lines alone');
          from = at + frame.text.length;
        }
      }),
      { numRuns: 1_500 },
    );
  });

  it('frames only messages that the parser accepts whole, and breaks only at ones that the parser refuses', () => {
    fc.assert(
      fc.property(stream, (text) => {
        for (const frame of createStreamFramer().push(text)) {
          if (frame.kind === 'ping' || frame.text === undefined) continue;
          const { message, problem } = parseMessage(frame.text);
          if (frame.kind === 'broken') assert.ok(problem);
          else if (message) assert.ok(frame.text.endsWith(`\r\n\r\n${message.body}`));
        }
      }),
      { numRuns: 1_500 },
    );
  });

  it('breaks a stream whose messages exceed its limit, wherever the limit is', () => {
    fc.assert(
      fc.property(stream, sizes, fc.integer({ min: 1, max: 2_000 }), (text, cuts, limit) => {
        for (const frame of push(text, cuts, limit)) {
          if (frame.kind === 'message') assert.ok(frame.text.length <= limit);
        }
      }),
      { numRuns: 500 },
    );
  });
});
