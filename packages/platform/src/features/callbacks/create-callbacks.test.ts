import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { stringToSignV2, stringToSignV3 } from '@jackfield/contract';
import { eachDatabase, eventStreamOf, type OpenDatabase } from '@jackfield/testkit';
import { down, ok, openCallbacks } from './testing/callbacks-world.ts';

/** Requests of one account to one host at the same time. */
const perHost = 24;
/** Requests of one account at the same time. */
const perAccount = 128;

function rules(open: OpenDatabase): void {
  signatureRules(open);
  retryRules(open);
  slotRules(open);
  scheduleRules(open);
  replayRules(open);
  logRules(open);
  listRules(open);
  endRules(open);
}

function signatureRules(open: OpenDatabase): void {
  test('POST: a form with signatures V2 and V3 of the account under both prefixes', async () => {
    const { world, requests, emit } = await openCallbacks(open, () => ok);
    await emit('https://a.example:443/in?x=1#rc=2', {
      payload: { Name: 'é &', Count: 3, On: true, No: null },
    });
    const request = requests[0]!;
    assert.equal(request.fullUrl, 'https://a.example:443/in?x=1');
    assert.equal(request.body, 'Name=%C3%A9+%26&Count=3&On=true');
    assert.deepEqual(request.timeouts, { connectMs: 2000, readMs: 40_000, totalMs: 55_000 });
    const { headers } = request;
    assert.equal(headers['Content-Type'], 'application/x-www-form-urlencoded');
    const hmac = (text: string) => createHmac('sha256', world.main.authToken).update(text).digest('base64');
    for (const prefix of ['X-Service-', 'X-Plivo-']) {
      const nonces = [headers[`${prefix}Signature-V2-Nonce`]!, headers[`${prefix}Signature-V3-Nonce`]!];
      for (const nonce of nonces) assert.match(nonce, /^\d{20}$/);
      const v2 = hmac(stringToSignV2(request.fullUrl, nonces[0]!));
      const fields = { Name: 'é &', Count: '3', On: 'true' };
      const v3 = hmac(stringToSignV3('POST', request.fullUrl, nonces[1]!, fields));
      assert.equal(headers[`${prefix}Signature-V2`], v2);
      assert.equal(headers[`${prefix}Signature-Ma-V2`], v2);
      assert.equal(headers[`${prefix}Signature-V3`], v3);
      assert.equal(headers[`${prefix}Signature-Ma-V3`], v3);
    }
  });

  test('GET: the fields follow the query of the URL, and the signature covers both', async () => {
    const settings = { signaturePrefixes: ['X-Own-'] };
    const { world, requests, emit } = await openCallbacks(open, () => ok, settings);
    await emit('http://a.example/in?x=1', { payload: { a: 'b c' } }, 'GET');
    const { fullUrl: url, body, headers } = requests[0]!;
    assert.equal(url, 'http://a.example/in?x=1&a=b+c');
    assert.equal(body, '');
    const text = stringToSignV3('GET', url, headers['X-Own-Signature-V3-Nonce']!);
    const expected = createHmac('sha256', world.main.authToken).update(text).digest('base64');
    assert.equal(headers['X-Own-Signature-V3'], expected);
    assert.equal(headers['X-Plivo-Signature-V3'], undefined);
  });

  test("a subaccount's events are signed by its own token and, as Ma, by its main account's; both see them", async () => {
    const { world, requests, emit, log } = await openCallbacks(open, () => ok);
    const [sub, other] = [await world.subaccount(), await world.subaccount()];
    await emit('http://a.example/', { account: sub.authId });
    const { headers } = requests[0]!;
    const text = stringToSignV2('http://a.example/', headers['X-Service-Signature-V2-Nonce']!);
    const by = (token: string) => createHmac('sha256', token).update(text).digest('base64');
    assert.equal(headers['X-Service-Signature-V2'], by(sub.authToken));
    assert.equal(headers['X-Service-Signature-Ma-V2'], by(world.main.authToken));
    const path = `Callback/${(await log()).objects[0].callback_id}/`;
    assert.equal((await world.call('GET', path, { as: sub })).status, 200);
    assert.equal((await world.call('GET', path, { as: other })).status, 404);
    assert.equal((await world.call('POST', `${path}Replay/`, { as: other })).status, 404);
  });

  test('events without a receiver are finished at once and leave no record', async () => {
    const { requests, emit, emitWithoutReceiver, answered, log } = await openCallbacks(open, () => ok);
    await emitWithoutReceiver();
    await emit('http://a.example/');
    await answered();
    assert.equal(requests.length, 1);
    assert.equal((await log()).meta.total_count, 1);
  });
}

