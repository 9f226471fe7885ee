import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { addressOfBytes, addressOfSamples, allocateBytes, allocateSamples } from './sample-memory.ts';

const run = promisify(execFile);
const module = new URL('./sample-memory.ts', import.meta.url).href;

/** Runs a program in a process whose memory is its own. */
async function inProcess(program: string): Promise<unknown> {
  const imported = `import * as memory from ${JSON.stringify(module)};\n${program}`;
  const flags = ['--expose-gc', '--input-type=module', '--eval', imported];
  return JSON.parse((await run(process.execPath, flags)).stdout);
}

describe('the sample memory', () => {
  it('gives arrays that share no cache line, and parts of them count as ordinary', () => {
    const arrays = [1, 160, 33, 960].map((length) => allocateSamples(length));
    const addresses = arrays.map((array) => addressOfSamples(array)!);
    for (const [index, address] of addresses.entries()) {
      assert.equal(address % 64, 0);
      assert.equal(address, arrays[index]!.byteOffset);
      for (const other of addresses) {
        if (other > address) assert.ok(other >= address + arrays[index]!.byteLength);
      }
    }
    assert.equal(addressOfSamples(arrays[1]!.subarray(0, 8)), undefined);
    assert.equal(addressOfSamples(new Int16Array(160)), undefined);
    assert.equal(addressOfBytes(allocateBytes(0))! % 64, 0);
  });

  it('gives ordinary arrays when it is full, and takes what is garbage, zeroed', async () => {
    const found = await inProcess(`
      const kept = [];
      for (;;) {
        const array = memory.allocateBytes(65_536).fill(7);
        if (memory.addressOfBytes(array) === undefined) break;
        kept.push(array);
      }
      const full = kept.length;
      const ordinary = memory.allocateSums(4_096).length;
      kept.length = 0;
      let again;
      // Finalizers run in a later turn of the event loop.
      for (let turn = 0; turn < 100; turn++) {
        globalThis.gc();
        await new Promise((resolve) => setImmediate(resolve));
        again = memory.allocateBytes(65_536);
        if (memory.addressOfBytes(again) !== undefined) break;
      }
      const isReached = memory.addressOfBytes(again) !== undefined;
      console.log(JSON.stringify({ full, ordinary, isReached, isZeroed: again.every((byte) => byte === 0) }));
    `);
    // 32 MiB, less what lies before the first array.
    assert.deepEqual(found, { full: 511, ordinary: 4_096, isReached: true, isZeroed: true });
  });
});
