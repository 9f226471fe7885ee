import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server as RawServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type WebSocket, WebSocketServer } from 'ws';
import { talk } from '../examples/voice-agents/openai-agents.ts';
import { bridge } from '../examples/voice-agents/realtime-bridge.ts';
import { spawnBound } from './support/bound-child.ts';
import { CallbackReceiver } from './support/callback-receiver.ts';
import { cleanUp } from './support/clean-up.ts';
import { loudestToneDb, readWav, type Sound } from './support/heard.ts';
import { eachLine, Happenings } from './support/lines.ts';
import { answerHz, ModelServer } from './support/model-server.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';

const audible = -25;

/** Its binaries are optional packages. */
const lacksAgentTransport =
  spawnSync(process.execPath, ['-e', "require.resolve('agent-transport-linux-x64-gnu')"], {
    cwd: import.meta.dirname,
  }).status === 0
    ? false
    : 'agent-transport has no binary for this machine that the test knows';

/** Programs of voice agents on streams of the real server; a script takes the place of the model. */
describe('voice agents', { timeout: 180_000 }, () => {
  let platform: PlatformProcess;
  let customer: CallbackReceiver;
  let model: ModelServer;
  let http: Server;
  let front: RawServer;
  let sockets: WebSocketServer;
  let health = 0;
  const programs = new Map<string, (call: WebSocket) => void>();

  before(async () => {
    platform = await PlatformProcess.start();
    customer = await CallbackReceiver.start();
    model = await ModelServer.start();
    http = createServer();
    sockets = new WebSocketServer({ server: http });
    sockets.on('connection', (socket, { url }) => programs.get(url!)!(socket));
    // As agent-transport 0.1.9 does: a request without Upgrade in its first 512 bytes counts as a health check.
    front = createRawServer((socket) =>
      socket.once('data', (bytes) => {
        if (/\r\nupgrade: websocket\r\n/i.test(bytes.subarray(0, 512).toString('latin1'))) {
          socket.unshift(bytes);
          http.emit('connection', socket);
          return;
        }
        health++;
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK');
      }),
    );
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
  });

  after(() =>
    cleanUp(
      () => platform.untilQuiet(),
      () => platform.stop(),
      () => customer.stop(),
      () => model.stop(),
      () => void front.close(),
      () => void http.close(),
    ),
  );

  /** A phone of the sandbox calls the program; gives what the phone heard. */
  function heardFrom(
    program: (call: WebSocket) => void,
    attributes: string,
    order: object = {},
  ): Promise<Sound> {
    const path = `/agent-${programs.size}`;
    programs.set(path, program);
    return heardAt(`ws://127.0.0.1:${(front.address() as AddressInfo).port}${path}`, path, attributes, order);
  }

  async function heardAt(url: string, path: string, attributes: string, order: object): Promise<Sound> {
    const document = `<Response><Stream bidirectional="true" keepCallAlive="true" ${attributes}>${url}</Stream></Response>`;
    const answer_url = customer.serve(`/answer${path}`, document);
    const application = await platform.api('POST', 'Application/', { app_name: path.slice(1), answer_url });
    const { status, body } = await platform.api('POST', 'Sandbox/Call/', {
      to: application.body.app_id,
      behaviour: 'talk',
      hangup_after: 12,
      ...order,
    });
    assert.equal(status, 201, JSON.stringify(body));
    const { recording_url } = await platform.until(
      'the end of the call and its recording',
      `Sandbox/Call/${body.sandbox_call_uuid}/`,
      ({ state, recording }) => state === 'ended' && recording === 'complete',
    );
    const file = join(platform.dataDir, `${path.slice(1)}.wav`);
    await writeFile(file, await platform.download(recording_url));
    return readWav(file);
  }

  it('OpenAI’s Agents SDK on the twilio dialect: it hears the caller, answers, is interrupted, and ends with the call', async () => {
    const problems: unknown[] = [];
    const session = Promise.withResolvers<Awaited<ReturnType<typeof talk>>>();
    const closed = Promise.withResolvers<void>();
    const heard = await heardFrom(
      (call) => {
        call.on('close', () => closed.resolve());
        talk(call, { url: model.url, apiKey: 'a key' }).then((one) => {
          one.on('error', (problem) => problems.push(problem));
          session.resolve(one);
        }, session.reject);
      },
      'dialect="twilio" extraHeaders="order=4711"',
      { send_digits: 'WW5' },
    );
    await session.promise;
    await closed.promise;
    assert.ok(loudestToneDb(heard, answerHz, 0.3) > audible, 'the caller heard the answer');
    assert.ok(model.audioBytes > 40_000, `the model heard ${model.audioBytes} bytes`);
    // It counts by the marks that came back how much of the answer was played.
    const truncated = await model.until('conversation.item.truncate');
    assert.ok(truncated.audio_end_ms > 0 && truncated.audio_end_ms <= 4_000, `${truncated.audio_end_ms} ms`);
    assert.deepEqual(problems, []);
  });

  for (const dialect of ['plivo', 'twilio'] as const) {
    it(`a pipeline that takes the ${dialect} dialect from the first messages hears, answers and gets the key`, async () => {
      const known = model.received.length;
      const starts: string[] = [];
      const heard = await heardFrom(
        (call) => {
          call.on('message', (data) => starts.length < 2 && starts.push(JSON.parse(String(data)).event));
          bridge(call, model.url);
        },
        `dialect="${dialect}" contentType="audio/x-mulaw;rate=8000"`,
        { send_digits: 'WW5' },
      );
      assert.deepEqual(starts, dialect === 'plivo' ? ['start', 'media'] : ['connected', 'start']);
      assert.ok(loudestToneDb(heard, answerHz, 0.3) > audible, 'the caller heard the answer');
      const item = model.received.slice(known).find(({ type }) => type === 'conversation.item.create');
      assert.deepEqual(item.item.content, [{ type: 'input_text', text: 'The caller pressed 5.' }]);
    });
  }

  it('agent-transport itself: it connects, its model hears the caller and the key, and the caller the model', {
    skip: lacksAgentTransport,
  }, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'agent-transport-'));
    const address = `127.0.0.1:${await freePort()}`;
    const program = spawnBound(
      process.execPath,
      [join(import.meta.dirname, 'support/agent-transport/program.ts'), address, model.url, directory],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const ended = once(program, 'exit');
    t.after(async () => {
      program.kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true });
    });
    const lines = new Happenings<string>();
    eachLine(program.stdout!, (line) => lines.add(line));
    await lines.until('its start', (line) => line === 'ready');
    const [heardBytes, known] = [model.audioBytes, model.received.length];
    const heard = await heardAt(
      `ws://${address}`,
      '/agent-transport',
      'contentType="audio/x-mulaw;rate=8000" extraHeaders="order=4711"',
      { send_digits: 'WW5' },
    );
    assert.ok(loudestToneDb(heard, answerHz, 0.3) > audible, 'the caller heard the answer');
    assert.ok(
      model.audioBytes - heardBytes > 240_000,
      `the model heard ${model.audioBytes - heardBytes} bytes`,
    );
    const item = model.received.slice(known).find(({ type }) => type === 'conversation.item.create');
    assert.deepEqual(item.item.content, [{ type: 'input_text', text: 'The caller pressed 5.' }]);
    program.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });

  it('a server that looks for Upgrade in the first 512 bytes never takes a stream for a health check', () => {
    assert.equal(health, 0);
    assert.equal(programs.size, 3);
  });
});
