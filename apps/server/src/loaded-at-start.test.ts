import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** Libraries of what an operator may leave out, and whole libraries of which a part serves. They are a third of the start and of the memory. */
const loadedLater = [
  '@nats-io/',
  '@opentelemetry/sdk',
  'acme-client/',
  'aws4fetch/',
  'jose/dist/webapi/index.js',
  'libopus-wasm/',
  'mpg123-decoder/',
  'openid-client/',
  'pg/',
  'pino-pretty/',
  'smpp/',
  'undici/index.js',
];

test('A server loads no library of what it is not configured for', () => {
  const program = `
    const names = [];
    require('node:module').registerHooks({ load(url, context, next) { names.push(url); return next(url, context); } });
    import('${new URL('./run-platform.ts', import.meta.url)}').then(() => {
      console.log(JSON.stringify([...names, ...process.moduleLoadList]));
    });`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' });
  assert.notEqual(stdout, '', stderr);
  const names = JSON.parse(stdout) as readonly string[];
  assert.ok(names.some((name) => name.includes('/node_modules/undici/lib/dispatcher/client.js')));
  const early = names.filter(
    (name) =>
      name.endsWith('internal/deps/undici/undici') ||
      loadedLater.some((library) => name.includes(`/node_modules/${library}`)),
  );
  assert.deepEqual(early, []);
});