function retryRules(open: OpenDatabase): void {
  test('a receiver that fails twice is retried as its URL says, with one event id, while later events wait', async () => {
    const { world, requests, emit, answered, log, record, numbers } = await openCallbacks(
      open,
      (_, number) => (number <= 2 ? { status: 500 } : ok),
    );
    await emit('http://a.example/#rc=2&rp=5xx', { payload: { n: 1 } });
    await emit('http://a.example/', { payload: { n: 2 } });
    await answered();
    const waiting = (await log('?status=retrying')).objects[0];
    assert.equal(waiting.attempts, 1);
    assert.equal(waiting.response_status, 500);
    assert.equal(waiting.problem, 'the receiver answered 500');
    assert.notEqual(waiting.next_attempt_time, null);
    await world.advance(7000);
    assert.deepEqual(numbers(), ['1 at 0 s', '1 at 1 s', '1 at 6 s', '2 at 6 s']);
    const ids = requests.map(({ eventId }) => eventId);
    assert.equal(new Set(ids.slice(0, 3)).size, 1);
    assert.notEqual(ids[3], ids[0]);
    const nonces = requests.map(({ headers }) => headers['X-Service-Signature-V3-Nonce']);
    assert.equal(new Set(nonces).size, 4);
    const done = await record(waiting.callback_id);
    assert.deepEqual([done.status, done.attempts, done.next_attempt_time], ['delivered', 3, null]);
  });

  test('a delivery without retries left has failed, and the next event is sent', async () => {
    const { world, emit, log, numbers } = await openCallbacks(open, ({ fields }) =>
      fields.n === '1' ? down : ok,
    );
    await emit('http://a.example/', { payload: { n: 1 } });
    await emit('http://a.example/', { payload: { n: 2 } });
    await world.advance(2000);
    assert.deepEqual(numbers(), ['1 at 0 s', '1 at 1 s', '2 at 1 s']);
    const { objects } = await log('?status=failed');
    assert.equal(objects.length, 1);
    assert.equal(objects[0].problem, 'no connection: ECONNREFUSED');
    assert.equal(objects[0].response_status, null);
  });
}

function slotRules(open: OpenDatabase): void {
  test('a receiver that hangs delays no resource of another host and uses no more than its slots', async () => {
    const { world, requests, emit, numbers, log } = await openCallbacks(open, ({ url }) =>
      url.includes('dead') ? { status: 200, afterMs: 10_000 } : ok,
    );
    const dead = () => requests.filter(({ url }) => url.includes('dead')).length;
    for (let number = 0; number < perHost + 4; number++) {
      await emit('http://dead.example/', { resource: `dead/${number}`, payload: { n: number } });
    }
    await emit('http://live.example/', { resource: 'live/1', payload: { n: 'live' } });
    await world.advance(1_000);
    assert.ok(numbers().includes('live at 0 s'));
    assert.equal(dead(), perHost);
    // Events without a slot are sent at once when a slot is free.
    await world.advance(9_100);
    assert.equal(dead(), perHost + 4);
    await world.advance(10_000);
    const { meta } = await log('?status=delivered');
    assert.equal(meta.total_count, perHost + 5);
    const { objects } = await log();
    assert.ok(objects.every((each: { attempts: number }) => each.attempts === 1));
  });

  test('receivers of one account that hang hold half of all slots, and callbacks of other accounts are sent at once', async () => {
    const { world, requests, emit, log } = await openCallbacks(open, ({ url }) =>
      url.includes('slow') ? { status: 200, afterMs: 30_000 } : ok,
    );
    const { authId: account } = await world.subaccount();
    const slow = () => requests.filter(({ url }) => url.includes('slow')).length;
    const [hosts, count] = [10, 320];
    const events = Array.from({ length: count }, (_, number) => ({
      type: 'happened',
      account,
      mainAccount: world.main.authId,
      resource: `slow/${number}`,
      payload: {},
      callback: { url: `http://slow${number % hosts}.example/`, method: 'POST' as const },
    }));
    await world.node.emit(...events);
    await emit('http://live.example/', { resource: 'live/1' });
    await world.advance(1_000);
    assert.equal(slow(), perAccount);
    assert.ok(requests.some(({ url }) => url.includes('live')));
    // The others are sent at once when slots are free.
    await world.advance(30_000);
    assert.equal(slow(), 2 * perAccount);
    await world.advance(61_000);
    const { meta } = await log('?status=delivered');
    assert.equal(meta.total_count, count + 1);
  });

  test('an event that waits for a slot is sent when every request before it ended in silence', async () => {
    const { world, requests, emit, log } = await openCallbacks(open, (_, number) =>
      number <= perHost ? undefined : ok,
    );
    for (let number = 0; number <= perHost; number++) {
      await emit('http://a.example/#rc=0', { resource: `r/${number}` });
    }
    await world.advance(39_000);
    assert.equal(requests.length, perHost);
    await world.advance(2_000);
    assert.equal(requests.length, perHost + 1);
    assert.equal((await log('?status=delivered')).meta.total_count, 1);
  });

  test('a silent host gets one request at a time, and all the others when it answers', async () => {
    let isUp = false;
    const { world, emit, answered, log } = await openCallbacks(open, () => (isUp ? ok : down));
    for (let number = 0; number < 20; number++) {
      await emit('http://a.example/#rc=5', { resource: `r/${number}`, payload: { n: number } });
    }
    await answered();
    isUp = true;
    await world.advance(1_500);
    assert.equal((await log('?status=delivered')).objects.length, 20);
  });
}

