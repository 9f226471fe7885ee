import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { stringToSignV2, stringToSignV3 } from '@jackfield/contract';
import type { EgressOutcome } from '@jackfield/ports';
import { eachDatabase, type OpenDatabase } from '@jackfield/testkit';
import { createEventLog, firstCursor } from '../../kernel/event-log.ts';
import { createOutbox } from '../../kernel/outbox.ts';
import { answer, down, ok, openWorld } from './testing/callbacks-world.ts';

function rules(open: OpenDatabase): void {
  signatureRules(open);
  retryRules(open);
  scheduleRules(open);
  logRules(open);
  listRules(open);
}

function signatureRules(open: OpenDatabase): void {
  test('POST: a form with signatures V2 and V3 of the account under both prefixes', async () => {
    const world = await openWorld(open, () => ok);
    await world.emit('https://a.example:443/in?x=1#rc=2', {
      payload: { Name: 'é &', Count: 3, On: true, No: null },
    });
    const { request } = world.sent[0]!;
    assert.equal(request.url, 'https://a.example:443/in?x=1');
    assert.equal(request.body, 'Name=%C3%A9+%26&Count=3&On=true');
    assert.deepEqual(request.timeouts, { connectMs: 2000, readMs: 40_000, totalMs: 55_000 });
    const { headers } = request;
    assert.equal(headers['Content-Type'], 'application/x-www-form-urlencoded');
    const hmac = (text: string) =>
      createHmac('sha256', world.api.main.authToken).update(text).digest('base64');
    for (const prefix of ['X-Service-', 'X-Plivo-']) {
      const nonces = [headers[`${prefix}Signature-V2-Nonce`]!, headers[`${prefix}Signature-V3-Nonce`]!];
      for (const nonce of nonces) assert.match(nonce, /^\d{20}$/);
      const v2 = hmac(stringToSignV2(request.url, nonces[0]!));
      const fields = { Name: 'é &', Count: '3', On: 'true' };
      const v3 = hmac(stringToSignV3('POST', request.url, nonces[1]!, fields));
      assert.equal(headers[`${prefix}Signature-V2`], v2);
      assert.equal(headers[`${prefix}Signature-Ma-V2`], v2);
      assert.equal(headers[`${prefix}Signature-V3`], v3);
      assert.equal(headers[`${prefix}Signature-Ma-V3`], v3);
    }
    await world.close();
  });

  test('GET: the fields follow the query of the URL, and the signature covers both', async () => {
    const world = await openWorld(open, () => ok, { prefixes: ['X-Own-'] });
    await world.emit('http://a.example/in?x=1', { payload: { a: 'b c' } }, 'GET');
    const { url, body, headers } = world.sent[0]!.request;
    assert.equal(url, 'http://a.example/in?x=1&a=b+c');
    assert.equal(body, '');
    const text = stringToSignV3('GET', url, headers['X-Own-Signature-V3-Nonce']!);
    const expected = createHmac('sha256', world.api.main.authToken).update(text).digest('base64');
    assert.equal(headers['X-Own-Signature-V3'], expected);
    assert.equal(headers['X-Plivo-Signature-V3'], undefined);
    await world.close();
  });

  test("a subaccount's events are signed by its own token and, as Ma, by its main account's; both see them", async () => {
    const world = await openWorld(open, () => ok);
    const { api } = world;
    const [sub, other] = [await api.subaccount(), await api.subaccount()];
    await world.emit('http://a.example/', { account: sub.authId });
    const { headers } = world.sent[0]!.request;
    const text = stringToSignV2('http://a.example/', headers['X-Service-Signature-V2-Nonce']!);
    const by = (token: string) => createHmac('sha256', token).update(text).digest('base64');
    assert.equal(headers['X-Service-Signature-V2'], by(sub.authToken));
    assert.equal(headers['X-Service-Signature-Ma-V2'], by(api.main.authToken));
    const id = (await api.call('GET', 'Callback/')).body.objects[0].callback_id;
    assert.equal((await api.call('GET', `Callback/${id}/`, { as: sub })).status, 200);
    assert.equal((await api.call('GET', `Callback/${id}/`, { as: other })).status, 404);
    assert.equal((await api.call('POST', `Callback/${id}/Replay/`, { as: other })).status, 404);
    await world.close();
  });

  test('events without a receiver are finished at once and leave no record', async () => {
    const world = await openWorld(open, () => ok);
    await world.outbox.idle();
    await world.api.database.transact((write) =>
      world.outbox.appendEvents(write, [
        {
          type: 'happened',
          account: world.api.main.authId,
          mainAccount: world.api.main.authId,
          resource: 'r/1',
          payload: {},
        },
      ]),
    );
    await world.emit('http://a.example/');
    assert.equal(world.sent.length, 1);
    assert.equal((await world.api.call('GET', 'Callback/')).body.meta.total_count, 1);
    await world.close();
  });
}

