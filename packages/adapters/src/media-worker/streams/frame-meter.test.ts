import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameMeter } from './frame-meter.ts';

/** A frame of this length, with the header of RFC 6455 §5.2. */
function frameOf(length: number): Buffer {
  const header = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10, 0x82);
  header[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (header.length === 4) header.writeUInt16BE(length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(length), 2);
  // A payload that looks like a header must not be read as one.
  return Buffer.concat([header, Buffer.alloc(length, 0x81)]);
}

const lengths = [0, 1, 0, 125, 126, 127, 0, 65_535, 65_536, 2];

for (const piece of [1, 2, 3, 7, 1000, 65_536, 1_000_000]) {
  test(`a refill lets two frames of any length pass, whatever pieces they arrive in: ${piece} bytes`, () => {
    const frames = lengths.map(frameOf);
    const bytes = Buffer.concat(frames);
    const meter = new FrameMeter({ frames: 2, bytes: 1_000_000 });
    let at = 0;
    for (let n = 0; n < frames.length; n += 2) {
      const end = at + frames[n]!.length + frames[n + 1]!.length;
      let passed = -1;
      for (; passed !== 0 && at < bytes.length; at += passed) {
        passed = meter.pass(bytes.subarray(at, at + piece));
      }
      assert.equal(at, end);
      meter.refill();
    }
  });
}

test('a refill lets a number of bytes pass, within a frame too', () => {
  const bytes = Buffer.concat([frameOf(300), frameOf(0), frameOf(0)]);
  const meter = new FrameMeter({ frames: 2, bytes: 200 });
  assert.equal(meter.pass(bytes), 200);
  assert.equal(meter.pass(bytes.subarray(200)), 0);
  meter.refill();
  assert.equal(meter.pass(bytes.subarray(200)), 108);
});
