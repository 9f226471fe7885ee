import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { openDgramSockets } from './dgram-sockets.ts';
import { createLateness } from './lateness.ts';
import { NoPortLeftError } from './leg-sockets.ts';
import { createPortRange } from './port-range.ts';
import { createTickLoop } from './tick-loop.ts';

test('a port range assigns even ports in turn, none twice, and reuses a released port last', () => {
  const range = createPortRange(40001, 40007);
  assert.equal(range.pairs, 3);
  assert.deepEqual([range.take(), range.take()], [40002, 40004]);
  range.release(40002);
  assert.deepEqual([range.take(), range.take(), range.take()], [40006, 40002, undefined]);
  assert.throws(() => createPortRange(40001, 40002), RangeError);
  assert.throws(() => createPortRange(70000, 80000), RangeError);
});

test('the lateness histogram has quantiles within a step and the exact maximum', () => {
  const lateness = createLateness();
  const { upTo: none, ...empty } = lateness.summary();
  assert.deepEqual(empty, { count: 0, p50Ms: 0, p99Ms: 0, maxMs: 0, sumMs: 0 });
  assert.ok(none.every(({ count }) => count === 0));
  for (let k = 1; k <= 100; k++) lateness.record(k / 10);
  lateness.record(999);
  const { p50Ms, p99Ms, maxMs, sumMs, upTo } = lateness.summary();
  assert.ok(Math.abs(sumMs - 1504) < 0.001);
  // A duration on a bound counts in the next step: 0.1 to 4.9 ms are 49, 0.1 to 9.9 ms are 99.
  const counts = Object.fromEntries(upTo.map(({ ms, count }) => [ms, count]));
  assert.deepEqual([counts[5], counts[10], counts[20], counts[200]], [49, 99, 100, 100]);
  assert.ok(Math.abs(p50Ms - 5.1) < 0.11 && Math.abs(p99Ms - 10.0) < 0.11 && maxMs === 999);
});

test('RTP uses an even port and RTCP the next one; a full range is refused; closed ports can be bound again', async () => {
  const received: string[] = [];
  const packetsArrived = Promise.withResolvers<void>();
  const sockets = openDgramSockets({
    host: '127.0.0.1',
    ports: { first: 39100, last: 39103 },
    receive: (leg, bytes, length, address) =>
      received.push(`${leg} ${address} ${[...bytes.subarray(0, length)]}`),
    receiveReport: (leg, _bytes, length) => {
      received.push(`${leg} report ${length}`);
      packetsArrived.resolve();
    },
  });
  const port = await sockets.open(7);
  assert.equal(port % 2, 0);
  await sockets.open(8);
  await assert.rejects(sockets.open(9), NoPortLeftError);
  const phone = createSocket('udp4');
  phone.bind(0, '127.0.0.1');
  await once(phone, 'listening');
  phone.send(Uint8Array.of(1, 2), port, '127.0.0.1', () => phone.send('abc', port + 1, '127.0.0.1'));
  await packetsArrived.promise;
  assert.deepEqual(received, ['7 127.0.0.1 1,2', '7 report 3']);
  const answer = once(phone, 'message');
  sockets.send(7, Uint8Array.of(9, 9, 9), 2, '127.0.0.1', phone.address().port);
  const [bytes, from] = (await answer) as [Uint8Array, { port: number }];
  assert.deepEqual([bytes.length, from.port], [2, port]);
  await sockets.close(7);
  await sockets.close(7);
  assert.equal(await sockets.open(9), port);
  await Promise.all([sockets.close(8), sockets.close(9)]);
  assert.equal(sockets.counters.sockets, 0);
  phone.close();
});

