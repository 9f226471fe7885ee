import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isWav, readWavHeader, type WavHeader, wavTag } from './read-wav-header.ts';
import { longestWavData, wavDurationMs, wavHeader, wavHeaderBytes } from './wav-header.ts';

interface Chunk {
  readonly id: string;
  readonly body: Uint8Array;
  /** A false length, in place of the true one. */
  readonly counted?: number;
}

const bytes = (...all: number[]) => Uint8Array.from(all);
const note = (length: number): Chunk => ({ id: 'LIST', body: new Uint8Array(length).fill(0x41) });
const data = (body: Uint8Array, counted = body.length): Chunk => ({ id: 'data', body, counted });

function written({ id, body, counted = body.length }: Chunk, isPadded = true): Buffer {
  const head = Buffer.alloc(8);
  head.write(id, 'latin1');
  head.writeUInt32LE(counted, 4);
  return Buffer.concat([head, body, Buffer.alloc(isPadded ? body.length & 1 : 0)]);
}

function file(...chunks: readonly Chunk[]): Buffer {
  const body = Buffer.concat([Buffer.from('WAVE'), ...chunks.map((one) => written(one))]);
  return written({ id: 'RIFF', body });
}

function format(tag: number, channels = 1, sampleRate = 8000, bits = 16, length = 16): Chunk {
  const body = Buffer.alloc(length);
  body.writeUInt16LE(tag, 0);
  body.writeUInt16LE(channels, 2);
  body.writeUInt32LE(sampleRate, 4);
  body.writeUInt16LE(Math.ceil(bits / 8) * channels, 12);
  body.writeUInt16LE(bits, 14);
  return { id: 'fmt ', body };
}

/** WAVE_FORMAT_EXTENSIBLE: 22 more bytes, with the GUID at 24. */
function extensible(tag: number, length = 40): Chunk {
  const { id, body } = format(wavTag.extensible, 2, 48_000, 16, Math.max(length, 40));
  Buffer.from(body.buffer, body.byteOffset).writeUInt16LE(tag, 24);
  return { id, body: body.subarray(0, length) };
}

function headerOf(of: Uint8Array): WavHeader {
  const header = readWavHeader(of);
  assert.ok(header.fault === undefined, header.fault);
  return header;
}

function samplesOf(of: Uint8Array): number[] {
  const { start, end } = headerOf(of);
  return [...of.subarray(start, end)];
}

test('a header is returned without validation', () => {
  const header = headerOf(file(format(3, 6, 96_000, 32), data(bytes(1, 2, 3, 4))));
  assert.deepEqual(header, {
    tag: wavTag.float,
    channels: 6,
    sampleRate: 96_000,
    frameBytes: 24,
    bits: 32,
    start: 44,
    end: 48,
    countedBytes: 4,
  });
  assert.equal(headerOf(file(format(0, 0, 0, 0), data(bytes(1)))).channels, 0);
});

test('an extensible header has the tag of its GUID, and stays extensible where it is too short for one', () => {
  assert.equal(headerOf(file(extensible(wavTag.muLaw), data(bytes(1)))).tag, wavTag.muLaw);
  assert.equal(headerOf(file(extensible(wavTag.pcm, 42), data(bytes(1)))).tag, wavTag.pcm);
  assert.equal(headerOf(file(extensible(wavTag.pcm, 18), data(bytes(1)))).tag, wavTag.extensible);
});

test('chunks are read in any order, and chunks of odd length with and without padding', () => {
  const kinds = fc.constantFrom(0, 1, 2, 7, 100);
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.array(kinds, { maxLength: 6 }),
      fc.array(fc.nat(100), { minLength: 8, maxLength: 8 }),
      (samples, notes, order) => {
        const chunks = [format(1), data(samples, samples.length), ...notes.map(note)]
          .map((chunk, index) => ({ chunk, position: order[index]! }))
          .sort((one, other) => one.position - other.position)
          .map(({ chunk }) => chunk);
        // Empty sample chunks follow another rule.
        if (samples.length > 0) assert.deepEqual(samplesOf(file(...chunks)), [...samples]);
      },
    ),
  );
  const bare = Buffer.concat([
    file(format(1)),
    written({ id: 'LIST', body: bytes(1, 2, 3) }, false),
    written(data(bytes(5, 6))),
  ]);
  assert.deepEqual(samplesOf(bare), [5, 6]);
});

test('of several formats and sample chunks, the first counts', () => {
  const twice = file(format(7, 1, 8000, 8), format(1), data(bytes(1)), data(bytes(2, 2)));
  assert.equal(headerOf(twice).tag, wavTag.muLaw);
  assert.deepEqual(samplesOf(twice), [1]);
});

