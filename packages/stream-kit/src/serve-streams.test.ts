import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestCall } from './check/test-call.ts';
import { type StreamServerOptions, serveStreams } from './serve-streams.ts';
import { judgeUpgrade } from './verify-upgrade.ts';

test('a port in use rejects with a sentence and does not end the process', async () => {
  const first = await serveStreams({ onStream: () => {} });
  try {
    await assert.rejects(serveStreams({ port: first.port, onStream: () => {} }), {
      message: `port ${first.port} of 127.0.0.1 cannot be opened: another program listens there: choose another port`,
    });
  } finally {
    await first.close();
  }
});

test('a server that has one of serviceUrl and authToken, or an empty one, is not started', async () => {
  const serviceUrl = 'wss://agent.example/stream';
  for (const half of [
    { serviceUrl, authToken: undefined },
    { serviceUrl, authToken: '' },
    { serviceUrl: undefined, authToken: 'right' },
    { serviceUrl: '', authToken: 'right' },
    { serviceUrl: '', authToken: '' },
  ])
    await assert.rejects(
      // JavaScript, and types without exactOptionalPropertyTypes, pass a variable that is not set.
      serveStreams({ ...half, onStream: () => {} } as StreamServerOptions).then((server) => server.close()),
      { name: 'TypeError', message: /^(?:authToken|serviceUrl) is (?:undefined|"")/ },
    );
});

test('a refused upgrade has the text that its signature should match', async () => {
  const serviceUrl = 'wss://agent.example/stream';
  const refusals: string[] = [];
  const server = await serveStreams({
    serviceUrl,
    authToken: 'right',
    onRefused: ({ reason }) => refusals.push(reason),
    onStream: () => {},
  });
  try {
    const call = new TestCall({
      url: `ws://127.0.0.1:${server.port}/`,
      encoding: 'audio/x-l16',
      sampleRate: 8000,
      authToken: 'wrong',
    });
    await assert.rejects(call.connect());
    assert.match(refusals.join(), /is of "wss:\/\/agent\.example\/stream\.[0-9]+" under this token/);
  } finally {
    await server.close();
  }
});

test('a refused upgrade names the missing signature header', () => {
  const headers = { 'x-service-signature-v3': 'abc' };
  assert.deepEqual(judgeUpgrade('wss://a/', headers, 'token'), {
    isSigned: false,
    reason: 'the header X-Service-Signature-V3-Nonce is missing',
    missingHeader: 'X-Service-Signature-V3-Nonce',
  });
});

test('stream-check --help prints its options, and an unknown option is refused with them', () => {
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...words], { encoding: 'utf8' });
  const help = run('--help');
  assert.deepEqual([help.status, help.stderr], [0, '']);
  assert.match(help.stdout, /--auth-token <token>/);
  const wrong = run('--colour');
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /--colour[\s\S]*--auth-token/);
});
