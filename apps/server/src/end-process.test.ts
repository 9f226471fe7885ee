import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';

test('the process ends with the code, after a collection of garbage', async () => {
  const program = `import { endProcess } from '${new URL('./end-process.ts', import.meta.url).href}'; endProcess(3);`;
  const ended = await new Promise<{ code: unknown; out: string }>((resolve) => {
    execFile(
      process.execPath,
      ['--trace-gc', '--input-type=module', '--eval', program],
      { timeout: 60_000 },
      (error, out) => resolve({ code: error?.code, out }),
    );
  });
  assert.equal(ended.code, 3);
  assert.match(ended.out, /Mark-Compact.*testing/, 'a full collection that the program asked for');
});