test('with a false length, the samples extend to the end of the bytes', () => {
  const samples = bytes(1, 2, 3, 4, 5);
  for (const counted of [0, 6, 0x7fff_ffff, 0xffff_ffff]) {
    const header = headerOf(file(format(1), data(samples, counted)).subarray(0, -1));
    assert.deepEqual([header.end - header.start, header.countedBytes], [5, counted]);
  }
  assert.deepEqual(samplesOf(file(format(1), data(samples, 2))), [1, 2]);
  assert.deepEqual(samplesOf(file(format(1), data(samples)).subarray(0, 47)), [1, 2, 3]);
});

test('samples of undeclared length are audio although they look like a chunk id, but a whole chunk after them is not', () => {
  const loud = Buffer.from('LISTEN to what is said\xff\xff', 'latin1');
  assert.deepEqual(samplesOf(file(format(1), data(loud, 0))), [...loud]);
  assert.deepEqual(samplesOf(file(format(1), data(bytes()), note(6))), []);
});

test('bytes without a header return the reason', () => {
  const faults: readonly [Uint8Array, string][] = [
    [bytes(), 'no-wav'],
    [Buffer.from('RIFF\0\0\0\0AVI LIST', 'latin1'), 'no-wav'],
    [file().subarray(0, 11), 'no-wav'],
    [file(), 'no-format'],
    [file(data(bytes(1, 2))), 'no-format'],
    [file(format(1)), 'no-data'],
    [file(format(1), data(bytes(1))).subarray(0, 43), 'no-data'],
    [file({ id: 'fmt ', body: new Uint8Array(15) }, data(bytes(1))), 'short-format'],
    [file(format(1)).subarray(0, 35), 'short-format'],
  ];
  for (const [of, fault] of faults) assert.deepEqual(readWavHeader(of), { fault });
});

test('a file of more than 4 GB begins with RF64 and is recognised', () => {
  const large = file(format(1), data(bytes(1, 2), 0xffff_ffff));
  large.write('RF64', 'latin1');
  assert.ok(isWav(large));
  assert.deepEqual(samplesOf(large), [1, 2]);
});

test('no bytes make the reader throw, and the samples are within the bytes at their offset in memory', () => {
  const whole = file(format(1), note(3), data(bytes(1, 2, 3, 4)));
  const damage = fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { maxLength: 8 });
  fc.assert(
    fc.property(damage, fc.nat(whole.length), fc.uint8Array({ maxLength: 64 }), (changes, length, tail) => {
      const broken = Buffer.concat([whole.subarray(0, length), tail]);
      for (const [at, value] of changes) if (at < broken.length) broken[at] = value;
      const header = readWavHeader(broken);
      if (header.fault !== undefined) return;
      assert.ok(header.start <= header.end && header.end <= broken.length);
      assert.deepEqual(readWavHeader(Uint8Array.from([9, 9, 9, ...broken]).subarray(3)), header);
    }),
    { numRuns: 2000 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (any) => void readWavHeader(any)));
});

test('reading takes one step per chunk, for any number of chunks', () => {
  let reads = 0;
  const counting = new Proxy(DataView.prototype.getUint32, {
    apply(target, view, args) {
      reads++;
      return Reflect.apply(target, view, args);
    },
  });
  const many = (count: number): number => {
    const body = Buffer.concat([file(format(1)), Buffer.alloc(8 * count, written(note(0)))]);
    reads = 0;
    assert.deepEqual(readWavHeader(body), { fault: 'no-data' });
    return reads;
  };
  const original = DataView.prototype.getUint32;
  DataView.prototype.getUint32 = counting;
  try {
    assert.equal(many(20_000) - many(10_000), 2 * 10_000);
  } finally {
    DataView.prototype.getUint32 = original;
  }
});

test('a written header is read with the same rate, channels and length', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 0xffff_ffff }),
      fc.integer({ min: 1, max: 32_767 }),
      fc.integer({ min: 0, max: 2 ** 33 }),
      (sampleRate, channels, dataBytes) => {
        const counted = Math.min(dataBytes, longestWavData);
        const header = wavHeader({ sampleRate, channels }, dataBytes);
        assert.equal(header.length, wavHeaderBytes);
        assert.deepEqual(headerOf(header), {
          tag: wavTag.pcm,
          channels,
          sampleRate,
          frameBytes: 2 * channels,
          bits: 16,
          start: wavHeaderBytes,
          end: wavHeaderBytes,
          countedBytes: counted,
        });
        assert.equal(Buffer.from(header).readUInt32LE(4), 36 + counted);
      },
    ),
  );
});

test('a written header has the expected bytes', () => {
  const expected =
    '52494646 28000000 57415645 666d7420 10000000 0100 0200 401f0000 007d0000 0400 1000 64617461 04000000';
  const header = Buffer.from(wavHeader({ sampleRate: 8000, channels: 2 }, 4));
  assert.equal(header.toString('hex'), expected.replaceAll(' ', ''));
});

test('a duration counts whole frames only', () => {
  assert.equal(wavDurationMs({ sampleRate: 8000, channels: 1 }, 16_001), 1000);
  assert.equal(wavDurationMs({ sampleRate: 48_000, channels: 2 }, 3), 0);
});
