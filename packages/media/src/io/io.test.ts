import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
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

test('RTP uses an even port and RTCP the next one; a full range is refused; closed ports can be bound again; sent bytes may be reused', async () => {
  const received: string[] = [];
  const packetsArrived = Promise.withResolvers<void>();
  const sockets = openDgramSockets({
    host: '127.0.0.1',
    ports: { first: 8950, last: 8953 },
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
  const packet = Uint8Array.of(9, 9, 9);
  sockets.send(7, packet, 2, '127.0.0.1', phone.address().port);
  packet.fill(0);
  const [bytes, from] = (await answer) as [Uint8Array, { port: number }];
  assert.deepEqual([...bytes, from.port], [9, 9, port]);
  const report = once(phone, 'message');
  packet.fill(8);
  sockets.sendReport(7, packet, 1, '127.0.0.1', phone.address().port);
  packet.fill(0);
  assert.deepEqual([...((await report) as [Uint8Array])[0]], [8]);
  await sockets.close(7);
  await sockets.close(7);
  assert.equal(await sockets.open(9), port);
  await Promise.all([sockets.close(8), sockets.close(9)]);
  assert.equal(sockets.counters.sockets, 0);
  phone.close();
});

/** Time that passes only inside `pass`, a millisecond at a time, for a loop and its timers. */
function virtualTime(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] });
  let nowMs = 0;
  return {
    now: () => nowMs,
    /** As when the machine is suspended: no timer runs meanwhile. */
    stall(ms: number): void {
      nowMs += ms;
    },
    pass(ms: number): void {
      for (let passed = 0; passed < ms; passed++) {
        nowMs++;
        t.mock.timers.tick(1);
      }
    },
  };
}

test('ticks are due at start + n · interval, and a long stall restarts the schedule', (t) => {
  const time = virtualTime(t);
  const ticks: [atMs: number, skipped: number][] = [];
  const loop = createTickLoop({
    intervalMs: 5,
    pollsPerTick: 0,
    now: time.now,
    poll: () => {},
    tick: (nowMs, skipped) => ticks.push([nowMs, skipped]),
  });
  loop.start();
  time.pass(25);
  time.stall(1000);
  time.pass(25);
  loop.stop();
  time.pass(25);
  // The sixth is due at 30 ms and comes 1,000 ms later: 200 intervals are skipped, and the schedule goes on from there.
  const before = [5, 10, 15, 20, 25].map((ms) => [ms, 0]);
  const after = [1035, 1040, 1045, 1050].map((ms) => [ms, 0]);
  assert.deepEqual(ticks, [...before, [1030, 200], ...after]);
  const { rebased, skipped } = loop.stats();
  assert.deepEqual([rebased, skipped], [1, 200]);
});

test('with several ticks per frame, a stall skips whole frames, so that every leg loses the same number', (t) => {
  const time = virtualTime(t);
  let ticks = 0;
  const skips: number[] = [];
  const loop = createTickLoop({
    intervalMs: 2.5,
    ticksPerFrame: 8,
    pollsPerTick: 0,
    now: time.now,
    poll: () => {},
    tick(_, skipped) {
      if (skipped > 0) skips.push(skipped);
      ticks++;
    },
  });
  loop.start();
  time.pass(13);
  assert.equal(ticks, 5);
  // The loop catches up two frames tick by tick, but not fifty.
  time.stall(50);
  time.pass(87);
  assert.equal(ticks, 60);
  assert.deepEqual(skips, []);
  time.stall(1000);
  time.pass(150);
  loop.stop();
  const { rebased, skipped } = loop.stats();
  assert.deepEqual([ticks, skips, rebased, skipped], [120, [50], 1, 400]);
});

test('an idle loop has no ticks; after a wake the schedule continues on its grid, and nothing counts as late or skipped', (t) => {
  const time = virtualTime(t);
  let isIdle = false;
  const ticks: number[] = [];
  const rests: number[] = [];
  const resting: boolean[] = [];
  const loop = createTickLoop({
    intervalMs: 2.5,
    ticksPerFrame: 8,
    pollsPerTick: 0,
    now: time.now,
    poll: () => {},
    isIdle: () => isIdle,
    rested: (frames) => rests.push(frames),
    resting: (isResting) => resting.push(isResting),
    tick(nowMs) {
      ticks.push(nowMs);
      if (ticks.length === 3) isIdle = true;
    },
  });
  loop.start();
  time.pass(60_000);
  assert.equal(ticks.length, 3);
  assert.deepEqual(resting, [false, true]);
  isIdle = false;
  loop.wake();
  loop.wake();
  assert.equal(ticks.length, 3);
  time.pass(30);
  loop.stop();
  // Due every 2.5 ms, on a clock of whole milliseconds; 3,000 frames of 20 ms are left out.
  assert.deepEqual(ticks, [3, 5, 8, 60_010, 60_013, 60_015, 60_018, 60_020, 60_023, 60_025, 60_028, 60_030]);
  const { rebased, skipped, lateness } = loop.stats();
  assert.deepEqual([rests, rebased, skipped, lateness.maxMs], [[3000], 0, 0, 0.5]);
  assert.deepEqual(resting, [false, true, false]);
});

test('a loop that can wait needs no timers: ticks are not early, and work of the event loop comes first', async () => {
  let nowMs = 0;
  const at: number[] = [];
  const order: string[] = [];
  const done = Promise.withResolvers<void>();
  const loop = createTickLoop({
    intervalMs: 5,
    pollsPerTick: 0,
    now: () => nowMs,
    poll: () => {},
    wait: {
      untilWork(ms) {
        if (at.length === 3 && order.length === 0) {
          order.push('wait');
          setImmediate(() => order.push('event loop'));
          return true;
        }
        nowMs += ms;
        return false;
      },
      pause(ms) {
        nowMs += ms;
      },
    },
    tick(atMs) {
      at.push(atMs);
      if (at.length === 4) order.push('tick');
      if (at.length === 6) done.resolve();
    },
  });
  loop.start();
  await done.promise;
  loop.stop();
  assert.deepEqual(order, ['wait', 'event loop', 'tick']);
  assert.deepEqual(at, [5, 10, 15, 20, 25, 30]);
});

test('a loop whose event loop has work again and again pauses between its turns, and no tick is late', async () => {
  let nowMs = 0;
  let turns = 0;
  const at: number[] = [];
  const done = Promise.withResolvers<void>();
  const loop = createTickLoop({
    intervalMs: 2.5,
    pollsPerTick: 0,
    now: () => nowMs,
    poll: () => {},
    wait: {
      untilWork() {
        turns++;
        nowMs += 0.03125;
        return true;
      },
      pause(ms) {
        nowMs += ms;
      },
    },
    tick(atMs) {
      at.push(atMs);
      if (at.length === 8) done.resolve();
    },
  });
  loop.start();
  await done.promise;
  loop.stop();
  // Each turn works for 31 µs and pauses for 250; only the first one follows no other.
  assert.equal(turns, 1 + 8 * 8);
  assert.ok(loop.stats().lateness.maxMs < 0.032, `${loop.stats().lateness.maxMs} ms`);
  assert.equal(Math.floor(at.at(-1)!), 20);
});
