import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AudioReader, type ReadAudio } from './audio-reader.ts';

const defaults = { contentType: 'audio/x-l16', sampleRate: 16_000 };

function samplesOf(read: ReadAudio): Int16Array {
  assert.ok(read.sentence === undefined, read.sentence);
  return read.samples;
}

function wav(format: readonly number[], data: Uint8Array, size = data.length): Buffer {
  const [tag, channels, rate, bits] = format as [number, number, number, number];
  const header = Buffer.alloc(52);
  header.write('RIFF');
  header.write('WAVELIST', 8);
  header.writeUInt32LE(0, 16);
  header.write('fmt ', 20);
  header.writeUInt32LE(16, 24);
  header.writeUInt16LE(tag, 28);
  header.writeUInt16LE(channels, 30);
  header.writeUInt32LE(rate, 32);
  header.writeUInt16LE(bits, 42);
  header.write('data', 44);
  header.writeUInt32LE(size, 48);
  return Buffer.concat([header, data]);
}

test('samples are the same for any division of their bytes into pieces, within samples too', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 2, maxLength: 400 }),
      fc.array(fc.nat(9), { minLength: 1 }),
      (bytes, cuts) => {
        const reader = new AudioReader(defaults);
        const got: number[] = [];
        for (let at = 0, n = 0; at < bytes.length; n++) {
          const size = cuts[n % cuts.length]! + (n % cuts.length === 0 ? 1 : 0);
          got.push(...samplesOf(reader.read('audio/x-l16', 8000, bytes.subarray(at, at + size))));
          at += size;
        }
        const view = Buffer.from(bytes);
        const expected = Array.from({ length: bytes.length >> 1 }, (_, i) => view.readInt16LE(2 * i));
        assert.deepEqual(got, expected);
      },
    ),
  );
});

test('samples stay whole around refused chunks, whether these are sent again or left out', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          size: fc.integer({ min: 1, max: 9 }),
          fate: fc.constantFrom('used', 'sent again', 'left out'),
        }),
        { minLength: 1 },
      ),
      (chunks) => {
        const reader = new AudioReader(defaults);
        const total = chunks.reduce((sum, { size }) => sum + size, 0);
        // Two consecutive chunks differ: 37 has no factor in common with 256.
        const bytes = Buffer.from(Array.from({ length: total }, (_, at) => (37 * at) % 256));
        const read = (piece: Uint8Array): number[] => [...samplesOf(reader.read('', 8000, piece))];
        let at = 0;
        for (const { size, fate } of chunks) {
          const piece = bytes.subarray(at, at + size);
          let got = read(piece);
          if (fate !== 'used') reader.refuse(piece);
          if (fate === 'sent again') got = read(Buffer.from(piece));
          const first = at >> 1;
          at += size;
          const expected = Array.from({ length: (at >> 1) - first }, (_, n) =>
            bytes.readInt16LE(2 * (first + n)),
          );
          assert.deepEqual(got, expected);
        }
      },
    ),
  );
});

test('half a sample is dropped when another type follows, and at a reset', () => {
  const reader = new AudioReader(defaults);
  samplesOf(reader.read('audio/x-l16', 8000, Uint8Array.of(1)));
  samplesOf(reader.read('audio/x-mulaw', 8000, Uint8Array.of(0xff)));
  assert.deepEqual([...samplesOf(reader.read('audio/x-l16', 8000, Uint8Array.of(2, 0)))], [2]);
  samplesOf(reader.read('audio/x-l16', 8000, Uint8Array.of(1)));
  reader.reset();
  assert.deepEqual([...samplesOf(reader.read('audio/x-l16', 8000, Uint8Array.of(3, 0)))], [3]);
});

test('type and rate are those of the chunk, else of its parameter, else of the stream', () => {
  const reader = new AudioReader(defaults);
  const rate = (type: string, given?: number): number => {
    const read = reader.read(type, given, Uint8Array.of(0, 0));
    assert.ok(read.sentence === undefined, read.sentence);
    return read.sampleRate;
  };
  assert.deepEqual(
    [
      rate(''),
      rate('Audio/X-L16;rate=24000'),
      rate('audio/x-l16;rate=24000', 8000),
      rate('raw'),
      rate('audio/x-mulaw'),
    ],
    [16_000, 24_000, 8000, 16_000, 8000],
  );
  assert.match(
    reader.read('audio/mpeg', 8000, Uint8Array.of(0)).sentence!,
    /"audio\/mpeg" is not audio\/x-l16/,
  );
  assert.match(reader.read('audio/x-l16;rate=96000', undefined, Uint8Array.of(0)).sentence!, /96000/);
});

test('a WAV file is read with its header, 16-bit or companded, two channels as one; the rest of the file may follow without a header', () => {
  const reader = new AudioReader(defaults);
  const first = reader.read(
    'audio/wav',
    8000,
    wav([1, 1, 22_050, 16], Uint8Array.of(1, 0, 2, 0, 3), 0xffffffff),
  );
  assert.deepEqual([[...samplesOf(first)], 'sampleRate' in first && first.sampleRate], [[1, 2], 22_050]);
  assert.deepEqual([...samplesOf(reader.read('wav', undefined, Uint8Array.of(0, 4, 0)))], [3, 4]);
  assert.deepEqual(
    [
      ...samplesOf(
        reader.read('audio/x-wav', 8000, wav([1, 2, 8000, 16], Uint8Array.of(10, 0, 20, 0, 4, 0, 2, 0))),
      ),
    ],
    [15, 3],
  );
  assert.deepEqual(
    [...samplesOf(reader.read('wav', 8000, wav([7, 1, 8000, 8], Uint8Array.of(0xff, 0x80))))],
    [0, 32124],
  );
  assert.equal(samplesOf(reader.read('wav', 8000, wav([6, 1, 8000, 8], Uint8Array.of(0xd5))))[0], 8);
});

test('WAV files of other kinds are refused with the reason, and no bytes make the reader throw', () => {
  const sentence = (bytes: Uint8Array): string | undefined =>
    new AudioReader(defaults).read('audio/wav', 8000, bytes).sentence;
  assert.match(sentence(wav([3, 1, 8000, 32], Uint8Array.of(0)))!, /format 3 with 32 bits/);
  assert.match(sentence(wav([1, 6, 8000, 16], Uint8Array.of(0)))!, /6 channels/);
  assert.match(sentence(wav([1, 1, 96_000, 16], Uint8Array.of(0)))!, /96000 Hz/);
  assert.match(sentence(Uint8Array.of(1, 2, 3))!, /does not begin with the header/);
  assert.match(sentence(wav([1, 1, 8000, 16], Uint8Array.of(0)).subarray(0, 40))!, /ends before/);
  const whole = wav([1, 1, 8000, 16], Uint8Array.of(1, 0));
  fc.assert(
    fc.property(fc.nat(whole.length), fc.uint8Array({ maxLength: 60 }), (at, bytes) => {
      const reader = new AudioReader(defaults);
      const broken = Buffer.from(whole);
      broken.set(bytes.subarray(0, broken.length - at), at);
      reader.read('audio/wav', undefined, broken);
      reader.read('audio/wav', undefined, Buffer.concat([whole.subarray(0, at), bytes]));
    }),
    { numRuns: 1000 },
  );
});
