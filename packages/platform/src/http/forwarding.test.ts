import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryBuses, createRecordingLog, createVirtualClock } from '@jackfield/testkit';
import { Type } from 'typebox';
import { tokenOf } from '../kernel/incarnation.ts';
import { createNodeMessages } from '../kernel/node-messages.ts';
import { problem } from '../kernel/problem.ts';
import { accepted, refused } from '../kernel/result.ts';
import type { AdmittedRequest } from './carry-out.ts';
import { createForwarding } from './forwarding.ts';
import type { ResourceHome } from './homes.ts';
import type { Replayable } from './idempotency.ts';
import { type ApiRoute, route } from './index.ts';

const [one, two] = [1, 2];
const request: AdmittedRequest = {
  account: { authId: 'MA1', isSubaccount: false, parent: null, main: 'MA1' },
  params: { auth_id: 'MA1', call_uuid: 'abc' },
  query: {},
  body: { text: 'ü' },
  apiId: 'request-1',
  warnings: ['unknown'],
  idempotencyKey: 'key',
};

const speak = route({
  method: 'POST',
  path: 'Call/:call_uuid/Speak/',
  operation: 'Speak',
  schema: { body: Type.Object({}) },
  success: 202,
  run: async () => accepted({ message: 'unused' }),
});

/** Two nodes; the second carries out by `atHome`, and gets what the test puts on the bus. */
function world(atHome: (route: ApiRoute, request: AdmittedRequest) => Promise<Replayable>) {
  const clock = createVirtualClock();
  const log = createRecordingLog();
  const buses = createMemoryBuses(clock);
  const outcomes: string[] = [];
  const nodeOf = (incarnation: number) => {
    const bus = buses.join(tokenOf(incarnation));
    const messages = createNodeMessages({ bus, clock, log });
    const forwarding = createForwarding({
      node: { incarnation, messages },
      log,
      metrics: { count: (_name, { outcome = '' } = {}) => void outcomes.push(outcome) },
      carryOut: atHome,
    });
    forwarding.accept(speak);
    return { forwarding, bus };
  };
  const [first, second] = [nodeOf(one), nodeOf(two)];
  const livesIn = (...homes: readonly (number | undefined)[]): ResourceHome => {
    const left = [...homes];
    return { operations: 'Call/:call_uuid/', of: async () => (left.length > 1 ? left.shift() : left[0]) };
  };
  return { clock, log, buses, livesIn, forward: first.forwarding.forward, second, outcomes };
}

const done: Replayable = { answer: { status: 202, body: '{"message":"ü"}' }, replayed: true };
const statusOf = (outcome: Replayable | undefined) => outcome?.answer.status;
const sentenceOf = (outcome: Replayable | undefined) => JSON.parse(outcome?.answer.body ?? '{}').error;

test('a request goes to the node where its thing lives, whole, and the answer comes back byte for byte', async () => {
  const seen: AdmittedRequest[] = [];
  const { forward, livesIn, outcomes } = world(async (_route, arrived) => {
    seen.push(arrived);
    return done;
  });
  assert.deepEqual(await forward(livesIn(two), speak, request), done);
  assert.deepEqual(seen, [request]);
  assert.deepEqual(outcomes, ['answered']);
});

test('a request for what lives here, or nowhere, is carried out here', async () => {
  const { forward, livesIn } = world(async () => done);
  assert.equal(await forward(livesIn(one), speak, request), undefined);
  assert.equal(await forward(livesIn(undefined), speak, request), undefined);
});

test('a home that is not there is 503 with Retry-After, and nothing has been changed', async () => {
  const { forward, livesIn } = world(async () => done);
  const outcome = await forward(livesIn(3), speak, request);
  assert.equal(statusOf(outcome), 503);
  assert.equal(outcome?.answer.retryAfterSeconds, 2);
  assert.match(sentenceOf(outcome), /nothing has been changed/);
});

test('a thing that has moved since the first look-up is asked for at its new node', async () => {
  const { forward, livesIn } = world(async () => done);
  assert.deepEqual(await forward(livesIn(3, two), speak, request), done);
  assert.equal(await forward(livesIn(3, undefined), speak, request), undefined);
});

test('a home that does not answer in time is 503 with a sentence that the outcome is unknown', async () => {
  let begun = 0;
  const { forward, livesIn, clock } = world(() => {
    begun++;
    return new Promise(() => {});
  });
  const outcome = forward(livesIn(two), speak, request);
  await clock.advance(5_000);
  assert.equal(statusOf(await outcome), 503);
  assert.match(sentenceOf(await outcome), /may have carried out the request/);
  assert.equal(begun, 1);
});

test('a fault at the home is the answer that it would give itself, and is logged there', async () => {
  const { forward, livesIn, log } = world(async () => {
    throw new Error('broken');
  });
  assert.equal(statusOf(await forward(livesIn(two), speak, request)), 500);
  assert.equal(log.lines.at(-1)?.sentence, 'request failed: internal fault');
  const away = world(async () => {
    throw Object.assign(new Error('away'), { code: 'database-unavailable' });
  });
  assert.equal(statusOf(await away.forward(away.livesIn(two), speak, request)), 503);
});

test('a request for things of several nodes is carried out at each of them, once, and here', async () => {
  let done204 = 0;
  const { forward } = world(async () => {
    done204++;
    return { answer: { status: 204, body: undefined }, replayed: false };
  });
  const livesIn = (...homes: readonly number[]): ResourceHome => ({
    operations: 'Call/:call_uuid/',
    of: async () => homes,
  });
  assert.equal(statusOf(await forward(livesIn(one, two), speak, request)), 204);
  assert.equal(done204, 2);
  assert.equal(statusOf(await forward(livesIn(), speak, request)), 204);
  assert.equal(done204, 3);
  const outcome = await forward(livesIn(one, 3), speak, request);
  assert.equal(statusOf(outcome), 503);
  assert.match(sentenceOf(outcome), /the others have carried out the request/);
});

test('a request for things of several nodes, one of which does not answer in time, is 503 after five seconds: the others have done their part', async () => {
  let begun = 0;
  const { forward, clock, outcomes } = world(() => {
    begun++;
    const here: Replayable = { answer: { status: 204, body: undefined }, replayed: false };
    return begun === 1 ? Promise.resolve(here) : new Promise(() => {});
  });
  const livesIn: ResourceHome = { operations: 'Call/', of: async () => [one, two] };
  const outcome = forward(livesIn, speak, request);
  await clock.advance(5_000);
  assert.equal(statusOf(await outcome), 503);
  assert.match(sentenceOf(await outcome), /has not answered, and the others have carried out the request/);
  assert.deepEqual([begun, outcomes], [2, ['bus-no-answer']]);
});

test('an operation that the other release lacks is 503, and nothing has been changed', async () => {
  const { forward, livesIn } = world(async () => done);
  const newer = route({
    ...speak,
    path: 'Call/:call_uuid/Sing/',
    schema: {},
    run: async () => refused(problem('conflict', 'unused')),
  });
  const outcome = await forward(livesIn(two), newer, request);
  assert.equal(statusOf(outcome), 503);
  assert.match(sentenceOf(outcome), /runs another release/);
});
