import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { createSoundDecoder } from './index.ts';
import { mp3File, sine } from './testing/sound-files.ts';

const skip = existsSync('/proc/self/status') ? false : 'memory of processes is read from /proc';

test('MP3 files of three hours leave no memory in use, whether refused or played', { skip }, async () => {
  const program = new URL('./testing/decode-long.ts', import.meta.url);
  const child = fork(program, {
    execArgv: ['--expose-gc'],
    // malloc keeps freed blocks that are smaller, such as the 64 kB of each read of a socket, and they count as in use (mallopt(3)).
    env: { ...process.env, MALLOC_MMAP_THRESHOLD_: '32768' },
  });
  const [used] = (await once(child, 'message')) as [Record<string, number>];
  const reported = JSON.stringify(used);
  assert.equal(used.refused, 8, reported);
  assert.ok(Math.abs(used.seconds! - 10_800) < 60, reported);
  const [clip, files] = [(used.seconds! * 16_000) / 2 ** 20, used.bytes! / 2 ** 20];
  assert.ok(used.afterRefusals! < 60, `eight that are too long: ${reported}`);
  // docs/operate/processes.md states both figures.
  assert.ok(used.whileHeld! < clip + files + 60, `the clip itself and little more: ${reported}`);
  assert.ok(used.decoderPeak! < 250, `the process that decodes: ${reported}`);
  assert.ok(used.afterRelease! < 60, `released: ${reported}`);
});

test('an idle decoder ends its process, and the next file starts another', async () => {
  const decoder = createSoundDecoder({ idleMs: 50 });
  const file = await mp3File([sine(440, 8_000, 1)], 8_000);
  await decoder.decode(file, { seconds: 60 });
  const first = decoder.pid!;
  while (existsSync(`/proc/${first}`)) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(decoder.census().processes, 0);
  assert.ok((await decoder.decode(file, { seconds: 60 })).samples.length > 0);
  assert.notEqual(decoder.pid, first);
  await decoder.close();
});
