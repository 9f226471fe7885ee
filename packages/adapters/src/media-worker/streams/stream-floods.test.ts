import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import type { EngineStreams, OpenedStreamSource } from '@jackfield/media';
import type { StreamNotice, StreamOrder } from '@jackfield/ports';
import { opcode, rawFrame, readMasked, startRawServer, targetOf, upgrade } from './testing/raw-server.ts';
import { testCertificate, testKey } from './testing/test-certificate.ts';
import { createWorkerStreams } from './worker-streams.ts';

interface Flooded {
  /** The server's end of the connection, and what the stream has written to it. */
  readonly server: Socket;
  readonly got: Buffer[];
  readonly notices: StreamNotice[];
  /** Messages that were read. */
  read(): number;
  /** Names of checkpoints that were read. */
  readonly marks: string[];
  /** 20 ms of the legs. */
  frame(): void;
  until(isSo: () => boolean): Promise<void>;
  close(): Promise<void>;
}

interface FloodedOptions extends Partial<StreamOrder> {
  readonly isTls?: boolean;
  readonly closeMs?: number;
}

/** A connected stream, on the clock of the test. */
async function openStream(context: TestContext, options: FloodedOptions = {}): Promise<Flooded> {
  const { isTls = false, closeMs = 5000, ...more } = options;
  const got: Buffer[] = [];
  const connected = Promise.withResolvers<Socket>();
  const take = (socket: Socket): void => {
    upgrade(socket);
    socket.once('data', () => {
      socket.on('data', (bytes) => got.push(bytes));
      connected.resolve(socket);
    });
  };
  const raw = isTls
    ? await startRawServer(context, take, createTlsServer({ key: testKey, cert: testCertificate }, take))
    : await startRawServer(context, take);
  let now = 1_000_000_000_000;
  let hear = (_samples: Int16Array, _tracks: number): void => {};
  const marks: string[] = [];
  const openSource = ({ played }: { readonly played: (mark: string) => void }): OpenedStreamSource => ({
    put: () => true,
    mark(name) {
      marks.push(name);
      played(name);
      return true;
    },
    clear: () => [],
    pause() {},
    queuedMs: 0,
    mostMs: 60_000,
    playedMs: 0,
    replay() {},
    close() {},
  });
  const engine: Partial<EngineStreams> = {
    tap(_name, { take: heard }) {
      hear = heard;
      return true;
    },
    endTap() {
      hear = () => {};
    },
    watchKeys() {},
    openStreamSource: (_name, order) => openSource(order),
    openVirtualLeg: (_name, order) => openSource(order),
    census: () => ({ taps: 0, streamSources: 0 }),
  };
  const notices: StreamNotice[] = [];
  const streams = createWorkerStreams({
    engine: engine as EngineStreams,
    now: () => now,
    wallNow: () => now,
    notify: (some) => notices.push(...some),
    openNoiseCancellation: () => assert.fail('no stream asks for it'),
    limits: { closeMs },
    trust: testCertificate,
  });
  const order: StreamOrder = {
    stream: 's',
    call: 'c',
    account: 'MA',
    dialect: 'plivo',
    encoding: 'audio/x-mulaw',
    sampleRate: 8000,
    tracks: [{ name: 'inbound', said: ['a'], heard: [] }],
    bidirectional: true,
    hearers: ['a'],
    extraHeaders: '',
    stopFrame: false,
    keepLostMs: 0,
    ...more,
  };
  const target = targetOf(isTls ? { ...raw, url: raw.url.replace('ws:', 'wss:') } : raw, 60_000);
  streams.take({ type: 'stream', do: 'open', order });
  streams.take({ type: 'stream', do: 'connect', stream: 's', target });
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await turn();
  };
  const server = await connected.promise;
  await until(() => notices.some(({ type }) => type === 'stream-connected'));
  return {
    server,
    got,
    notices,
    read: () => streams.readCounters().framesReceived,
    marks,
    frame() {
      now += 20;
      hear(new Int16Array(160), 1);
    },
    until,
    close() {
      server.destroy();
      return streams.closeAll();
    },
  };
}

const text = (message: object): Buffer => rawFrame(opcode.text, JSON.stringify(message));
const checkpoint = (name: string): Buffer => text({ event: 'checkpoint', name });
const mark = (name: string): Buffer => text({ event: 'mark', mark: { name } });
const many = (frame: Buffer): Buffer => Buffer.concat(Array.from({ length: 1000 }, () => frame));
const room: FloodedOptions = {
  asLeg: 'program',
  hearers: [],
  tracks: [{ name: 'inbound', said: [], heard: ['program'] }],
};

const floods: readonly (readonly [kind: string, flood: Buffer, options?: FloodedOptions])[] = [
  ['clearAudio', many(text({ event: 'clearAudio' }))],
  ['clearAudio over TLS', many(text({ event: 'clearAudio' })), { isTls: true }],
  ['clearAudio of a program in a room', many(text({ event: 'clearAudio' })), room],
  ['clear of the twilio dialect', many(text({ event: 'clear' })), { dialect: 'twilio' }],
  ['empty messages', many(rawFrame(opcode.text))],
  ['pings', many(rawFrame(opcode.ping, 'are you there'))],
  ['pongs', many(rawFrame(opcode.pong))],
  [
    'fragments of one message',
    Buffer.concat([
      rawFrame(opcode.text, '{"event":', false),
      many(rawFrame(opcode.continuation, '', false)),
      rawFrame(opcode.continuation, '"clearAudio"}'),
    ]),
  ],
];

