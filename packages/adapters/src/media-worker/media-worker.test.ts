import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { MessageChannel } from 'node:worker_threads';
import { type CaptureMessage, toneLevel } from '@jackfield/media';
import type { MediaNotice } from '@jackfield/ports';
import { createMediaWorker, type MediaWorker, type MediaWorkerOptions } from './media-worker.ts';
import { agreedWith, createPhone, type LoopbackPhone } from './testing/loopback-phone.ts';
import { untilHears } from './testing/until-hears.ts';
import type { ThreadPriority } from './thread-priority.ts';

async function start(context: TestContext, options: Partial<MediaWorkerOptions> = {}): Promise<MediaWorker> {
  const media = await createMediaWorker({
    host: '127.0.0.1',
    ports: { first: 8000, last: 8199 },
    ...options,
  });
  context.after(() => media.closeAll());
  return media;
}

for (const sockets of ['dgram', 'native'] as const) {
  const skip =
    sockets === 'native' && process.platform !== 'linux' ? 'system calls are known for Linux' : false;
  test(`two phones hear each other, and not themselves, through the thread (${sockets})`, {
    skip,
  }, async (context) => {
    const media = await start(context, { sockets });
    const notices: MediaNotice[] = [];
    const pressed = Promise.withResolvers<void>();
    media.subscribe((notice) => {
      notices.push(notice);
      if (notice.type === 'digit') pressed.resolve();
    });
    const phones: LoopbackPhone[] = [];
    for (const [leg, hz] of [
      ['a', 700],
      ['b', 1900],
    ] as const) {
      const { port } = await media.open(leg);
      const phone = await createPhone(hz, port);
      context.after(() => phone.close());
      media.connect(leg, agreedWith(phone));
      phones.push(phone);
    }
    const [a, b] = phones as [LoopbackPhone, LoopbackPhone];
    media.send({ do: 'open-mix', mix: 'm' });
    media.send({
      do: 'set-hearing',
      mix: 'm',
      members: [
        { leg: 'a', hears: ['b'] },
        { leg: 'b', hears: ['a'] },
      ],
    });
    await Promise.all([untilHears(a, 1900), untilHears(b, 700)]);

    await media.loadClip('voice', {
      sampleRate: 22_050,
      samples: Int16Array.from(
        { length: 22_050 },
        (_, n) => 8000 * Math.sin((2 * Math.PI * 1200 * n) / 22_050),
      ),
    });
    const sound = { kind: 'clip', name: 'voice' } as const;
    media.send({ do: 'play', mix: 'm', key: 'k', to: ['a'], sound, loop: true });
    await untilHears(a, 1200, 1900);

    for (let packet = 0; packet < 3; packet++) a.sendPayload(101, Uint8Array.of(7, 0x8a, 3, 0x20));
    await pressed.promise;
    assert.deepEqual(notices, [{ type: 'digit', leg: 'a', digit: '7', durationMs: 100 }]);

    const { legs, mixes, sockets: open } = await media.census();
    assert.deepEqual([legs, mixes, open], [2, 1, 4]);
    const stats = await media.stats();
    assert.deepEqual([stats.participants, stats.leaks, stats.network.sendErrors], [2, 0, 0]);
    // A phone that was late has sent fewer packets than it has heard.
    while ((await media.measure(['a']))[0]!.packetsReceived <= 40) await a.hear(1);
    assert.equal((await media.measure(['a', 'x']))[1], undefined);
    const statistics = await media.close('a');
    assert.ok(
      statistics.packetsSent > 40 && statistics.packetsReceived > 40 && statistics.digitsReceived === 1,
    );
    assert.equal((await media.close('a')).packetsSent, 0);
    await media.close('b');
    media.send({ do: 'close-mix', mix: 'm' });
    media.dropClip('voice');
    assert.deepEqual(await media.census(), {
      legs: 0,
      mixes: 0,
      plays: 0,
      clips: 0,
      audiences: 0,
      captures: 0,
      sockets: 0,
      ciphers: 0,
      sources: 0,
      handshakes: 0,
      connections: 0,
      streams: 0,
      streamSockets: 0,
      taps: 0,
      streamSources: 0,
    });
  });
}

test('a thread with legs has the best priority, which it reports once; without legs it is scheduled as all others', {
  skip: process.platform === 'linux' ? false : 'priorities of threads are known for Linux',
}, async (context) => {
  const obtained: ThreadPriority[] = [];
  const reported = Promise.withResolvers<void>();
  const before = new Set(readdirSync('/proc/self/task'));
  const media = await start(context, {
    priority: 'best',
    onPriority(priority) {
      obtained.push(priority);
      reported.resolve();
    },
  });
  await reported.promise;
  const thread = readdirSync('/proc/self/task').find((id) => !before.has(id) && nameOf(id) === 'media')!;
  // An answer of the thread comes between its ticks.
  while (!isDeepStrictEqual(schedulingOf(thread), ['SCHED_OTHER', 0])) await media.census();
  const expected = {
    'real-time': ['SCHED_FIFO', 0],
    raised: ['SCHED_OTHER', -10],
    'others-lowered': ['SCHED_OTHER', 0],
    normal: undefined,
  };
  for (const leg of ['a', 'b']) {
    await media.open(leg);
    assert.deepEqual(schedulingOf(thread), expected[obtained[0]!]);
    await media.close(leg);
    while (!isDeepStrictEqual(schedulingOf(thread), ['SCHED_OTHER', 0])) await media.census();
  }
  assert.equal(obtained.length, 1);
});

const nameOf = (thread: string) => readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trim();

