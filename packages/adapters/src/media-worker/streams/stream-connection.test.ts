import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { toneLevel } from '@jackfield/media';
import { startRawServer, targetOf, upgrade } from './testing/raw-server.ts';
import { createStreamRig, nothing, stream } from './testing/stream-rig.ts';
import { testCertificate, testKey } from './testing/test-certificate.ts';
import { assertOneClock, type GotFrame, toneBytes } from './testing/test-server.ts';

test('an attempt that fails is reported with its cause, and leaves no socket', async (context) => {
  const rig = await createStreamRig(context, 8268);
  rig.open();
  const attempt = async (server: { readonly url: string; readonly port: number }, timeoutMs = 5000) => {
    const from = rig.notices.length;
    rig.media.streams.connect(stream, targetOf(server, timeoutMs));
    const { sentence } = await rig.noticeOf('stream-unreachable', from);
    assert.equal((await rig.census()).streamSockets, 0);
    return sentence;
  };
  const answering = (status: number) =>
    startRawServer(
      context,
      () => {},
      createHttpServer((_, response) =>
        response.writeHead(status, { location: rig.server.url.replace('stream.example', '127.0.0.1') }).end(),
      ),
    );
  const refusing = await startRawServer(context, (socket) => socket.destroy());
  assert.match(await attempt(refusing), /socket hang up|ECONNRESET/);
  assert.match(await attempt(await answering(404)), /answered 404/);
  assert.match(await attempt(await answering(302)), /answered 302/);
  const silent = await startRawServer(context, () => {});
  assert.match(await attempt(silent, 200), /within 200 ms/);
  const dripping = await startRawServer(context, (socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\n');
    const timer = setInterval(() => socket.write('x-more: and more\r\n'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  assert.match(await attempt(dripping, 300), /within 300 ms/);
  const { port } = rig.server;
  for (const url of [`ws://stream.example:${port}/#fragment`, 'nonsense', `http+unix://x:${port}/`]) {
    assert.match(await attempt({ url, port }), /fragment|Invalid URL|protocol/);
  }
  const from = rig.notices.length;
  rig.media.streams.connect(stream, { ...targetOf(rig.server, 5000), headers: { 'x-a': 'line\nbreak' } });
  assert.match((await rig.noticeOf('stream-unreachable', from)).sentence, /Invalid character in header/);
  assert.equal(rig.server.requests.length, 0);
  // A close during connecting.
  rig.media.streams.connect(stream, targetOf(silent, 60_000));
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.census(), nothing);
});

/** Accepts nothing: two connections fill its queue, and later ones get no answer (its thread sleeps). */
async function startDeafServer(context: TestContext, host: string, port: number): Promise<void> {
  const deaf = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    require('node:net').createServer().listen({ ...workerData, backlog: 1 }, () => {
      parentPort.postMessage('listens');
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
    });`,
    { eval: true, workerData: { host, port } },
  );
  context.after(() => deaf.terminate());
  await once(deaf, 'message');
  for (let n = 0; n < 2; n++) {
    const socket = connect({ host, port });
    socket.on('error', () => {});
    context.after(() => socket.destroy());
    await once(socket, 'connect');
  }
}

test('an attempt tries the next address of a name when one refuses or does not answer', async (context) => {
  const rig = await createStreamRig(context, 8364);
  rig.open();
  const { port } = rig.server;
  await startDeafServer(context, '127.0.0.9', port);
  rig.connect(rig.server.url, { addresses: ['127.0.0.7', '127.0.0.9', '127.0.0.1'] });
  await rig.noticeOf('stream-connected');
  assert.equal(rig.server.requests[0]?.headers.host, new URL(rig.server.url).host);
  assert.deepEqual(
    rig.notices.filter(({ type }) => type === 'stream-unreachable'),
    [],
  );
});

test('all addresses share one connect timeout, and the error names each address when none accepts the connection', async (context) => {
  const rig = await createStreamRig(context, 8372);
  rig.open();
  const { port } = rig.server;
  rig.connect(rig.server.url, { addresses: ['127.0.0.7', '127.0.0.8'] });
  const { sentence } = await rig.noticeOf('stream-unreachable');
  assert.match(
    sentence,
    new RegExp(`ECONNREFUSED 127.0.0.7:${port}, connect ECONNREFUSED 127.0.0.8:${port}`),
  );
  await startDeafServer(context, '127.0.0.9', port);
  const from = rig.notices.length;
  rig.connect(rig.server.url, { addresses: ['127.0.0.7', '127.0.0.9'], timeoutMs: 400 });
  assert.match((await rig.noticeOf('stream-unreachable', from)).sentence, /within 400 ms/);
  assert.equal((await rig.census()).streamSockets, 0);
});

test('wss requires a trusted certificate for the name of the URL, whatever address is dialled', async (context) => {
  const rig = await createStreamRig(context, 8276, {
    server: { key: testKey, cert: testCertificate },
    streamTrust: testCertificate,
  });
  rig.open();
  rig.connect(rig.server.url.replace('stream.example', 'other.example'));
  assert.match((await rig.noticeOf('stream-unreachable')).sentence, /other\.example/);
  rig.connect(rig.server.url, { addresses: ['127.0.0.7', '127.0.0.1'] });
  await rig.noticeOf('stream-connected');
  await rig.server.until(({ media }) => media?.chunk === 5);
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');

  const strict = await createStreamRig(context, 8284, { server: { key: testKey, cert: testCertificate } });
  strict.open();
  strict.connect();
  assert.match((await strict.noticeOf('stream-unreachable')).sentence, /self-signed certificate/);
  strict.media.streams.close(stream, 'x');
  await strict.noticeOf('stream-over');
  assert.deepEqual(await strict.census(), nothing);
});

for (const code of [1000, 1001, 1011, 4002]) {
  test(`the close of the other side is reported with its code: ${code}`, async (context) => {
    const rig = await createStreamRig(context, 8292);
    rig.open();
    rig.connect();
    await rig.noticeOf('stream-connected');
    rig.server.sockets[0]!.close(code, 'enough');
    const lost = await rig.noticeOf('stream-lost');
    assert.deepEqual([lost.code, lost.sentence], [code, `the connection was closed with ${code}: "enough"`]);
    assert.deepEqual(await rig.census(), { ...nothing, streams: 1, streamSources: 1 });
    rig.media.streams.close(stream, 'x');
    await rig.noticeOf('stream-over');
    assert.deepEqual(await rig.census(), nothing);
  });
}

test('after stop of the other side, the stream is stopped, however its connection ends', async (context) => {
  const rig = await createStreamRig(context, 8388);
  // A socket that is destroyed with unread audio sends a reset, which can overtake the stop: that connection carries none.
  for (const { end, audio } of [
    { end: 'terminate', audio: false },
    { end: 'close', audio: false },
    { end: 'close', audio: true },
  ]) {
    const from = rig.notices.length;
    rig.open({ keepLostMs: 30_000, ...(audio ? {} : { tracks: [] }) });
    const read = rig.server.frames.length;
    rig.connect();
    await rig.noticeOf('stream-connected', from);
    await rig.server.until((frame) => frame.event === (audio ? 'media' : 'start'), read);
    const socket = rig.server.sockets.at(-1)!;
    socket.send('{"event":"stop"}', () => (end === 'close' ? socket.close(1001) : socket.terminate()));
    assert.equal((await rig.noticeOf('stream-lost', from)).code, 1000);
    rig.media.streams.close(stream, 'x');
    await rig.noticeOf('stream-over', from);
  }
  assert.deepEqual(await rig.census(), nothing);
});

test('a server that does not answer pings is lost, and a server that does not answer a close is cut off', async (context) => {
  const deaf = await createStreamRig(context, 8300, {
    server: { autoPong: false },
    streamLimits: { pingMs: 100 },
  });
  deaf.open();
  deaf.connect();
  const lost = await deaf.noticeOf('stream-lost');
  assert.deepEqual([lost.code, /ping/.test(lost.sentence)], [1006, true]);

  const rig = await createStreamRig(context, 8308, { streamLimits: { closeMs: 100 } });
  const rude = await startRawServer(context, upgrade);
  rig.open();
  rig.media.streams.connect(stream, targetOf(rude, 5000));
  await rig.noticeOf('stream-connected');
  assert.equal(rude.sockets.size, 1);
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.census(), nothing);
  assert.equal(rig.notices.filter(({ type }) => type === 'stream-lost').length, 0);
});

test('Upgrade and Connection come before the signatures, within the first 512 bytes of the request', async (context) => {
  const rig = await createStreamRig(context, 8420);
  const request = Promise.withResolvers<string>();
  const server = await startRawServer(context, (socket) =>
    socket.once('data', (bytes) => request.resolve(bytes.toString('latin1'))),
  );
  rig.open();
  const long = 'x'.repeat(210);
  const headers = { 'X-Service-Signature-V3': long, 'X-Service-Signature-Ma-V3': long, 'X-Extra': long };
  rig.media.streams.connect(stream, { ...targetOf(server, 5000), headers });
  const text = await request.promise;
  const start = text.slice(0, 512);
  assert.match(start, /\r\nConnection: Upgrade\r\n/);
  assert.match(start, /\r\nUpgrade: websocket\r\n/);
  assert.equal(text.match(/\r\n(?:connection|upgrade):/gi)?.length, 2, 'each of them once');
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
});

test('a violation of the protocol is reported at once, whether or not the server answers our close frame', async (context) => {
  const rig = await createStreamRig(context, 8412, { streamLimits: { closeMs: 600_000 } });
  const got: Buffer[] = [];
  const deaf = await startRawServer(context, (socket) => {
    upgrade(socket);
    socket.once('data', () => {
      socket.on('data', (bytes) => got.push(bytes));
      // A reserved opcode (RFC 6455 §5.2).
      socket.write(Buffer.from([0x83, 0x00]));
    });
  });
  rig.open();
  const beganMs = performance.now();
  rig.media.streams.connect(stream, targetOf(deaf, 5000));
  const lost = await rig.noticeOf('stream-lost');
  assert.match(lost.sentence, /^it broke the protocol of WebSockets: .*opcode/);
  assert.notEqual(lost.code, 1000);
  assert.ok(
    performance.now() - beganMs < 10_000,
    'the report does not wait for the 30 s that ws allows for a close',
  );
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
});

test('the connection to a server that breaks the protocol, or sends without end, is closed', async (context) => {
  const rig = await createStreamRig(context, 8316);
  rig.open();
  rig.connect();
  await rig.noticeOf('stream-connected');
  rig.server.say('x'.repeat(2 ** 21));
  const lost = await rig.noticeOf('stream-lost');
  assert.match(lost.sentence, /too long/);
  const from = rig.notices.length;
  const wild = await startRawServer(context, (socket) => {
    upgrade(socket);
    socket.once('data', () => socket.write(Buffer.from([0xff, 0xff, 1, 2, 3])));
  });
  rig.media.streams.connect(stream, targetOf(wild, 5000));
  assert.match((await rig.noticeOf('stream-lost', from)).sentence, /protocol of WebSockets/);
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.census(), nothing);
});

test('a reader that is slow loses the oldest audio, is reported once a second, and gets the newest when it reads again', async (context) => {
  const rig = await createStreamRig(context, 8324, {
    streamLimits: { bufferedBytes: 64 * 1024, slowMs: 200 },
  });
  // This many tracks fill the buffers of the kernel in a moment.
  const tracks = Array.from({ length: 60 }, (_, n) => ({ name: `track ${n}`, said: ['a'], heard: [] }));
  rig.open({ tracks, sampleRate: 24_000 });
  rig.connect();
  await rig.noticeOf('stream-connected');
  const socket = rig.server.sockets[0]!;
  socket.pause();
  const degraded = await rig.noticeOf('stream-degraded', rig.notices.length);
  assert.deepEqual([degraded.direction, degraded.percentFull], ['to-socket', 100]);
  const again = await rig.noticeOf('stream-degraded', rig.notices.length);
  assert.ok(again.droppedMs > degraded.droppedMs + 500 && again.droppedMs < degraded.droppedMs + 1500);
  const from = rig.server.frames.length;
  socket.resume();
  // Counted from the first frame: any number of frames may have arrived before the pause.
  let last = 0;
  const gap = await rig.server.until(({ media }) => {
    if (media?.track !== 'track 0') return false;
    const missing = media.chunk - last;
    last = media.chunk;
    return missing > 25;
  });
  const track: GotFrame[] = rig.server.frames.filter(({ media }) => media?.track === 'track 0');
  assertOneClock(track);
  // A busy machine may lose single frames again.
  const fresh = gap.media.chunk + 50;
  await rig.server.until(({ media }) => media?.track === 'track 59' && media.chunk >= fresh, from);
  rig.media.streams.close(stream, 'x');
  const { statistics } = await rig.noticeOf('stream-over');
  assert.ok(statistics.framesDropped >= (again.droppedMs / 20) * 60);
  assert.equal((await rig.media.stats()).streams.framesDropped, statistics.framesDropped);
  assert.deepEqual(await rig.census(), nothing);
});

test('a flood of playAudio fills only the queue: the newest audio is refused, and the call goes on', async (context) => {
  const rig = await createStreamRig(context, 8332);
  rig.open();
  rig.connect();
  await rig.noticeOf('stream-connected');
  const payload = Buffer.alloc(48_000, 0x55).toString('base64');
  const media = { contentType: 'audio/x-mulaw', sampleRate: 8000, payload };
  const beganMs = performance.now();
  for (let n = 0; n < 200; n++) rig.server.say({ event: 'playAudio', media });
  const failed = await rig.server.until(({ event }) => event === 'playFailed');
  assert.equal(failed.reasonCode, 'queue-full');
  assert.match(failed.reason, /6000 ms of audio do not fit: \d+ of at most 60000 ms/);
  const degraded = await rig.noticeOf('stream-degraded');
  assert.deepEqual(
    [degraded.direction, degraded.droppedMs, degraded.percentFull > 90],
    ['from-socket', 6000, true],
  );
  rig.server.say({ event: 'clearAudio' });
  await rig.server.until(({ event }) => event === 'clearedAudio');
  await rig.phone.hear(5);
  rig.media.streams.close(stream, 'x');
  const { statistics } = await rig.noticeOf('stream-over');
  assert.equal(statistics.framesReceived, 201);
  assert.ok(statistics.playDroppedMs >= 185 * 6000 && statistics.framesRefused >= 185);
  // Ten a second.
  const most = 10 * (2 + Math.floor((performance.now() - beganMs) / 1000));
  const failures = rig.server.frames.filter(({ event }) => event === 'playFailed').length;
  assert.ok(failures <= most, `${failures} of at most ${most}`);
  assert.deepEqual(await rig.census(), nothing);
});

test('a chunk that ends within a sample, is refused, and is sent again later, is heard as it is', async (context) => {
  const rig = await createStreamRig(context, 8452, { streamLimits: { queueMs: 1000 } });
  rig.open();
  rig.connect();
  await rig.noticeOf('stream-connected');
  const bytes = toneBytes(8000, 1200, 1600);
  const play = (from: number, to: number): void => {
    const payload = bytes.subarray(from, to).toString('base64');
    rig.server.say({ event: 'playAudio', media: { contentType: 'audio/x-l16', sampleRate: 8000, payload } });
  };
  play(0, 12_801);
  play(12_801, 25_600);
  assert.equal((await rig.server.until(({ event }) => event === 'playFailed')).reasonCode, 'queue-full');
  rig.server.say({ event: 'checkpoint', name: 'room' });
  await rig.server.until(({ event }) => event === 'playedStream');
  play(12_801, 25_600);
  await rig.phone.hear(10);
  const heard = await rig.phone.hear(20);
  assert.ok(Math.abs(toneLevel(heard, 8000, 1200) - 20 * Math.log10(8000 / 32_768)) < 0.5);
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.census(), nothing);
});

test('a new connection of a stream gets the audio of the gap, faster than real time, and every checkpoint', async (context) => {
  const rig = await createStreamRig(context, 8340);
  rig.open({ keepLostMs: 30_000 });
  rig.connect();
  await rig.noticeOf('stream-connected');
  const bytes = toneBytes(8000, 1200, 1000);
  const media = { contentType: 'audio/x-l16', sampleRate: 8000, payload: bytes.toString('base64') };
  rig.server.say({ event: 'playAudio', media });
  rig.server.say({ event: 'checkpoint', name: 'first' });
  rig.server.say({ event: 'playAudio', media });
  rig.server.say({ event: 'checkpoint', name: 'second' });
  await rig.server.until(({ event }) => event === 'playedStream');
  rig.server.sockets[0]!.terminate();
  const lost = await rig.noticeOf('stream-lost');
  assert.equal(lost.code, 1006);
  const had = rig.server.frames.length;
  // Playing waits as well: it would have no audience.
  await rig.phone.hear(3);
  assert.ok((await rig.phone.hear(40)).every((sample) => Math.abs(sample) <= 8));
  rig.connect(undefined, { resumed: true });
  await rig.noticeOf('stream-connected', rig.notices.length);
  const start = await rig.server.until(({ event }) => event === 'start', had);
  const { sequenceNumber } = rig.server.frames[had - 1];
  assert.deepEqual([start.start.resumed, start.sequenceNumber > sequenceNumber], [true, true]);
  await rig.server.until(({ name }) => name === 'second', had);
  const frames: GotFrame[] = rig.server.frames.filter(({ event }) => event === 'media');
  const before = rig.server.frames.slice(0, had).findLast(({ event }) => event === 'media').media.chunk;
  const after = rig.server.frames.slice(had).filter(({ event }: GotFrame) => event === 'media');
  const again = after[0].media.chunk;
  assert.ok(again <= before + 1 && again > before - 30, `${before} was the last, then ${again}`);
  for (let n = 1; n < after.length; n++) assert.equal(after[n].media.chunk, again + n);
  assertOneClock(frames.filter(({ media }, index) => media.chunk > (frames[index - 1]?.media.chunk ?? 0)));
  // The first may come again, with its number: its arrival may not have been confirmed at the loss.
  const played = rig.server.frames.filter(({ event }) => event === 'playedStream');
  const names = new Map(played.map((frame) => [frame.sequenceNumber, frame.name]));
  assert.deepEqual([...names.values()], ['first', 'second']);
  // 0.9 s were missed, 1 s was played since; all of it has arrived.
  assert.ok(after.length > 75, `${after.length} frames`);
  rig.media.streams.close(stream, 'x');
  await rig.noticeOf('stream-over');
  assert.deepEqual(await rig.census(), nothing);
});

test('streams that are open when the worker is closed end, and report it', async (context) => {
  const rig = await createStreamRig(context, 8348);
  rig.open();
  rig.connect();
  await rig.noticeOf('stream-connected');
  assert.throws(() => rig.open(), /already open/);
  assert.throws(() => rig.open({ stream: 'other', sampleRate: 12_000 }), /12000 Hz/);
  await rig.media.closeAll();
  await rig.noticeOf('stream-over');
  assert.equal((await rig.server.closed()).code, 1000);
});
