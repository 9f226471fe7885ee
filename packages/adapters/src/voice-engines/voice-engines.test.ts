import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { wavHeader } from '@jackfield/media';
import type { SoundClip, Speech } from '@jackfield/ports';
import { type WebSocket, WebSocketServer } from 'ws';
import { createChosenSpeech, createHttpVoice, createWebSocketVoice } from './index.ts';

const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.splice(0)) await close();
});
const never = new AbortController().signal;
const request = { text: 'Good morning.', language: 'en-US', voice: 'man' } as const;
/** Short where the other side never answers. */
const hasty = { firstMs: 300, gapMs: 300 };
/** Where the other side answers, limits that even a busy machine does not reach. */
const limitsFor = (code: string) => (code === 'timeout' ? hasty : {});
const tone = Int16Array.from({ length: 8_000 }, (_, at) => Math.round(8_000 * Math.sin(at / 3)));
const bytesOf = (samples: Int16Array) => Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

async function httpServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/audio/speech`;
}

async function webSocketServer(
  serve: (socket: WebSocket, order: Record<string, unknown>) => void,
): Promise<string> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket) =>
    socket.once('message', (data) => serve(socket, JSON.parse(String(data)))),
  );
  closing.push(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function piecesOf(speech: Speech): Promise<SoundClip[]> {
  const pieces: SoundClip[] = [];
  for await (const piece of speech.stream!(request, never)!) pieces.push(piece);
  return pieces;
}
const samplesOf = (pieces: readonly SoundClip[]) => pieces.flatMap(({ samples }) => [...samples]);

test('an endpoint over HTTP gets the text, the voice and the key, and its audio is passed on', async () => {
  const seen: { authorization?: string; body: string } = { body: '' };
  const url = await httpServer((incoming, response) => {
    seen.authorization = incoming.headers.authorization!;
    incoming.on('data', (piece) => {
      seen.body += piece;
    });
    incoming.on('end', () => {
      response.setHeader('content-type', 'audio/pcm;rate=8000');
      response.end(bytesOf(tone));
    });
  });
  const speech = createHttpVoice({ url, key: 'secret', model: 'm', voices: { woman: 'w', man: 'm' } });
  const pieces = await piecesOf(speech);
  assert.deepEqual(samplesOf(pieces), [...tone]);
  assert.equal(pieces[0]!.sampleRate, 8_000);
  assert.equal(seen.authorization, 'Bearer secret');
  assert.deepEqual(JSON.parse(seen.body), {
    ...{ model: 'm', input: 'Good morning.', voice: 'm', language: 'en-US', response_format: 'pcm' },
  });
});

test('a WAV file is read by its header, however its bytes are cut', async () => {
  const file = Buffer.concat([
    wavHeader({ sampleRate: 16_000, channels: 1 }, tone.byteLength),
    bytesOf(tone),
  ]);
  const url = await httpServer((incoming, response) => {
    incoming.resume();
    response.write(file.subarray(0, 7));
    setTimeout(() => {
      response.write(file.subarray(7, 45));
      setTimeout(() => response.end(file.subarray(45)), 20);
    }, 20);
  });
  const pieces = await piecesOf(createHttpVoice({ url }));
  assert.deepEqual(samplesOf(pieces), [...tone]);
  assert.equal(pieces[0]!.sampleRate, 16_000);
});

test('the first piece comes with the first 40 ms of audio, while the engine still speaks', async () => {
  const gate = Promise.withResolvers<void>();
  const url = await httpServer((incoming, response) => {
    incoming.resume();
    response.setHeader('content-type', 'audio/pcm;rate=8000');
    response.write(bytesOf(tone.subarray(0, 320)));
    void gate.promise.then(() => response.end(bytesOf(tone.subarray(320))));
  });
  const pieces = createHttpVoice({ url }).stream!(request, never)![Symbol.asyncIterator]();
  const first = await pieces.next();
  assert.equal(first.value.samples.length, 320);
  gate.resolve();
  assert.equal((await pieces.next()).value.samples.length, 7_680);
  assert.equal((await pieces.next()).done, true);
});

test('an engine over a WebSocket gets the text and its markup, and streams', async () => {
  let order: Record<string, unknown> = {};
  const url = await webSocketServer((socket, given) => {
    order = given;
    socket.send('{"type":"begin","sampleRate":8000}');
    socket.send(bytesOf(tone.subarray(0, 4_000)));
    socket.send(bytesOf(tone.subarray(4_000)));
    socket.send('{"type":"end"}');
  });
  const speech = createWebSocketVoice({ url });
  const { samples } = await speech.speak({ ...request, markup: 'Good <break/> morning.' });
  assert.deepEqual([...samples], [...tone]);
  assert.equal(order['ssml'], '<speak>Good <break/> morning.</speak>');
  assert.deepEqual([order['text'], order['language'], order['voice']], ['Good morning.', 'en-US', 'man']);
});

const wrongHttp: Readonly<Record<string, readonly [(response: ServerResponse) => void, string]>> = {
  'answers with another status': [(response) => void response.writeHead(500).end(), 'engine-failed'],
  'answers without audio': [(response) => void response.end(), 'engine-failed'],
  'never answers': [() => {}, 'timeout'],
  'stops within its audio': [(response) => void response.write(bytesOf(tone)), 'timeout'],
  'cuts its answer off': [
    (response) => {
      response.writeHead(200, { 'content-length': '16000' });
      response.write(bytesOf(tone.subarray(0, 400)), () => response.destroy());
    },
    'engine-failed',
  ],
  'answers with a page': [
    (response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<html>'.repeat(1_000));
    },
    'engine-failed',
  ],
  'answers with JSON': [
    (response) => {
      response.setHeader('content-type', 'application/json; charset=utf-8');
      response.end(JSON.stringify({ audio: 'a'.repeat(4_000) }));
    },
    'engine-failed',
  ],
  'answers with an MP3 file': [
    (response) => {
      response.setHeader('content-type', 'audio/mpeg');
      response.end(bytesOf(tone));
    },
    'engine-failed',
  ],
  'names an invalid rate': [
    (response) => {
      response.setHeader('content-type', 'audio/pcm;rate=999999');
      response.end(bytesOf(tone));
    },
    'engine-failed',
  ],
  'sends a WAV file of two channels': [
    (response) => void response.end(wavHeader({ sampleRate: 8_000, channels: 2 }, 100)),
    'engine-failed',
  ],
};
for (const [what, [answer, code]] of Object.entries(wrongHttp)) {
  test(`an endpoint over HTTP that ${what} is ${code}`, async () => {
    const url = await httpServer((incoming, response) => {
      incoming.resume();
      incoming.on('end', () => answer(response));
    });
    await assert.rejects(createHttpVoice({ url, limits: limitsFor(code) }).speak(request), { code });
  });
}

/** Reads the first piece, lets the engine continue, and returns the rest: samples, or the code of an error. */
async function behindFirst(speech: Speech, goOn: () => void): Promise<readonly unknown[]> {
  const pieces = speech.stream!(request, never)![Symbol.asyncIterator]();
  const first: SoundClip = (await pieces.next()).value;
  goOn();
  const next = await pieces.next().then(
    ({ value, done }) => (done === true ? 'end' : value.samples.length),
    (error: { code?: unknown }) => error.code,
  );
  return [first.samples.length, next];
}

test('audio is passed on until the connection is cut, pauses or sends nonsense, and then the reason follows', async () => {
  let goOn = () => {};
  const cut = await httpServer((incoming, response) => {
    incoming.resume();
    response.writeHead(200, { 'content-length': '16000' });
    response.write(bytesOf(tone.subarray(0, 4_000)));
    goOn = () => response.destroy();
  });
  const cutting = createHttpVoice({ url: cut, sampleRate: 8_000 });
  assert.deepEqual(await behindFirst(cutting, () => goOn()), [4_000, 'engine-failed']);
  const pausing = await httpServer((incoming, response) => {
    incoming.resume();
    response.write(bytesOf(tone.subarray(0, 4_000)));
  });
  const impatient = createHttpVoice({ url: pausing, sampleRate: 8_000, limits: { gapMs: 200 } });
  assert.deepEqual(await behindFirst(impatient, () => {}), [4_000, 'timeout']);
  for (const nonsense of ['<html>', '{"type":"begin","sampleRate":8000}', '{"type":"error","code":1}']) {
    const url = await webSocketServer((socket) => {
      socket.send('{"type":"begin","sampleRate":8000}');
      socket.send(bytesOf(tone.subarray(0, 4_000)));
      goOn = () => socket.send(nonsense);
    });
    const talking = createWebSocketVoice({ url });
    assert.deepEqual(await behindFirst(talking, () => goOn()), [4_000, 'engine-failed'], nonsense);
  }
});

test('the connection is closed when an engine is too slow, before or within its audio, and when the text is stopped', async () => {
  for (const begun of [false, true]) {
    for (const how of ['late', 'stopped'] as const) {
      const [overHttp, overSocket] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const [asked, askedSocket] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const url = await httpServer((incoming, response) => {
        incoming.resume();
        incoming.socket.on('close', overHttp.resolve);
        if (begun) response.write(bytesOf(tone));
        asked.resolve();
      });
      const socketUrl = await webSocketServer((socket) => {
        socket.on('close', overSocket.resolve);
        if (begun) {
          socket.send('{"type":"begin","sampleRate":8000}');
          socket.send(bytesOf(tone));
        }
        askedSocket.resolve();
      });
      // Only what has to be late has a short limit: the first piece comes in time on a busy machine as well.
      const late = begun ? { gapMs: hasty.gapMs } : hasty;
      const limits = how === 'late' ? late : {};
      const engines = [createHttpVoice({ url, limits }), createWebSocketVoice({ url: socketUrl, limits })];
      const stop = new AbortController();
      const streams = engines.map((each) => each.stream!(request, stop.signal)![Symbol.asyncIterator]());
      if (begun) for (const each of streams) await each.next();
      const ends = streams.map((each) => assert.rejects(each.next()));
      await Promise.all([asked.promise, askedSocket.promise]);
      if (how === 'stopped') stop.abort();
      await Promise.all([...ends, overHttp.promise, overSocket.promise]);
    }
  }
});

test('only the first answer of an engine is heard', async () => {
  const url = await webSocketServer((socket) => {
    for (const time of [1, 2]) {
      socket.send('{"type":"begin","sampleRate":8000}');
      socket.send(bytesOf(tone.subarray(0, 2_000 * time)));
      socket.send('{"type":"end"}');
    }
  });
  assert.deepEqual(await behindFirst(createWebSocketVoice({ url }), () => {}), [2_000, 'end']);
});

test('a redirect is not followed, over HTTP and at the upgrade of a WebSocket', async () => {
  let requests = 0;
  const forbidden = await httpServer((_incoming, response) => {
    requests++;
    response.end(bytesOf(tone));
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const redirecting = await httpServer((incoming, response) => {
      incoming.resume();
      response.writeHead(status, { location: forbidden }).end(bytesOf(tone));
    });
    await assert.rejects(createHttpVoice({ url: redirecting }).speak(request), { code: 'engine-failed' });
    const url = redirecting.replace('http:', 'ws:');
    await assert.rejects(createWebSocketVoice({ url }).speak(request), { code: 'engine-failed' });
  }
  assert.equal(requests, 0);
});

test('no error quotes the text, the key or the answer of the engine', async () => {
  const url = await httpServer((incoming, response) => {
    incoming.resume();
    response.writeHead(500).end('Good morning. secret');
  });
  const socketUrl = await webSocketServer((socket) =>
    socket.send('{"type":"error","code":"Good morning. secret"}'),
  );
  for (const speech of [
    createHttpVoice({ url, key: 'secret' }),
    createWebSocketVoice({ url: socketUrl, key: 'secret' }),
  ]) {
    await assert.rejects(
      speech.speak(request),
      (error: Error) => !/morning|secret/.test(String(error.stack)),
    );
  }
});

const wrongFrames: Readonly<Record<string, readonly [(socket: WebSocket) => void, string]>> = {
  'sends nonsense': [(socket) => socket.send('<html>'), 'engine-failed'],
  'sends audio before the frame begin': [(socket) => socket.send(bytesOf(tone)), 'engine-failed'],
  'never answers': [() => {}, 'timeout'],
  'closes without an end': [
    (socket) => {
      socket.send('{"type":"begin","sampleRate":8000}');
      socket.close();
    },
    'engine-failed',
  ],
  'lacks the language': [
    (socket) => socket.send('{"type":"error","code":"unknown-language"}'),
    'unknown-language',
  ],
  'ends twice': [
    (socket) => {
      socket.send('{"type":"begin","sampleRate":8000}');
      socket.send('{"type":"end"}');
      socket.send('{"type":"end"}');
    },
    'engine-failed',
  ],
};
for (const [what, [serve, code]] of Object.entries(wrongFrames)) {
  test(`an engine over a WebSocket that ${what} is ${code}`, async () => {
    const url = await webSocketServer(serve);
    await assert.rejects(createWebSocketVoice({ url, limits: limitsFor(code) }).speak(request), { code });
  });
}

test('audio without an end is cut at its limit, over both', async () => {
  const limits = { audioSeconds: 2 };
  const url = await httpServer((incoming, response) => {
    incoming.resume();
    response.setHeader('content-type', 'audio/pcm;rate=8000');
    const more = () => {
      while (!response.destroyed && response.write(bytesOf(tone)));
      response.once('drain', more);
    };
    more();
  });
  await assert.rejects(createHttpVoice({ url, limits }).speak(request), { code: 'engine-failed' });
  const socketUrl = await webSocketServer((socket) => {
    socket.send('{"type":"begin","sampleRate":8000}');
    for (let n = 0; n < 50; n++) socket.send(bytesOf(tone));
  });
  await assert.rejects(createWebSocketVoice({ url: socketUrl, limits }).speak(request), {
    code: 'engine-failed',
  });
});

test('a flood over a WebSocket is not read faster than its audio is consumed', async () => {
  let sent = 0;
  let isClosed = false;
  const url = await webSocketServer((socket) => {
    socket.on('close', () => {
      isClosed = true;
    });
    socket.send('{"type":"begin","sampleRate":48000}');
    const more = () => {
      if (isClosed || sent > 200 << 20) return;
      sent += 64_000;
      socket.send(Buffer.alloc(64_000, 1), () => setImmediate(more));
    };
    more();
  });
  const stop = new AbortController();
  const pieces = createWebSocketVoice({ url }).stream!(request, stop.signal)![Symbol.asyncIterator]();
  await pieces.next();
  await new Promise((resolve) => setTimeout(resolve, 300));
  // Its reader waits: bytes in flight are in the buffers of the sockets and within the limit of the adapter.
  assert.ok(sent < 40 << 20, `${sent} bytes`);
  stop.abort();
  await assert.rejects(pieces.next());
});

test('a flood over HTTP is not read faster than its audio is consumed', async () => {
  let sent = 0;
  const url = await httpServer((incoming, response) => {
    incoming.resume();
    response.setHeader('content-type', 'audio/pcm;rate=48000');
    const block = Buffer.alloc(64_000, 1);
    const more = () => {
      while (!response.destroyed && sent < 400 << 20) {
        sent += block.length;
        if (!response.write(block)) {
          response.once('drain', more);
          return;
        }
      }
    };
    more();
  });
  const stop = new AbortController();
  const pieces = createHttpVoice({ url }).stream!(request, stop.signal)![Symbol.asyncIterator]();
  await pieces.next();
  // Turns in which an adapter that reads on would have read a hundred megabytes.
  for (let turn = 0; turn < 10_000; turn++) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(sent < 40 << 20, `${sent} bytes`);
  stop.abort();
  await assert.rejects(pieces.next());
});

test('an engine that cannot be reached is engine-failed; an empty text never leaves the platform', async () => {
  await assert.rejects(createHttpVoice({ url: 'http://127.0.0.1:9/' }).speak(request), {
    code: 'engine-failed',
  });
  await assert.rejects(createWebSocketVoice({ url: 'ws://127.0.0.1:9/' }).speak(request), {
    code: 'engine-failed',
  });
  const nowhere = createHttpVoice({ url: 'http://127.0.0.1:9/' });
  await assert.rejects(nowhere.speak({ ...request, text: ' ' }), { code: 'text-empty' });
  await assert.rejects(nowhere.speak({ ...request, text: 'a'.repeat(3_001) }), { code: 'text-too-long' });
});

test('the account chooses the engine, else its main account, else the operator; texts without an account use the embedded one', async () => {
  const named = (name: string): Speech => ({
    speak: async () => ({ sampleRate: name.length * 1_000, samples: new Int16Array(0) }),
  });
  const engines = new Map([
    ['four', named('four')],
    ['usual', named('usual')],
  ]);
  const accounts = new Map([['MA1', 'four']]);
  const speech = createChosenSpeech({ embedded: named('embedded'), engines, usual: 'usual', accounts });
  const rateFor = async (...asking: string[]) =>
    (await speech.speak({ ...request, accounts: asking })).sampleRate;
  assert.equal(await rateFor('MA1'), 4_000);
  assert.equal(await rateFor('SA1', 'MA1'), 4_000);
  assert.equal(await rateFor('MA2'), 5_000);
  assert.equal(await rateFor(), 8_000);
  assert.equal(speech.engineOf?.(['MA1']), 'four');
});
