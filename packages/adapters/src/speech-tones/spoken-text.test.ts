import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SpokenTextReader, spokenText } from './spoken-text.ts';

function readFrom(samples: Int16Array, offset = 0, lost: (frame: number) => boolean = () => false): string {
  const reader = new SpokenTextReader();
  for (let at = 0, frame = 0; at < samples.length + 160; at += 160, frame++) {
    const heard = new Int16Array(160);
    for (let index = 0; index < 160; index++) heard[index] = samples[at + index - offset] ?? 0;
    if (!lost(frame)) reader.hear(heard);
  }
  return reader.texts.join('|');
}

describe('spoken text', () => {
  it('is read back, letters of any script and equal ones in a row included', () => {
    for (const text of ['Press one.', 'aaaa 0000', 'Grüß Gott, 電話', 'x']) {
      assert.equal(readFrom(spokenText(text)), text);
    }
  });

  it('is read back at any alignment of the frames', () => {
    for (let offset = 0; offset < 160; offset += 7)
      assert.equal(readFrom(spokenText('Hello'), offset), 'Hello');
  });

  it('survives the loss of every second frame when the frames are aligned', () => {
    assert.equal(
      readFrom(spokenText('Hello'), 0, (frame) => frame % 2 === 1),
      'Hello',
    );
  });

  it('is not split where its speaker stops within it', () => {
    const sound = spokenText('one');
    // In the middle of each half of each letter.
    for (let at = 160; at < sound.length; at += 320) {
      const samples = [...sound.subarray(0, at), ...new Int16Array(6400), ...sound.subarray(at)];
      assert.equal(readFrom(new Int16Array(samples)), 'one');
    }
  });

  it('is apart from the next text, where its end or the start of that text was lost too', () => {
    const [one, two] = [spokenText('one'), spokenText('two')];
    for (const [parts, read] of [
      [[one, two], 'one|two'],
      [[one.subarray(0, 3 * 640), two], 'on|two'],
      [[one.subarray(0, 3 * 640), new Int16Array(8000), two.subarray(640)], 'on|two'],
    ] as const) {
      assert.equal(readFrom(Int16Array.from(parts.flatMap((part) => [...part]))), read);
    }
  });

  it('has no marks of its own', () => {
    assert.equal(readFrom(spokenText('a\u0003b\u0002c')), 'abc');
  });
});