function retryRules(open: OpenDatabase): void {
  test('a receiver that fails twice is retried as its URL says, with one event id, while later events wait', async () => {
    const world = await openWorld(open, (_request, number) => (number <= 2 ? answer(500) : ok));
    await world.emit('http://a.example/#rc=2&rp=5xx', { payload: { n: 1 } });
    await world.emit('http://a.example/', { payload: { n: 2 } });
    const waiting = (await world.api.call('GET', 'Callback/?status=retrying')).body.objects[0];
    assert.equal(waiting.attempts, 1);
    assert.equal(waiting.response_status, 500);
    assert.equal(waiting.problem, 'the receiver answered 500');
    assert.notEqual(waiting.next_attempt_time, null);
    await world.advance(7000);
    assert.deepEqual(world.numbers(), ['1 at 0', '1 at 1000', '1 at 6000', '2 at 6000']);
    const ids = world.sent.map(({ request }) => request.headers['X-Service-Event-Id']);
    assert.equal(new Set(ids.slice(0, 3)).size, 1);
    assert.notEqual(ids[3], ids[0]);
    const nonces = world.sent.map(({ request }) => request.headers['X-Service-Signature-V3-Nonce']);
    assert.equal(new Set(nonces).size, 4);
    const done = (await world.api.call('GET', `Callback/${waiting.callback_id}/`)).body;
    assert.deepEqual([done.status, done.attempts, done.next_attempt_time], ['delivered', 3, null]);
    await world.close();
  });

  test('a delivery without retries left has failed, and the next event is sent', async () => {
    const world = await openWorld(open, ({ body }) => (body === 'n=1' ? down : ok));
    await world.emit('http://a.example/', { payload: { n: 1 } });
    await world.emit('http://a.example/', { payload: { n: 2 } });
    await world.advance(2000);
    assert.deepEqual(world.numbers(), ['1 at 0', '1 at 1000', '2 at 1000']);
    const { objects } = (await world.api.call('GET', 'Callback/?status=failed')).body;
    assert.equal(objects.length, 1);
    assert.equal(objects[0].problem, 'no connection: ECONNREFUSED');
    assert.equal(objects[0].response_status, null);
    await world.close();
  });

  test('a receiver that hangs delays no resource of another host and uses no more than its slots', async () => {
    const hung = Promise.withResolvers<EgressOutcome>();
    const world = await openWorld(open, ({ url }) => (url.includes('dead') ? hung.promise : ok), {
      limits: { perHost: 2 },
    });
    const emitting = Array.from({ length: 6 }, (_, number) =>
      world.emit('http://dead.example/', { resource: `dead/${number}`, payload: { n: number } }),
    );
    while (world.sent.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const live = world.emit('http://live.example/', { resource: 'live/1', payload: { n: 'live' } });
    while (!world.numbers().includes('live at 0')) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(world.sent.filter(({ request }) => request.url.includes('dead')).length, 2);
    hung.resolve(ok);
    await Promise.all([...emitting, live]);
    await world.outbox.idle();
    // Events without a slot are sent at once when a slot is free.
    assert.equal(world.sent.filter(({ request }) => request.url.includes('dead')).length, 6);
    const { objects } = (await world.api.call('GET', 'Callback/')).body;
    assert.ok(objects.every((each: { attempts: number }) => each.attempts === 1));
    await world.close();
  });

  test('a silent host gets one request at a time, and all the others when it answers', async () => {
    let isUp = false;
    const world = await openWorld(open, () => (isUp ? ok : down), { limits: { perHost: 4 } });
    const emitting = Array.from({ length: 20 }, (_, number) =>
      world.emit('http://a.example/#rc=5', { resource: `r/${number}`, payload: { n: number } }),
    );
    await Promise.all(emitting);
    isUp = true;
    await world.advance(1_500);
    const { objects } = (await world.api.call('GET', 'Callback/?status=delivered')).body;
    assert.equal(objects.length, 20);
    await world.close();
  });
}

function scheduleRules(open: OpenDatabase): void {
  test('a fixed schedule retries 60, 120 and 240 s after the attempt before, whatever the failure and the URL', async () => {
    const outcomes = [answer(404), down, answer(302)];
    const world = await openWorld(open, (_request, number) => outcomes[number - 1] ?? answer(500));
    const callback = { url: 'http://a.example/#rc=0', method: 'POST', schedule: [60, 120, 240] } as const;
    await world.emit('', { callback });
    await world.emit('', { callback: { url: 'http://b.example/', method: 'POST' }, payload: { n: 2 } });
    const waiting = (await world.api.call('GET', 'Callback/?status=retrying')).body.objects[0];
    assert.equal(waiting.next_attempt_time, '2026-01-01 00:01:00+00:00');
    await world.advance(500_000);
    assert.deepEqual(world.numbers(), ['1 at 0', '1 at 60000', '1 at 180000', '1 at 420000', '2 at 420000']);
    const failed = (await world.api.call('GET', `Callback/${waiting.callback_id}/`)).body;
    assert.equal(failed.status, 'failed');
    assert.deepEqual(
      failed.attempt_log.map(({ time, status }: { time: string; status: unknown }) => [time, status]),
      [
        ['2026-01-01 00:00:00+00:00', 404],
        ['2026-01-01 00:01:00+00:00', null],
        ['2026-01-01 00:03:00+00:00', 302],
        ['2026-01-01 00:07:00+00:00', 500],
      ],
    );
    assert.match(failed.attempt_log[1].problem, /ECONNREFUSED/);
    await world.close();
  });
}

function logRules(open: OpenDatabase): void {
  test('a delivery is in the log as soon as its event is written, and each attempt emits an event', async () => {
    const world = await openWorld(open, (_request, number) => (number === 1 ? answer(500) : ok));
    await world.emit('http://a.example/#rp=5xx', { payload: { n: 1 } });
    await world.emit('http://a.example/', { payload: { n: 2 } });
    const [second] = (await world.api.call('GET', 'Callback/?status=waiting')).body.objects;
    assert.deepEqual([second.attempts, second.last_attempt_time], [0, null]);
    assert.equal(second.next_attempt_time, '2026-01-01 00:00:00+00:00');
    assert.deepEqual((await world.api.call('GET', `Callback/${second.callback_id}/`)).body.attempt_log, []);
    await world.advance(1_000);
    const feed = createEventLog(world.api.database);
    const events = await feed.after({ authId: world.api.main.authId, isSubaccount: false }, firstCursor, 10);
    assert.deepEqual(
      events.map(({ type, data }) => [type, data.attempts ?? data.n]),
      [
        ['happened', 1],
        ['callback.failed', 1],
        ['happened', 2],
        ['callback.delivered', 2],
        ['callback.delivered', 1],
      ],
    );
    assert.equal(events[1]!.data.next_attempt_time, '2026-01-01 00:00:01+00:00');
    await world.close();
  });

  test('replay sends the same event once more, with its id, signed anew, as a delivery of its own', async () => {
    let isUp = false;
    const world = await openWorld(open, () => (isUp ? ok : answer(404)));
    const { api } = world;
    await world.emit('http://a.example/', { payload: { n: 'again' } });
    const [failed] = (await api.call('GET', 'Callback/')).body.objects;
    assert.equal(failed.status, 'failed');
    isUp = true;
    const replayed = (await api.call('POST', `Callback/${failed.callback_id}/Replay/`)).body;
    await world.outbox.idle();
    assert.equal(replayed.event_id, failed.event_id);
    assert.notEqual(replayed.callback_id, failed.callback_id);
    const [first, second] = world.sent.map(({ request }) => request);
    assert.equal(second!.body, first!.body);
    assert.equal(second!.headers['X-Service-Event-Id'], first!.headers['X-Service-Event-Id']);
    const record = (await api.call('GET', `Callback/${replayed.callback_id}/`)).body;
    assert.equal(record.status, 'delivered');
    assert.equal(record.resource, 'r/1');
    assert.equal((await api.call('GET', `Callback/${failed.callback_id}/`)).body.status, 'failed');
    await world.close();
  });

  test('the record shows what was sent and the exact texts that were signed', async () => {
    const world = await openWorld(open, () => ok);
    const { api } = world;
    await world.emit('http://a.example/in#rc=0', { payload: { a: 'b' } });
    const [{ callback_id }] = (await api.call('GET', 'Callback/?resource=r%2F1')).body.objects;
    const record = (await api.call('GET', `Callback/${callback_id}/`)).body;
    const { request } = world.sent[0]!;
    assert.equal(record.url, 'http://a.example/in#rc=0');
    assert.equal(record.request_url, 'http://a.example/in');
    assert.equal(record.body, 'a=b');
    assert.deepEqual(record.headers, request.headers);
    assert.equal(record.signed_v2, `http://a.example/in${request.headers['X-Service-Signature-V2-Nonce']}`);
    assert.equal(
      record.signed_v3,
      `http://a.example/in?ab.${request.headers['X-Service-Signature-V3-Nonce']}`,
    );
    assert.ok(!JSON.stringify(record).includes(api.main.authToken));
    await world.close();
  });
}

function listRules(open: OpenDatabase): void {
  test('lists are paged, filtered by resource and status, and keep their filters in the links', async () => {
    const world = await openWorld(open, ({ url }) => (url.includes('bad') ? answer(400) : ok));
    const { api } = world;
    for (const number of [1, 2, 3])
      await world.emit('http://a.example/', { resource: 'r/2', payload: { n: number } });
    await world.emit('http://bad.example/', { resource: 'r/3' });
    const { meta, objects } = (await api.call('GET', 'Callback/?resource=r/2&limit=2')).body;
    assert.equal(meta.total_count, 3);
    assert.equal(objects.length, 2);
    assert.match(meta.next, /resource=r%2F2&limit=2&offset=2$/);
    assert.equal((await api.call('GET', 'Callback/?status=FAILED')).body.meta.count, 1);
    assert.equal((await api.call('GET', 'Callback/?status=lost')).status, 400);
    assert.equal((await api.call('GET', 'Callback/?limit=21')).status, 400);
    assert.equal((await api.call('GET', 'Callback/nothing/')).status, 404);
    await world.close();
  });

  test('the log removes deliveries after their retention time', async () => {
    const world = await openWorld(open, () => ok, { limits: { keepMs: 10_000, pruneEveryMs: 1_000 } });
    await world.emit('http://a.example/');
    await world.advance(9_000);
    assert.equal((await world.api.call('GET', 'Callback/')).body.meta.count, 1);
    let left = 1;
    // A real database needs real time, which this clock does not count.
    for (let second = 0; left > 0 && second < 200; second++) {
      await world.advance(1_000);
      left = (await world.api.call('GET', 'Callback/')).body.meta.count;
    }
    assert.equal(left, 0);
    await world.close();
  });

  test("a subaccount's log goes with it, or passes to its main account", async () => {
    const world = await openWorld(open, () => ok);
    const [one, two] = [await world.api.subaccount(), await world.api.subaccount()];
    const { callbacks } = world;
    await world.emit('http://a.example/', { account: one.authId, resource: 'one' });
    await world.emit('http://a.example/', { account: two.authId, resource: 'two' });
    await world.api.database.transact((write) => callbacks.resources.remove(write, one.authId));
    await world.api.database.transact((write) =>
      callbacks.resources.passOn(write, two.authId, world.api.main.authId),
    );
    const { objects } = (await world.api.call('GET', 'Callback/')).body;
    assert.deepEqual(
      objects.map((each: { resource: string }) => each.resource),
      ['two'],
    );
    assert.equal((await world.api.call('GET', 'Callback/', { as: two })).body.meta.count, 0);
    await world.close();
  });

  test('a delivery in flight at the end is cut after a grace, not counted, and sent after the next start', async () => {
    const world = await openWorld(open, ({ signal }) => {
      return new Promise((resolve) =>
        signal?.addEventListener('abort', () =>
          resolve({ problem: { kind: 'aborted', sentence: 'the request was given up' } }),
        ),
      );
    });
    void world.emit('http://a.example/', { payload: { n: 1 } });
    while (world.sent.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const closing = world.close();
    await world.api.clock.advance(2_000);
    await closing;
    const seen: (string | number)[] = [];
    const { database, clock } = world.api;
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const next = createOutbox({ database, clock, log, newEventId: () => 'unused' });
    next.start(async ({ eventId, attempts }) => {
      seen.push(eventId, attempts);
      return 'delivered';
    });
    await next.idle();
    assert.deepEqual(seen, [world.sent[0]!.request.headers['X-Service-Event-Id'], 1]);
    await next.close();
  });
}

eachDatabase('callbacks', rules);
