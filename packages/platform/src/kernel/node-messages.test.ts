import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Bus, BusError, type Clock } from '@jackfield/ports';
import { createMemoryBuses, createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { createNodeMessages } from './node-messages.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);
const noReceiver = { name: 'BusError', code: 'bus-no-receiver' };
const noAnswer = { name: 'BusError', code: 'bus-no-answer' };

const deadlineMs = 5_000;
const aDayMs = 86_400_000;

/** Two nodes whose clocks differ by a day, and what the second one has carried out. */
function twoNodes(changed: { readonly one?: (bus: Bus) => Bus; readonly two?: (bus: Bus) => Bus } = {}) {
  const clock = createVirtualClock();
  const log = createRecordingLog();
  const same = (bus: Bus): Bus => bus;
  const { one: ofOne = same, two: ofTwo = same } = changed;
  const buses = createMemoryBuses(clock);
  const ahead: Clock = {
    now: () => clock.now() + aDayMs,
    wallNow: () => clock.wallNow() + aDayMs,
    startTimer: (at, fire) => clock.startTimer(at - aDayMs, fire),
  };
  const one = createNodeMessages({ bus: ofOne(buses.join('one')), clock, log });
  const two = createNodeMessages({ bus: ofTwo(buses.join('two')), clock: ahead, log });
  const done: string[] = [];
  two.serve('work', async (body, from) => {
    done.push(`${textOf(body)} for ${from}`);
    return bytes(`done ${done.length}`);
  });
  const ask = (text: string) => one.request('two', 'work', bytes(text), deadlineMs);
  return { clock, buses, one, two, done, ask, log };
}

/** Loses the next `count` answers to requests of this node. */
function losingAnswers(count: number): (bus: Bus) => Bus {
  let left = count;
  return (bus) => ({
    ...bus,
    async ask(...request) {
      const answer = await bus.ask(...request);
      if (left-- <= 0) return answer;
      throw new BusError('bus-no-answer', 'the answer was lost');
    },
  });
}

test('a request is carried out by the named node, and its answer comes back', async () => {
  const { ask, done } = twoNodes();
  assert.equal(textOf(await ask('first')), 'done 1');
  assert.equal(textOf(await ask('second')), 'done 2');
  assert.deepEqual(done, ['first for one', 'second for one']);
});

test('a request whose answer is lost is repeated half-way to its deadline, and carried out once', async () => {
  const { ask, done, clock } = twoNodes({ one: losingAnswers(1) });
  const answer = ask('once');
  await clock.advance(deadlineMs / 2);
  assert.equal(textOf(await answer), 'done 1');
  assert.deepEqual(done, ['once for one']);
});

test('a request is repeated once only, and its outcome is unknown then', async () => {
  const { ask, done, clock } = twoNodes({ one: losingAnswers(2) });
  const answer = assert.rejects(ask('once'), noAnswer);
  await clock.advance(deadlineMs);
  await answer;
  assert.deepEqual(done, ['once for one']);
});

test('a repetition waits for the answer of the request that is being carried out', async () => {
  const { one, two, clock } = twoNodes();
  let begun = 0;
  const end = Promise.withResolvers<Uint8Array>();
  two.serve('slow', () => {
    begun++;
    return end.promise;
  });
  const answer = one.request('two', 'slow', bytes(''), deadlineMs);
  await clock.advance(deadlineMs * 0.75);
  end.resolve(bytes('at last'));
  assert.equal(textOf(await answer), 'at last');
  assert.equal(begun, 1);
});

test('a request that no node receives is refused at once, and not repeated', async () => {
  const { one } = twoNodes();
  await assert.rejects(one.request('three', 'work', bytes(''), deadlineMs), noReceiver);
});

test('a node that is gone at the repetition may have carried out the request', async () => {
  const { ask, done, clock, two } = twoNodes({ one: losingAnswers(1) });
  const answer = assert.rejects(ask('once'), noAnswer);
  await clock.advance(0);
  await two.close();
  await clock.advance(deadlineMs / 2);
  await answer;
  assert.deepEqual(done, ['once for one']);
});

test('a request that fails at its receiver is not repeated, and its outcome is unknown', async () => {
  const { one, two, log } = twoNodes();
  let begun = 0;
  two.serve('fails', async () => {
    begun++;
    throw new Error('broken');
  });
  await assert.rejects(one.request('two', 'fails', bytes(''), deadlineMs), noAnswer);
  assert.equal(begun, 1);
  assert.equal(log.lines.at(-1)?.sentence, 'request of another node failed');
});

test('a receiver drops requests that were under way until after their deadline, whatever the clocks say', async () => {
  let gate = Promise.resolve();
  const held = (bus: Bus): Bus => ({
    ...bus,
    serve: (subject, handle) =>
      bus.serve(subject, async (body, from) => {
        await gate;
        return (await handle(body, from))!;
      }),
  });
  const { ask, done, clock } = twoNodes({ two: held });
  await ask('in time');
  const opened = Promise.withResolvers<void>();
  gate = opened.promise;
  const answer = assert.rejects(ask('late'), noAnswer);
  await clock.advance(deadlineMs + 1_000);
  await answer;
  opened.resolve();
  await clock.advance(0);
  assert.deepEqual(done, ['in time for one']);
});

test('a request of another protocol is refused, and nothing is carried out', async () => {
  const olderRelease = (bus: Bus): Bus => ({
    ...bus,
    ask: (to, subject, body, ms) => bus.ask(to, subject, Uint8Array.of(200, ...body.subarray(1)), ms),
  });
  const { ask, done } = twoNodes({ one: olderRelease });
  await assert.rejects(ask('unknown'), noReceiver);
  assert.deepEqual(done, []);
});

test('a notice reaches all other nodes, and not its sender', async () => {
  const { one, two, clock, buses, log } = twoNodes();
  const three = createNodeMessages({ bus: buses.join('three'), clock, log });
  const heard: string[] = [];
  for (const [node, name] of [
    [one, 'one'],
    [two, 'two'],
    [three, 'three'],
  ] as const)
    node.listen('news', (body, from) => heard.push(`${name} from ${from}: ${textOf(body)}`));
  one.notify('news', bytes('x'));
  await clock.advance(0);
  assert.deepEqual(heard.sort(), ['three from one: x', 'two from one: x']);
});

test('a deadline that is longer than answers are kept for is refused', async () => {
  const { one } = twoNodes();
  await assert.rejects(one.request('two', 'work', bytes(''), 60_000), /at most 10000 ms are allowed/);
});
