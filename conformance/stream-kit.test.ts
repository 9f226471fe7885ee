import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { platformFrame } from '@jackfield/contract';
import { levelDb, type StreamSession, serveStreams } from '@jackfield/stream-kit';
import { Check, Errors } from 'typebox/value';
import { WebSocketServer } from 'ws';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { patienceMs } from './support/patience.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';
import { blocksRunBy } from './support/snippets.ts';

const talker = '+12025550101';

const root = join(import.meta.dirname, '..');

describe('streams of the platform', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let customer: CallbackReceiver;

  before(async () => {
    platform = await PlatformProcess.start();
    customer = await CallbackReceiver.start();
  });

  after(() =>
    cleanUp(
      () => platform.stop(),
      () => customer.stop(),
    ),
  );

  /** Calls the talking phone with a document that streams to this URL. */
  const call = async (url: string, attributes: string) => {
    const document = `<Response><Stream keepCallAlive="true" ${attributes}>${url}</Stream></Response>`;
    const answer = customer.serve(`/answer${Math.random()}`, document);
    const { status, body } = await platform.api('POST', 'Call/', {
      from: '+12025550000',
      to: talker,
      answer_url: answer,
    });
    assert.equal(status, 201);
    return body.request_uuid as string;
  };

  it('send frames of the published schema and nothing else, from start to stop', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const frames: { event: string }[] = [];
    const ended = Promise.withResolvers<number>();
    server.on('connection', (socket) => {
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data));
        frames.push(frame);
        if (frames.length === 2) {
          socket.send('{"event":"checkpoint","name":"empty"}');
          socket.send('{"event":"clearAudio"}');
          socket.send('{"event":"nonsense"}');
        }
      });
      socket.on('close', (code) => ended.resolve(code));
    });
    const { port } = server.address() as AddressInfo;
    const uuid = await call(`ws://127.0.0.1:${port}/`, 'bidirectional="true" extraHeaders="a=b,c=d"');
    for (const event of ['clearedAudio', 'playFailed', 'playedStream']) {
      const limit = Date.now() + patienceMs;
      while (!frames.some((frame) => frame.event === event)) {
        assert.ok(Date.now() < limit, `${event} comes`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
    await platform.api('DELETE', `Call/${uuid}/`);
    assert.equal(await ended.promise, 1000);
    for (const frame of frames) {
      assert.ok(
        Check(platformFrame, frame),
        `${JSON.stringify(frame).slice(0, 200)} ${JSON.stringify(Errors(platformFrame, frame))}`,
      );
    }
    assert.deepEqual([frames[0]?.event, frames.at(-1)?.event], ['start', 'stop']);
    server.close();
  });

  it('carry speech to a session of the kit and what it plays back, signed for the URL that was written', async () => {
    const streams: StreamSession[] = [];
    const seen = Promise.withResolvers<StreamSession>();
    const port = await freePort();
    const options = { serviceUrl: `ws://127.0.0.1:${port}/agent?room=1`, authToken: platform.authToken };
    const server = await serveStreams({
      port,
      path: '/agent',
      ...options,
      onStream(stream) {
        streams.push(stream);
        seen.resolve(stream);
      },
    });
    const uuid = await call(options.serviceUrl, 'bidirectional="true" contentType="audio/x-l16;rate=16000"');
    const stream = await seen.promise;
    assert.deepEqual(stream.start.mediaFormat, { encoding: 'audio/x-l16', sampleRate: 16_000 });
    const loud = Promise.withResolvers<void>();
    stream.on('media', (samples) => {
      assert.equal(samples.length, 320);
      if (levelDb(samples) > -40) loud.resolve();
    });
    await loud.promise;
    stream.play(new Int16Array(16_000));
    assert.equal(await stream.heard(), true);
    stream.play(new Int16Array(160_000));
    const cut = stream.heard();
    await stream.clear();
    assert.equal(await cut, false);
    const end = once(stream, 'end');
    await platform.api('DELETE', `Call/${uuid}/`);
    assert.deepEqual(await end, ['Call hangup']);
    await server.close();
    await platform.untilQuiet();
  });

  it('are shown by the examples, each with one command', () => {
    const commands = ['docs/guides/streams.md', 'docs/start/voice-agent.md'].flatMap((page) =>
      blocksRunBy(page, import.meta.filename).flatMap(
        ({ text }) => text.match(/^npm run example \w+/gm) ?? [],
      ),
    );
    const names = [...new Set(commands)].map((command) => command.split(' ').at(-1)!);
    assert.deepEqual(names, ['echo', 'parrot']);
    const example = join(root, 'tools/examples/run.ts');
    for (const name of names) {
      // What `npm run example` starts; npm itself takes seconds on a busy machine.
      const { status, stdout, stderr } = spawnSync(process.execPath, [example, name, '7'], {
        encoding: 'utf8',
        timeout: 60_000,
      });
      assert.equal(status, 0, stderr);
      assert.match(stdout, /A stream of call .* begins: audio\/x-l16 at 8000 Hz\./);
      assert.match(stdout, /It has ended \(Call hangup\) after [1-9]\d\d frames/);
    }
  });

  it('are checked by a command, whose options a page shows', () => {
    const [, checks] = blocksRunBy('docs/guides/streams.md', import.meta.filename);
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/stream-check'), ['--help'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0);
    const options = checks!.text.match(/--[a-z-]+/g)!;
    assert.ok(options.length > 3);
    for (const option of options) assert.ok(option === '--help' || stdout.includes(option), option);
  });
});
