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

  it('is split where its speaker pauses for 200 ms', () => {
    const samples = new Int16Array([...spokenText('one'), ...new Int16Array(1600), ...spokenText('two')]);
    assert.equal(readFrom(samples), 'one|two');
  });
});
