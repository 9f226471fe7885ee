import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const program = join(import.meta.dirname, '../main.ts');

/** Prints the URL of each module that is loaded. */
const hooks = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { console.log(url); return next(url, context); } });`;

test('no command loads a feature, a schema or an adapter before it needs it', () => {
  const args = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`, program, '--version'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const loaded = stdout.split('\n').filter((line) => line.startsWith('file:'));
  assert.ok(loaded.some((url) => url.endsWith('/command-line/commands.ts')));
  const wrong = loaded.filter((url) =>
    /\/(features|adapters|contract|signalling|media)\/|fastify|kysely/.test(url),
  );
  // With the platform each command loads 870 modules.
  assert.deepEqual(wrong, []);
});
