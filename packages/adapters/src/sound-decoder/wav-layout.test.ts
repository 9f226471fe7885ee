import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { recogniseSound } from './recognise-sound.ts';
import { chunk, formatChunk, pcm16, riff, sine, type WavForm, wavFile } from './testing/sound-files.ts';
import { readWavLayout } from './wav-layout.ts';
import { createWavReader } from './wav-samples.ts';

function samplesOf(file: Uint8Array): readonly number[] {
  const layout = readWavLayout(file);
  const out = new Int16Array(layout.frames);
  createWavReader(file, layout)(0, layout.frames, out);
  return [...out];
}

const bytes = (...all: number[]) => Uint8Array.from(all);

test('samples of every allowed form are read on one scale', () => {
  const cases: readonly [string, WavForm, Uint8Array, readonly number[]][] = [
    ['samples of 8 bits are centred on 128', { bits: 8 }, bytes(0, 128, 255), [-32_768, 0, 32_512]],
    ['16 bits', { bits: 16 }, bytes(0x00, 0x80, 0xff, 0x7f), [-32_768, 32_767]],
    ['24 bits', { bits: 24 }, bytes(0, 0, 0x80, 0, 0, 0x40), [-32_768, 16_384]],
    [
      '24 bits in 4 bytes',
      { bits: 24, frameBytes: 4 },
      bytes(0, 0, 0, 0x80, 0, 0, 0, 0x40),
      [-32_768, 16_384],
    ],
    ['32 bits', { bits: 32 }, bytes(0, 0, 0, 0x80, 0, 0, 0, 0x40), [-32_768, 16_384]],
    ['µ-law', { tag: 7, bits: 8 }, bytes(0xff, 0x80, 0x00), [0, 32_124, -32_124]],
    ['A-law', { tag: 6, bits: 8 }, bytes(0xd5, 0xaa, 0x2a), [8, 32_256, -32_256]],
    ['extensible PCM', { tag: 0x10001, bits: 16 }, bytes(1, 0, 2, 0), [1, 2]],
    ['stereo is mixed down', { channels: 2 }, bytes(10, 0, 20, 0, 30, 0, 50, 0), [15, 40]],
    ['three channels', { channels: 3 }, bytes(3, 0, 6, 0, 9, 0), [6]],
    ['the frame size is wrong', { frameBytes: 7 }, bytes(1, 0, 2, 0), [1, 2]],
  ];
  for (const [title, form, data, expected] of cases) {
    assert.deepEqual(samplesOf(wavFile(data, form)), expected, title);
  }
  const floats = new Uint8Array(
    new Float32Array([1, -1, 0.5, 7, Number.NaN, Number.NEGATIVE_INFINITY]).buffer,
  );
  const read = samplesOf(wavFile(floats, { tag: 3, bits: 32 }));
  assert.deepEqual(read, [32_767, -32_767, 16_384, 32_767, 0, -32_768]);
});

test('chunks in any order and of odd length are skipped, with and without their padding', () => {
  const note = chunk('LIST', bytes(1, 2, 3));
  assert.deepEqual(samplesOf(wavFile(bytes(5, 0), {}, note)), [5]);
  const bare = note.subarray(0, note.length - 1);
  assert.deepEqual(samplesOf(wavFile(bytes(5, 0), {}, bare)), [5]);
  assert.deepEqual(samplesOf(riff(chunk('data', bytes(7, 0)), note, formatChunk())), [7]);
});

test('a WAV file with a wrong length plays its content', () => {
  const data = bytes(1, 0, 2, 0, 3, 0);
  for (const dataLength of [0, 7, 1_000, 0x7fffffff, 0xffffffff]) {
    assert.deepEqual(samplesOf(wavFile(data, { dataLength })), [1, 2, 3], `${dataLength}`);
  }
  assert.deepEqual(samplesOf(wavFile(data, { dataLength: 4 })), [1, 2]);
  assert.deepEqual(samplesOf(wavFile(data).subarray(0, -1)), [1, 2], 'cut within a sample');
});

test('an unplayable file is refused with its fault', () => {
  const refused: readonly [Uint8Array, string, RegExp][] = [
    [wavFile(bytes(1, 2), { tag: 2, bits: 4 }), 'unknown-format', /compression 2 at 4 bits/],
    [wavFile(bytes(1, 2), { tag: 85, bits: 16 }), 'unknown-format', /compression 85/],
    [wavFile(bytes(1, 2), { tag: 3, bits: 16 }), 'unknown-format', /compression 3 at 16/],
    [riff(chunk('data', bytes(1, 0))), 'broken-file', /no 'fmt ' chunk/],
    [riff(formatChunk()), 'broken-file', /no 'data' chunk/],
    [riff(chunk('fmt ', bytes(1, 0)), chunk('data', bytes(1, 0))), 'broken-file', /too short/],
    [wavFile(bytes(1)), 'broken-file', /no sound/],
    [wavFile(bytes(1, 0), { channels: 0 }), 'broken-file', /no channels/],
    [wavFile(bytes(1, 0), { sampleRate: 100 }), 'broken-file', /100 Hz is not between/],
    [wavFile(bytes(1, 0), { sampleRate: 0xffffffff }), 'broken-file', /Hz is not between/],
  ];
  for (const [file, code, message] of refused) assert.throws(() => readWavLayout(file), { code, message });
});

test('random bytes and damaged files are read or refused, and cause no other error', () => {
  const whole = wavFile(pcm16(sine(440, 8_000, 0.02)), {}, chunk('LIST', bytes(1, 2, 3)));
  const damage = fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 6 });
  const cut = fc.nat(whole.length);
  fc.assert(
    fc.property(damage, cut, fc.uint8Array({ maxLength: 64 }), (changes, length, tail) => {
      const file = Uint8Array.from([...whole.subarray(0, length), ...tail]);
      for (const [at, value] of changes) if (at >= 12 && at < file.length) file[at] = value;
      try {
        const samples = samplesOf(file);
        assert.ok(samples.length > 0 && samples.every((one) => Number.isInteger(one)));
      } catch (error) {
        assert.match((error as { code: string }).code, /^(unknown-format|broken-file)$/);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('ten megabytes of tiny chunks cost no more than ten megabytes', () => {
  const tiny = Buffer.alloc(10 << 20, chunk('junk', bytes()));
  const started = performance.now();
  assert.throws(() => readWavLayout(riff(formatChunk(), tiny)), { code: 'broken-file' });
  assert.ok(performance.now() - started < 5_000);
});

test('a sound is recognised by its bytes', () => {
  assert.equal(recogniseSound(wavFile(bytes(1, 0))), 'wav');
  for (const text of ['', 'ID3', '<html>', 'RIFF\0\0\0\0AVI ', '\xff\xfb\x90\x64']) {
    assert.equal(recogniseSound(Buffer.from(text, 'latin1')), undefined, text);
  }
});
