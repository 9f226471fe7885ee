import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { type CaptureMessage, toneLevel } from '@jackfield/media';
import type { MediaNotice } from '@jackfield/ports';
import { agreedWith, createPhone, type LoopbackPhone } from '../testing/loopback-phone.ts';
import { untilHears } from '../testing/until-hears.ts';
import { createMediaPool, type MediaPool } from './media-pool.ts';
import type { MediaPoolOptions } from './pool-workers.ts';

const onLinux = process.platform === 'linux' ? false : 'system calls are known for Linux';

async function start(context: TestContext, options: Partial<MediaPoolOptions> = {}): Promise<MediaPool> {
  const media = await createMediaPool({
    host: '127.0.0.1',
    ports: { first: 8600, last: 8799 },
    workers: 2,
    onFatal: (error) => assert.fail(error),
    ...options,
  });
  context.after(() => media.closeAll());
  return media;
}

async function phoneOf(
  context: TestContext,
  media: MediaPool,
  leg: string,
  hz: number,
  beside?: string,
): Promise<LoopbackPhone & { readonly enginePort: number }> {
  const { port } = await media.open(leg, undefined, beside);
  const phone = await createPhone(hz, port);
  context.after(() => phone.close());
  media.connect(leg, agreedWith(phone));
  return Object.assign(phone, { enginePort: port });
}

const everybody = (legs: readonly string[]) =>
  legs.map((leg) => ({ leg, hears: legs.filter((other) => other !== leg) }));

/** The worker that an RTP port belongs to, with two of them. */
const workerOf = ({ enginePort }: { readonly enginePort: number }) => (enginePort < 8700 ? 0 : 1);

const nothing = { legs: 0, mixes: 0, plays: 0, captures: 0, sockets: 0, ciphers: 0, streams: 0 };

async function assertNothingIsLeft(media: MediaPool): Promise<void> {
  const { legs, mixes, plays, captures, sockets, ciphers, streams } = await media.census();
  assert.deepEqual({ legs, mixes, plays, captures, sockets, ciphers, streams }, nothing);
}

test('legs alone are divided by weight, and a leg that is opened beside another one is in its worker', {
  skip: onLinux,
}, async (context) => {
  const media = await start(context);
  const a = await phoneOf(context, media, 'a', 700);
  const b = await phoneOf(context, media, 'b', 1200);
  const c = await phoneOf(context, media, 'c', 1900, 'b');
  assert.deepEqual([a, b, c].map(workerOf), [0, 1, 1]);
});

for (const sockets of ['native', 'dgram'] as const) {
  test(`legs of different workers hear each other in one room, from the ports that they had (${sockets})`, {
    skip: sockets === 'native' && onLinux,
  }, async (context) => {
    const media = await start(context, { sockets });
    const a = await phoneOf(context, media, 'a', 700);
    const b = await phoneOf(context, media, 'b', 1900);
    assert.deepEqual([a, b].map(workerOf), [0, 1]);
    media.send({ do: 'open-mix', mix: 'm' });
    media.send({ do: 'set-hearing', mix: 'm', members: everybody(['a', 'b']) });
    await Promise.all([untilHears(a, 1900), untilHears(b, 700)]);
    const stats = await media.stats();
    assert.deepEqual([stats.participants, stats.leaks, stats.network.sendErrors], [2, 0, 0]);

    // The room ends; each goes into a room of its own, with a third leg.
    media.send({ do: 'close-mix', mix: 'm' });
    const c = await phoneOf(context, media, 'c', 1200);
    media.send({ do: 'open-mix', mix: 'n' });
    media.send({ do: 'set-hearing', mix: 'n', members: everybody(['b', 'c']) });
    await Promise.all([untilHears(b, 1200), untilHears(c, 1900)]);
    media.send({ do: 'close-mix', mix: 'n' });
    const closed = await Promise.all(['a', 'b', 'c'].map((leg) => media.close(leg)));
    for (const { packetsSent, packetsReceived, strangersDropped } of closed) {
      assert.ok(packetsSent > 0 && packetsReceived > 0);
      assert.equal(strangersDropped, 0);
    }
    await assertNothingIsLeft(media);
    // Each worker has its ports back.
    const again = await Promise.all(Array.from({ length: 100 }, (_, n) => media.open(`again-${n}`)));
    assert.equal(new Set(again.map(({ port }) => port)).size, 100);
  });
}

