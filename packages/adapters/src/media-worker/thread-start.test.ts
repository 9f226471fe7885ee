import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const skip = process.platform === 'linux' ? false : 'only Linux names the files that a process has mapped';

const program = fileURLToPath(new URL('./testing/exit-at-load.ts', import.meta.url));

test('a process that exits while a media thread loads its functions ends with its own code', { skip }, () => {
  for (let n = 0; n < 5; n++) {
    const { status, signal, stderr } = spawnSync(process.execPath, [program], {
      encoding: 'utf8',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    assert.deepEqual([status, signal, stderr], [7, null, '']);
  }
});
