import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { openDgramSockets } from './dgram-sockets.ts';
import { createMediaHost } from './media-host.ts';
import { serveMediaThread, type ToMediaThread } from './media-thread.ts';

test('Requests that arrive together are answered in one message, in their order', async () => {
  const { port1: here, port2: there } = new MessageChannel();
  serveMediaThread(there, (notify) =>
    createMediaHost({
      host: '127.0.0.1',
      ports: { first: 9_888, last: 9_889 },
      openSockets: openDgramSockets,
      notify,
    }),
  );
  assert.deepEqual(await once(here, 'message'), [[{ type: 'ready' }]]);
  here.postMessage([
    { type: 'ask', id: 1, about: 'measure', legs: ['absent'] },
    { type: 'ask', id: 2, about: 'measure', legs: [] },
  ] satisfies ToMediaThread[]);
  const [answers] = await once(here, 'message');
  assert.deepEqual(answers, [
    { type: 'answer', id: 1, value: [undefined] },
    { type: 'answer', id: 2, value: [] },
  ]);
  here.postMessage([{ type: 'ask', id: 3, about: 'close-all' }] satisfies ToMediaThread[]);
  await once(here, 'message');
  here.close();
});