/** Class and nice value: proc(5), fields 41 and 19 of `stat`, of which two stand before the parenthesis. */
function schedulingOf(thread: string): readonly [scheduling: string, nice: number] {
  const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [fields[38] === '1' ? 'SCHED_FIFO' : 'SCHED_OTHER', Number(fields[16])];
}

test('captured audio is sent to its port in chunks, then its end; audio from before the port is dropped', async (context) => {
  const media = await start(context, { ports: { first: 8206, last: 8209 } });
  const { port } = await media.open('a');
  const phone = await createPhone(700, port);
  context.after(() => phone.close());
  media.connect('a', agreedWith(phone));
  const capture = (name: string): void =>
    media.send({
      do: 'capture',
      capture: name,
      tracks: [
        { said: ['a'], heard: [] },
        { said: [], heard: ['a'] },
      ],
    });
  capture('early');
  media.send({ do: 'end-capture', capture: 'early' });
  const former = new MessageChannel();
  media.sendCapturesTo(former.port1);
  const formerClosed = once(former.port2, 'close');
  const { port1, port2 } = new MessageChannel();
  media.sendCapturesTo(port1);
  await formerClosed;
  const messages: CaptureMessage[] = [];
  /** Of half a second each: on a busy machine the phone is late with its packets, and gaps make its tone fainter. */
  const most = 20;
  const saysTone = (message: CaptureMessage): boolean =>
    message.type === 'audio' &&
    toneLevel(
      message.samples.filter((_, at) => at % 2 === 0),
      8000,
      700,
    ) > -15;
  let isEnding = false;
  const ended = Promise.withResolvers<void>();
  port2.on('message', (message: CaptureMessage) => {
    messages.push(message);
    const isEnough = messages.length === most || (messages.length > 1 && saysTone(message));
    if (isEnough && !isEnding) media.send({ do: 'end-capture', capture: 'c' });
    isEnding ||= isEnough;
    if (message.type === 'ended') ended.resolve();
  });
  await phone.hear(5);
  capture('c');
  await ended.promise;
  assert.equal((await media.census()).captures, 0);
  assert.ok(messages.every((message) => message.capture === 'c'));
  assert.equal(messages.at(-1)!.type, 'ended');
  const [first, ...others] = messages;
  assert.ok(first?.type === 'audio');
  assert.deepEqual([first.tracks, first.sampleRate, first.samples.length], [2, 8000, 8000]);
  assert.ok(others.some(saysTone));
  for (const message of others)
    assert.ok(
      message.type === 'ended' || message.samples.every((sample, at) => at % 2 === 0 || sample === 0),
    );
  // The end of the thread ends everything that runs, and closes the port.
  capture('d');
  await media.census();
  const closed = once(port2, 'close');
  await media.closeAll();
  await closed;
  assert.deepEqual(messages.at(-1), { type: 'ended', capture: 'd' });
});

test('a clip that is dropped leaves no memory in the thread, which collects nothing while it only ticks', async (context) => {
  const media = await start(context, { ports: { first: 8206, last: 8207 } });
  const held = (): number => process.memoryUsage.rss() / 2 ** 20;
  const load = (): Promise<void> =>
    media.loadClip('long', { sampleRate: 8000, samples: new Int16Array(40_000_000).fill(1) });
  const before = held();
  await load();
  await load();
  media.send({ do: 'open-mix', mix: 'm' });
  media.dropClip('long');
  await media.census();
  // This thread's share of them, 76 MB each, is freed by its garbage collector.
  assert.ok(held() - before < 2 * 77 + 40, `${Math.round(held() - before)} MB`);
});

test('open rejects when no port is left and when the name is open; a close that crosses an open leaves nothing', async (context) => {
  const media = await start(context, { ports: { first: 8200, last: 8203 } });
  await media.open('a');
  await assert.rejects(media.open('a'), /is open/);
  const opening = media.open('b');
  const closing = media.close('b');
  await Promise.all([opening, closing]);
  await media.open('c');
  await assert.rejects(media.open('d'), { code: 'NO_PORT_LEFT' });
  assert.deepEqual([(await media.census()).legs, (await media.census()).sockets], [2, 4]);
  await assert.rejects(media.loadClip('x', { sampleRate: 0, samples: new Int16Array(9) }), /sample rate/);
});

test('after closeAll every request is refused at once, and closing again has no effect', async () => {
  const media = await createMediaWorker({ host: '127.0.0.1', ports: { first: 8204, last: 8205 } });
  await media.open('a');
  await media.closeAll();
  await media.closeAll();
  await assert.rejects(media.open('b'));
  media.send({ do: 'open-mix', mix: 'm' });
});

test('a leg with SRTP holds ciphers outside the heap until it is closed, whatever keys it has used', async (context) => {
  const media = await start(context);
  const { port } = await media.open('a');
  const phone = await createPhone(700, port);
  const key = (bytes: number, value: number) => new Uint8Array(bytes).fill(value);
  for (const [suite, bytes] of [
    ['AES_CM_128_HMAC_SHA1_80', 30],
    ['AEAD_AES_128_GCM', 28],
    ['AEAD_AES_256_GCM', 44],
  ] as const) {
    const protection = { by: 'sdes', suite, sendKey: key(bytes, 1), receiveKey: key(bytes, 2) } as const;
    media.connect('a', { ...agreedWith(phone), protection });
  }
  const { ciphers } = await media.census();
  // Two directions: four ciphers each for counter mode, two for GCM; none where the garbage collector frees them.
  assert.ok(ciphers === 16 || ciphers === 0, `${ciphers}`);
  assert.equal((await media.close('a')).protection, 'AEAD_AES_256_GCM');
  assert.equal((await media.census()).ciphers, 0);
  phone.close();
});