function scheduleRules(open: OpenDatabase): void {
  test('a fixed schedule retries 60, 120 and 240 s after the attempt before, whatever the failure and the URL', async () => {
    const outcomes = [{ status: 404 }, down, { status: 302 }];
    const { world, emit, answered, log, record, numbers } = await openCallbacks(
      open,
      (_, number) => outcomes[number - 1] ?? { status: 500 },
    );
    const callback = { url: 'http://a.example/#rc=0', method: 'POST', schedule: [60, 120, 240] } as const;
    await emit('', { callback });
    await emit('', { callback: { url: 'http://b.example/', method: 'POST' }, payload: { n: 2 } });
    await answered();
    const waiting = (await log('?status=retrying')).objects[0];
    assert.equal(waiting.next_attempt_time, '2026-01-01 00:01:00+00:00');
    await world.advance(500_000);
    assert.deepEqual(numbers(), ['1 at 0 s', '1 at 60 s', '1 at 180 s', '1 at 420 s', '2 at 420 s']);
    const failed = await record(waiting.callback_id);
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
  });
}

function replayRules(open: OpenDatabase): void {
  test('replay sends the same event once more, with its id, signed anew, as a delivery of its own', async () => {
    let isUp = false;
    const { world, requests, emit, answered, log, record } = await openCallbacks(open, () =>
      isUp ? ok : { status: 404 },
    );
    await emit('http://a.example/', { payload: { n: 'again' } });
    await answered();
    const [failed] = (await log()).objects;
    assert.equal(failed.status, 'failed');
    isUp = true;
    const replayed = (await world.api('POST', `Callback/${failed.callback_id}/Replay/`)).body;
    await answered();
    assert.equal(replayed.event_id, failed.event_id);
    assert.notEqual(replayed.callback_id, failed.callback_id);
    const [first, second] = requests;
    assert.equal(second!.body, first!.body);
    assert.equal(second!.eventId, first!.eventId);
    const delivered = await record(replayed.callback_id);
    assert.equal(delivered.status, 'delivered');
    assert.equal(delivered.resource, 'r/1');
    assert.equal((await record(failed.callback_id)).status, 'failed');
  });

  test('a replay keeps the schedule of its delivery, with which only 200 is a success', async () => {
    const { world, requests, emit, answered, log, record } = await openCallbacks(open, () => ({
      status: 204,
    }));
    const callback = { url: 'http://a.example/', method: 'POST', schedule: [60] } as const;
    await emit('', { callback });
    await world.advance(61_000);
    const [failed] = (await log()).objects;
    assert.deepEqual([failed.status, requests.length], ['failed', 2]);
    const { callback_id } = (await world.api('POST', `Callback/${failed.callback_id}/Replay/`)).body;
    await answered();
    assert.equal((await record(callback_id)).status, 'retrying');
    await world.advance(61_000);
    assert.deepEqual([(await record(callback_id)).status, requests.length], ['failed', 4]);
  });
}