test('ticks are due at start + n · interval, and a long stall restarts the schedule', async () => {
  let offset = 0;
  const at: number[] = [];
  const skips: number[] = [];
  const done = Promise.withResolvers<void>();
  const loop = createTickLoop({
    intervalMs: 5,
    pollsPerTick: 0,
    now: () => performance.now() + offset,
    poll: () => {},
    tick(nowMs, skipped) {
      at.push(nowMs);
      skips.push(skipped);
      if (at.length === 5) offset = 1000;
      if (at.length === 10) done.resolve();
    },
  });
  const start = performance.now();
  loop.start();
  await done.promise;
  loop.stop();
  assert.ok(at[4]! - start >= 25);
  const total = skips.reduce((sum, skipped) => sum + skipped, 0);
  // The machine may stall too, which only adds skips: the tested stall is the one of 1,000 ms.
  assert.ok(skips[5]! >= 195, `${skips}`);
  // At least ten intervals after the start, with the skipped ones: no tick was early, although the first may be late.
  assert.ok(at[9]! - start >= (10 + total) * 5 - 1 - 5, `${at.map((ms) => ms - start)}; skipped: ${skips}`);
  assert.equal(loop.stats().rebased, skips.filter((skipped) => skipped > 0).length);
});

test('with several ticks per frame, a stall skips whole frames, so that every leg loses the same number', async () => {
  let offset = 0;
  let ticks = 0;
  const skips: number[] = [];
  const done = Promise.withResolvers<void>();
  const loop = createTickLoop({
    intervalMs: 2.5,
    ticksPerFrame: 8,
    pollsPerTick: 0,
    now: () => performance.now() + offset,
    poll: () => {},
    tick(_, skipped) {
      if (skipped > 0) skips.push(skipped);
      ticks++;
      // The loop catches up two frames tick by tick, but not fifty.
      if (ticks === 5) offset += 50;
      if (ticks === 60) offset += 1000;
      if (ticks === 120) done.resolve();
    },
  });
  loop.start();
  await done.promise;
  loop.stop();
  const { rebased, skipped } = loop.stats();
  assert.equal(rebased, 1);
  assert.ok(skips.length === 1 && skips[0]! >= 49 && skips[0]! <= 56, `${skips}`);
  assert.equal(skipped, skips[0]! * 8);
});

test('an idle loop has no ticks; after a wake the schedule continues on its grid, and nothing counts as late or skipped', async () => {
  let offset = 0;
  let isIdle = false;
  let ticks = 0;
  const rests: number[] = [];
  let reached = Promise.withResolvers<void>();
  const loop = createTickLoop({
    intervalMs: 2.5,
    ticksPerFrame: 8,
    pollsPerTick: 0,
    now: () => performance.now() + offset,
    poll: () => {},
    isIdle: () => isIdle,
    rested: (frames) => rests.push(frames),
    tick() {
      ticks++;
      if (ticks === 3) isIdle = true;
      if (ticks === 3 || ticks === 12) reached.resolve();
    },
  });
  loop.start();
  await reached.promise;
  offset = 60_000;
  reached = Promise.withResolvers<void>();
  isIdle = false;
  loop.wake();
  loop.wake();
  assert.equal(ticks, 3);
  await reached.promise;
  loop.stop();
  assert.ok(rests.length === 1 && rests[0]! >= 3000 && rests[0]! <= 3100, `${rests}`);
  const { rebased, skipped } = loop.stats();
  assert.deepEqual([rebased, skipped], [0, 0]);
});

test('a loop that can wait needs no timers: ticks are not early, and work of the event loop comes first', async () => {
  const start = performance.now();
  const at: number[] = [];
  const order: string[] = [];
  const done = Promise.withResolvers<void>();
  const loop = createTickLoop({
    intervalMs: 5,
    pollsPerTick: 0,
    now: () => performance.now(),
    poll: () => {},
    wait(ms) {
      if (at.length === 3 && order.length === 0) {
        order.push('wait');
        setImmediate(() => order.push('event loop'));
        return true;
      }
      const end = performance.now() + ms;
      while (performance.now() < end);
      return false;
    },
    tick(nowMs) {
      at.push(nowMs - start);
      if (at.length === 4) order.push('tick');
      if (at.length === 6) done.resolve();
    },
  });
  loop.start();
  await done.promise;
  loop.stop();
  assert.deepEqual(order, ['wait', 'event loop', 'tick']);
  assert.ok(
    at.every((ms, index) => ms >= (index + 1) * 5),
    `${at}`,
  );
});
