import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadedModules } from './loaded-modules.ts';

const refused = (path: string, text: string) => loadedModules.find([{ path, text }]);

test('import() of a computed name is refused outside tests', () => {
  const path = 'packages/platform/src/http/server.ts';
  assert.equal(refused(path, 'await import(name);').length, 1);
  assert.deepEqual(refused(path, "await import('./routes.ts');"), []);
  assert.deepEqual(refused('packages/platform/src/http/server.test.ts', 'await import(name);'), []);
});

test('an adapter starts a worker from its own folder', () => {
  const path = 'packages/adapters/src/media-worker/worker.ts';
  const text = (url: string) => `new Worker(new URL('${url}', import.meta.url));`;
  assert.equal(refused(path, text('../speech-espeak/child.ts')).length, 1);
  assert.deepEqual(refused(path, text('./thread.ts')), []);
});