function logRules(open: OpenDatabase): void {
  test('the age of the oldest callback that waits is counted from its date, also after a step of the wall clock', async () => {
    const { world, emit } = await openCallbacks(open, () => down);
    const hourMs = 3_600_000;
    for (const stepMs of [hourMs, -2 * hourMs]) {
      world.clock.stepWall(stepMs);
      await emit(`http://a.example/#rc=5`, { resource: `r/${stepMs}` });
      await world.advance(70_000);
      const { body } = await world.node.platform.http.inject('/metrics');
      const seconds = Number(/^jackfield_callback_oldest_pending_seconds (\S+)$/m.exec(body)?.[1]);
      assert.ok(seconds >= 65 && seconds <= 70, `${seconds} s`);
      await world.advance(700_000);
    }
  });

  test('a delivery is in the log as soon as its event is written, and each attempt emits an event', async () => {
    const { world, emit, answered, log, record } = await openCallbacks(open, (_, number) =>
      number === 1 ? { status: 500 } : ok,
    );
    await emit('http://a.example/#rp=5xx', { payload: { n: 1 } });
    await answered();
    await emit('http://a.example/', { payload: { n: 2 } });
    const [second] = (await log('?status=waiting')).objects;
    assert.deepEqual([second.attempts, second.last_attempt_time], [0, null]);
    assert.equal(second.next_attempt_time, '2026-01-01 00:00:00+00:00');
    assert.deepEqual((await record(second.callback_id)).attempt_log, []);
    await world.advance(1_100);
    const events = await eventStreamOf(world);
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
  });

  test('the record shows what was sent and the exact texts that were signed', async () => {
    const { world, requests, emit, log, record } = await openCallbacks(open, () => ok);
    await emit('http://a.example/in#rc=0', { payload: { a: 'b' } });
    await world.advance(100);
    const [{ callback_id }] = (await log('?resource=r%2F1')).objects;
    const shown = await record(callback_id);
    const { headers } = requests[0]!;
    assert.equal(shown.url, 'http://a.example/in#rc=0');
    assert.equal(shown.request_url, 'http://a.example/in');
    assert.equal(shown.body, 'a=b');
    assert.deepEqual(shown.headers, headers);
    assert.equal(shown.signed_v2, `http://a.example/in${headers['X-Service-Signature-V2-Nonce']}`);
    assert.equal(shown.signed_v3, `http://a.example/in?ab.${headers['X-Service-Signature-V3-Nonce']}`);
    assert.ok(!JSON.stringify(shown).includes(world.main.authToken));
  });
}

function listRules(open: OpenDatabase): void {
  test('lists are paged, filtered by resource and status, and keep their filters in the links', async () => {
    const { world, emit, answered, log } = await openCallbacks(open, ({ url }) =>
      url.includes('bad') ? { status: 400 } : ok,
    );
    for (const number of [1, 2, 3]) {
      await emit('http://a.example/', { resource: 'r/2', payload: { n: number } });
    }
    await emit('http://bad.example/', { resource: 'r/3' });
    await answered();
    const { meta, objects } = await log('?resource=r/2&limit=2');
    assert.equal(meta.total_count, 3);
    assert.equal(objects.length, 2);
    assert.match(meta.next, /resource=r%2F2&limit=2&offset=2$/);
    assert.equal((await log('?status=FAILED')).meta.count, 1);
    assert.equal((await world.api('GET', 'Callback/?status=lost')).status, 400);
    assert.equal((await world.api('GET', 'Callback/?limit=21')).status, 400);
    assert.equal((await world.api('GET', 'Callback/nothing/')).status, 404);
  });

  test('the log removes deliveries after their retention time', async () => {
    const { world, emit, log } = await openCallbacks(open, () => ok, { keepCallbacksMs: 90_000 });
    await emit('http://a.example/');
    await world.advance(80_000);
    assert.equal((await log()).meta.count, 1);
    await world.advance(50_000);
    assert.equal((await log()).meta.count, 0);
  });

  test("a subaccount's log goes with it, or passes to its main account", async () => {
    const { world, emit, answered, log } = await openCallbacks(open, () => ok);
    const [one, two] = [await world.subaccount(), await world.subaccount()];
    await emit('http://a.example/', { account: one.authId, resource: 'one' });
    await emit('http://a.example/', { account: two.authId, resource: 'two' });
    await answered();
    assert.equal((await world.api('DELETE', `Subaccount/${one.authId}/?cascade=true`)).status, 204);
    assert.equal((await world.api('DELETE', `Subaccount/${two.authId}/`)).status, 204);
    const { objects } = await log('?resource=two');
    assert.equal(objects.length, 1);
    assert.equal((await log('?resource=one')).meta.count, 0);
  });
}

function endRules(open: OpenDatabase): void {
  test('a delivery in flight at the end is cut after a grace, not counted, and sent after the next start', async () => {
    const { world, requests, emit, log, record } = await openCallbacks(open, (_, number) =>
      number === 1 ? undefined : ok,
    );
    await emit('http://a.example/', { payload: { n: 1 } });
    assert.equal(requests.length, 1);
    const endedAt = world.now();
    await world.restart({ isGraceful: true });
    const graceMs = world.now() - endedAt;
    assert.ok(graceMs >= 2_000 && graceMs < 2_500, `${graceMs} ms`);
    await world.advance(1_000);
    assert.equal(requests.length, 2);
    assert.equal(requests[1]!.eventId, requests[0]!.eventId);
    const [{ callback_id }] = (await log()).objects;
    const { status, attempts } = await record(callback_id);
    assert.deepEqual([status, attempts], ['delivered', 1]);
  });
}

eachDatabase('callbacks', rules);