test('the sound, the capture, the digits and the voice of a leg follow it into a room of another worker', {
  skip: onLinux,
}, async (context) => {
  const media = await start(context);
  const messages: CaptureMessage[] = [];
  const ended = Promise.withResolvers<void>();
  media.sendCapturesTo(() => {
    const { port1, port2 } = new MessageChannel();
    port2.on('message', (message: CaptureMessage) => {
      messages.push(message);
      if (message.type === 'ended') ended.resolve();
    });
    context.after(() => port2.close());
    return port1;
  });
  const notices: MediaNotice[] = [];
  const pressed = Promise.withResolvers<void>();
  media.subscribe((notice) => {
    notices.push(notice);
    if (notice.type === 'digit') pressed.resolve();
  });
  await phoneOf(context, media, 'a', 700);
  const b = await phoneOf(context, media, 'b', 1900);
  const sound = { kind: 'tone', frequencyHz: 1200, levelDb: -10 } as const;
  media.send({ do: 'open-mix', mix: 'play' });
  media.send({ do: 'play', mix: 'play', key: 'k', to: ['b'], sound, loop: true });
  media.send({ do: 'capture', capture: 'c', tracks: [{ said: ['b'], heard: ['b'] }] });
  await untilHears(b, 1200);
  media.send({ do: 'open-mix', mix: 'room' });
  media.send({ do: 'set-hearing', mix: 'room', members: everybody(['a']) });
  media.send({ do: 'set-hearing', mix: 'room', members: everybody(['a', 'b']) });
  media.send({ do: 'send-digits', leg: 'b', digits: '5' });
  await untilHears(b, 700, 1200);
  for (let packet = 0; packet < 3; packet++) b.sendPayload(101, Uint8Array.of(7, 0x8a, 3, 0x20));
  await pressed.promise;
  media.send({ do: 'end-capture', capture: 'c' });
  await ended.promise;
  assert.deepEqual(b.keys, [5]);
  assert.deepEqual(notices, [{ type: 'digit', leg: 'b', digit: '7', durationMs: 100 }]);
  assert.ok(messages.length > 1 && messages.at(-1)!.type === 'ended');
  media.send({ do: 'stop-play', mix: 'play', key: 'k' });
  for (const mix of ['play', 'room']) media.send({ do: 'close-mix', mix });
  await Promise.all([media.close('a'), media.close('b')]);
  await assertNothingIsLeft(media);
});

test('a room whose members come and go stays in one worker; a close that crosses a move leaves nothing', {
  skip: onLinux,
}, async (context) => {
  const media = await start(context, { workers: 3 });
  const legs = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(legs.map((leg) => media.open(leg)));
  media.send({ do: 'open-mix', mix: 'm' });
  media.send({ do: 'open-mix', mix: 'n' });
  for (let turn = 0; turn < 20; turn++) {
    const [some, others] = [legs.slice(0, turn % 7), legs.slice(turn % 7)];
    media.send({ do: 'set-hearing', mix: 'm', members: everybody(some) });
    media.send({ do: 'set-hearing', mix: 'n', members: everybody(others) });
    if (turn % 3 === 0) await media.census();
  }
  const closing = Promise.all(legs.map((leg) => media.close(leg)));
  media.send({ do: 'close-mix', mix: 'm' });
  media.send({ do: 'close-mix', mix: 'n' });
  await closing;
  await assertNothingIsLeft(media);
  assert.deepEqual(
    media.workerLoads().map(([, load]) => load),
    [0, 0, 0],
  );
});

test('a leg is opened in another worker if its own has no port left', {
  skip: onLinux,
}, async (context) => {
  const media = await start(context, { ports: { first: 8800, last: 8807 } });
  await media.open('a');
  await Promise.all(['b', 'c', 'd'].map((leg) => media.open(leg, undefined, 'a')));
  assert.equal(media.portLoad, 1);
  await assert.rejects(media.open('e', undefined, 'a'), { code: 'NO_PORT_LEFT' });
  await media.close('d');
  assert.equal(media.portLoad, 1, 'one pair is too few for two phones');
  await media.close('c');
  assert.equal(media.portLoad, 0.5);
  assert.equal((await media.census()).legs, 2);
});

test('the death of a worker ends only its legs; its successor has its ports, and no descriptor is left', {
  skip: onLinux,
}, async (context) => {
  const lost: string[] = [];
  const died = Promise.withResolvers<void>();
  const media = await start(context, { onWorkerDeath: () => died.resolve() });
  await media.loadClip('voice', { sampleRate: 8000, samples: new Int16Array(8000).fill(1000) });
  media.subscribe((notice) => {
    if (notice.type === 'media-lost') lost.push(notice.leg);
  });
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const before = descriptors();
  const a = await phoneOf(context, media, 'a', 700);
  const b = await phoneOf(context, media, 'b', 1900);
  // Its port belongs to the worker that dies, and its leg lives in the other one.
  const c = await phoneOf(context, media, 'c', 1200);
  await phoneOf(context, media, 'd', 1200, 'a');
  assert.deepEqual([a, b, c].map(workerOf), [0, 1, 0]);
  media.send({ do: 'open-mix', mix: 'm' });
  media.send({ do: 'set-hearing', mix: 'm', members: everybody(['b']) });
  media.send({ do: 'set-hearing', mix: 'm', members: everybody(['b', 'c']) });
  await untilHears(b, 1200);
  const { ticks } = (await media.stats()).ticks;

  media.kill(0);
  await died.promise;
  assert.deepEqual(lost.sort(), ['a', 'd']);
  await Promise.all([untilHears(b, 1200), untilHears(c, 1900)]);
  assert.equal((await media.close('a')).packetsReceived, 0);
  await media.restarted();
  const e = await phoneOf(context, media, 'e', 700);
  assert.equal(workerOf(e), 0);
  const sound = { kind: 'clip', name: 'voice' } as const;
  media.send({ do: 'open-mix', mix: 'p' });
  media.send({ do: 'play', mix: 'p', key: 'k', to: ['e'], sound, loop: true });
  media.send({ do: 'set-hearing', mix: 'm', members: everybody(['b', 'c', 'e']) });
  await untilHears(b, 700, 1200);
  assert.ok((await media.stats()).ticks.ticks >= ticks, 'no total falls');
  assert.equal(media.deaths, 1);
  for (const mix of ['m', 'p']) media.send({ do: 'close-mix', mix });
  await Promise.all(['b', 'c', 'd', 'e'].map((leg) => media.close(leg)));
  await assertNothingIsLeft(media);
  // Three phones were opened before and one after; the fifth socket is that of d.
  assert.ok(descriptors() <= before + 5, `${before} descriptors before, ${descriptors()} after`);
});