for (const [kind, flood, options = {}] of floods) {
  test(`64 frames of a WebSocket are read in 20 ms, and the others wait: ${kind}`, async (context) => {
    const stream = await openStream(context, options);
    const named = options.dialect === 'twilio' ? mark : checkpoint;
    stream.server.write(Buffer.concat([named('first'), flood, named('last')]));
    await stream.until(() => stream.marks.length > 0);
    assert.deepEqual(stream.marks, ['first']);
    let frames = 0;
    for (; stream.marks.length < 2; frames++) {
      stream.frame();
      await turn();
    }
    assert.deepEqual(stream.marks, ['first', 'last']);
    assert.ok(frames >= 15, `1,002 frames were read in ${frames} frames of the legs`);
    await stream.close();
  });
}

/** Reads so many messages, in as few frames of the legs as possible, and returns their number. */
async function readAll(stream: Flooded, messages: Buffer, count: number): Promise<number> {
  stream.server.write(messages);
  let frames = 1;
  for (let read = 64; read < count; read += 64, frames++) {
    await stream.until(() => stream.read() >= read);
    stream.frame();
  }
  await stream.until(() => stream.read() === count);
  return frames;
}

const reported = ({ notices }: Flooded): number =>
  notices.filter(({ type }) => type === 'stream-cleared' || type === 'stream-played').length;
const omitted = ({ notices }: Flooded): readonly number[] =>
  notices.flatMap((notice) => (notice.type === 'stream-notices-omitted' ? [notice.count] : []));

const causes: readonly (readonly [kind: string, cause: Buffer, options?: FloodedOptions])[] = [
  ['cleared audio', text({ event: 'clearAudio' })],
  ['checkpoints', checkpoint('again')],
  ['checkpoints of a program in a room', checkpoint('again'), room],
  ['marks of the twilio dialect', mark('again'), { dialect: 'twilio' }],
];

for (const [kind, cause, options = {}] of causes) {
  test(`twenty events of a second that the other side causes are reported, the others counted: ${kind}`, async (context) => {
    const stream = await openStream(context, options);
    const last = options.dialect === 'twilio' ? mark('last') : checkpoint('last');
    await readAll(stream, Buffer.concat([many(cause), last]), 1001);
    assert.deepEqual([reported(stream), omitted(stream)], [20, []]);
    for (let ms = 0; ms < 1000; ms += 20) stream.frame();
    await turn();
    assert.deepEqual([reported(stream), omitted(stream)], [20, [981]]);
    stream.server.write(cause);
    await stream.until(() => stream.read() === 1002);
    assert.deepEqual([reported(stream), omitted(stream)], [21, [981]]);
    await stream.close();
  });
}

test('a burst of 300 playAudio messages is accepted whole within 100 ms', async (context) => {
  const stream = await openStream(context);
  const payload = Buffer.alloc(60, 0xff).toString('base64');
  const play = text({ event: 'playAudio', media: { payload } });
  const burst = Buffer.concat([...Array.from({ length: 300 }, () => play), checkpoint('last')]);
  assert.equal(await readAll(stream, burst, 301), 5);
  assert.deepEqual(stream.marks, ['last']);
  assert.deepEqual(
    stream.notices.map(({ type }) => type),
    ['stream-connected', 'stream-played'],
  );
  await stream.close();
});

test('events that were counted only are reported before the loss of the connection', async (context) => {
  const stream = await openStream(context);
  await readAll(stream, Buffer.concat([many(text({ event: 'clearAudio' })), checkpoint('last')]), 1001);
  stream.server.write(rawFrame(opcode.close));
  const types = () => stream.notices.map(({ type }) => type);
  await stream.until(() => types().includes('stream-lost'));
  assert.deepEqual(types().slice(-2), ['stream-notices-omitted', 'stream-lost']);
  assert.deepEqual(omitted(stream), [981]);
  await stream.close();
});

test('pings that come faster than pongs leave are answered by that of the latest, and the connection stays', async (context) => {
  const stream = await openStream(context);
  stream.server.write(Buffer.concat([many(rawFrame(opcode.ping, 'old')), rawFrame(opcode.ping, 'latest')]));
  const pongs = () => readMasked(Buffer.concat(stream.got)).filter(({ code }) => code === opcode.pong);
  for (; pongs().at(-1)?.payload !== 'latest'; stream.frame()) await turn();
  assert.equal(pongs()[0]?.payload, 'old');
  assert.deepEqual(
    stream.notices.map(({ type }) => type),
    ['stream-connected'],
  );
  await stream.close();
});

test('a stream that closes reads on to the answer of its close frame, 64 frames in 20 ms', async (context) => {
  const stream = await openStream(context, { closeMs: 600_000 });
  const answer = rawFrame(opcode.close, '\x03\xe8');
  stream.server.write(Buffer.concat([text({ event: 'stop' }), many(rawFrame(opcode.pong)), answer]));
  await stream.until(() => stream.notices.some(({ type }) => type === 'stream-lost'));
  await stream.close();
});

test('a connection that was reset is not read to its end at once', async (context) => {
  const stream = await openStream(context);
  const flood = many(text({ event: 'clearAudio' }));
  stream.server.write(Buffer.concat([checkpoint('first'), flood, checkpoint('last')]));
  await stream.until(() => stream.marks.length > 0);
  stream.server.resetAndDestroy();
  await stream.until(() => stream.notices.some(({ type }) => type === 'stream-lost'));
  assert.deepEqual(stream.marks, ['first']);
  await stream.close();
});
