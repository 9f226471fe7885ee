import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createWebSocketSpeechEngine } from '@jackfield/adapters/speech-recognition';
import type { RecognitionProblem, SpeechResult } from '@jackfield/ports';
import { WebSocketServer } from 'ws';

const page = (name: string) => readFile(join(import.meta.dirname, '../docs/guides', name), 'utf8');

/** The first block of this kind. */
function blockOf(text: string, kind: string): string {
  const [, block] = new RegExp(`^\`\`\`${kind}[^\\n]*\\n(.*?)^\`\`\``, 'ms').exec(text) ?? [];
  assert.ok(block !== undefined, `the page has a block ${kind}`);
  return block;
}

test('the grammar of the guide of speech recognition is that of the test which runs pocketsphinx', async () => {
  const grammar = await readFile(join(import.meta.dirname, 'support/digits.gram'), 'utf8');
  assert.equal(blockOf(await page('speech-recognition.md'), 'text'), grammar);
});

test('an engine that sends the frames of the guide is understood, and gets the start of the guide', async () => {
  const rows = (await page('speech-recognition.md')).matchAll(/^\| (platform|engine) \| `(\{.*\})` \|/gm);
  const frames = [...rows].map(([, from, frame]) => ({ from, frame: frame! }));
  const [start, finish] = frames.filter(({ from }) => from === 'platform').map(({ frame }) => frame);
  const [result, end, error] = frames.filter(({ from }) => from === 'engine').map(({ frame }) => frame);

  for (const [last, code] of [
    [end!, null],
    [error!, 'unknown-language'],
  ] as const) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => server.once('listening', resolve));
    const received: unknown[] = [];
    server.on('connection', (socket) =>
      socket.on('message', (data, isBinary) => {
        if (isBinary) return;
        received.push(JSON.parse(data.toString()));
        if (received.length < 2) return;
        for (const frame of [result!, last]) socket.send(frame);
      }),
    );
    const { port } = server.address() as AddressInfo;
    const engine = createWebSocketSpeechEngine({ url: `ws://127.0.0.1:${port}/` });
    const results: SpeechResult[] = [];
    const over = Promise.withResolvers<RecognitionProblem | null>();
    const session = engine.open(
      { language: 'en-US', hints: [], model: null, profanityFilter: false, interim: true },
      { result: (each) => void results.push(each), over: over.resolve },
    );
    session.write(new Int16Array(8000));
    session.finish();
    assert.equal((await over.promise)?.code ?? null, code);
    assert.deepEqual(received, [JSON.parse(start!), JSON.parse(finish!)]);
    assert.deepEqual(results, [{ isFinal: false, text: 'new yo', confidence: 0.4, fromMs: 0, toMs: 480 }]);
    engine.close();
    for (const client of server.clients) client.terminate();
    server.close();
  }
});