/** A part of a text: 0.3 s of a tone of its own. */
const parts = [500, 800, 1100, 1400, 1700, 2000];
const part = (at: number) => ({
  sampleRate: 16_000,
  samples: Int16Array.from(
    { length: 4_800 },
    (_, n) => 8_000 * Math.sin((2 * Math.PI * parts[at]! * n) / 16_000),
  ),
});

async function untilHeard(phone: LoopbackPhone, hz: number): Promise<boolean> {
  for (let frames = 0; frames < 250; frames++) {
    if (toneLevel(await phone.hear(1), 8000, hz) > -20) return true;
  }
  return false;
}

/** Milliseconds of each part that it hears from now on, until the last part is over. */
async function partsHeardBy(phone: LoopbackPhone): Promise<readonly number[]> {
  const heard = parts.map(() => 0);
  for (let frames = 0; frames < 1_000; frames++) {
    const frame = await phone.hear(1);
    const at = parts.findIndex((hz) => toneLevel(frame, 8000, hz) > -20);
    if (at >= 0) heard[at]! += 20;
    else if (heard.at(-1)! > 0) break;
  }
  return heard;
}

test('a clip that grows is heard whole in its worker while another worker dies within it, and later in the successor', {
  skip: onLinux,
}, async (context) => {
  const died = Promise.withResolvers<void>();
  const media = await start(context, { onWorkerDeath: () => died.resolve() });
  const a = await phoneOf(context, media, 'a', 700);
  const b = await phoneOf(context, media, 'b', 700);
  assert.deepEqual([a, b].map(workerOf), [0, 1]);
  const sound = { kind: 'clip', name: 'text' } as const;
  const play = (leg: string) => {
    media.send({ do: 'open-mix', mix: `of ${leg}` });
    media.send({ do: 'play', mix: `of ${leg}`, key: 'k', to: [leg], sound, loop: false });
  };
  await media.growClip('text', part(0), false);
  const [heardByA, heardByB] = [untilHeard(a, parts[0]!), partsHeardBy(b)];
  for (const leg of ['a', 'b']) play(leg);
  assert.ok(await heardByA, 'the other worker has the first part as well');
  const onItsWay = media.growClip('text', part(1), false);
  media.kill(0);
  await onItsWay;
  await media.growClip('text', part(2), false);
  await died.promise;
  await media.growClip('text', part(3), false);
  await media.restarted();
  await media.growClip('text', part(4), false);
  await media.growClip('text', part(5), true);
  const whole = (heard: readonly number[]) => heard.every((ms) => Math.abs(ms - 300) <= 40);
  const inB = await heardByB;
  assert.ok(whole(inB), `${inB}`);
  const e = await phoneOf(context, media, 'e', 700);
  assert.equal(workerOf(e), 0);
  const heardByE = partsHeardBy(e);
  play('e');
  const inE = await heardByE;
  assert.ok(whole(inE), `${inE}`);
  for (const leg of ['a', 'b', 'e']) media.send({ do: 'close-mix', mix: `of ${leg}` });
  media.dropClip('text');
  await Promise.all(['b', 'e'].map((leg) => media.close(leg)));
  await assertNothingIsLeft(media);
});

test('a clip is loaded although one worker dies meanwhile; a clip that fits into no worker is refused', {
  skip: onLinux,
}, async (context) => {
  const died = Promise.withResolvers<void>();
  const media = await start(context, { onWorkerDeath: () => died.resolve() });
  const loading = media.loadClip('text', part(0));
  media.kill(1);
  await loading;
  await died.promise;
  await media.restarted();
  media.dropClip('text');
  const huge = { sampleRate: 8_000, samples: new Int16Array(60_000_000) };
  await assert.rejects(media.loadClip('huge', huge), /does not fit/);
  await assert.rejects(media.growClip('huge', huge, false), /does not fit/);
  media.dropClip('huge');
});

test('a worker that ends before it runs rejects the start of the pool with its reason, and does not count as a death', async () => {
  const onWorkerDeath = () => assert.fail('no worker ran');
  const options = { host: '127.0.0.1', ports: { first: 8600, last: 8799 }, workers: 2, onWorkerDeath };
  await assert.rejects(createMediaPool({ ...options, rtpSources: ['no network'] }), /no network/);
});
