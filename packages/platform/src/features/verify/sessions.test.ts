import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { createScriptedGateway, openVerifyWorld, recipient } from './testing/verify-world.ts';

const wrongOf = (code: string) => code.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));

eachDatabase('Verify sessions', (open) => {
  test('a code is sent, reported as delivered, accepted once, and never a second time', async () => {
    const world = await openVerifyWorld(open);
    const { clock, events } = world;
    const answer = await world.start({ url: 'https://example.com/told', brand_name: 'Acme' });
    assert.equal(answer.body.message, 'Session initiated');
    const session: string = answer.body.session_uuid;
    const [message] = (await world.get(`Sandbox/Message/?to=${encodeURIComponent(recipient)}`)).body.objects;
    assert.match(message.text, /^\d{6} is your Acme verification code\.$/);
    await clock.advance(1_000);
    await world.settle();
    const code = await world.codeFor();
    const wrong = await world.check(session, wrongOf(code));
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'incorrect otp']);
    const right = await world.check(session, code);
    assert.deepEqual([right.status, right.body.message], [200, 'session validated successfully.']);
    const again = await world.check(session, code);
    assert.deepEqual([again.status, again.body.error], [400, 'incorrect otp']);

    const { api_id: _, ...shown } = (await world.get(`Verify/Session/${session}/`)).body;
    const [attempt] = shown.attempt_details;
    assert.deepEqual(shown, {
      session_uuid: session,
      app_uuid: shown.app_uuid,
      alias: 'Default',
      recipient: recipient.slice(1),
      channel: 'sms',
      locale: 'en',
      status: 'verified',
      count: 1,
      requestor_ip: null,
      destination_country_iso2: 'US',
      destination_network: null,
      attempt_details: [
        {
          channel: 'sms',
          attempt_uuid: attempt.attempt_uuid,
          status: 'delivered',
          time: attempt.time,
          brand_name: 'Acme',
          code_length: 6,
          dtmf: 0,
          channel_error_code: null,
        },
      ],
      charges: {
        total_charge: '0',
        validation_charge: '0.0000',
        attempt_charges: [{ attempt_uuid: attempt.attempt_uuid, channel: 'sms', charge: '0.00000' }],
      },
      created_at: shown.created_at,
      updated_at: shown.updated_at,
    });
    assert.match(shown.created_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

    assert.deepEqual(
      events.map(({ payload }) => [payload.SessionStatus, payload.ChannelStatus]),
      [
        ['in-progress', 'queued'],
        ['in-progress', 'sent'],
        ['in-progress', 'delivered'],
        ['verified', 'delivered'],
      ],
    );
    assert.deepEqual(events[2], {
      type: 'verify.delivered',
      account: world.api.main.authId,
      mainAccount: world.api.main.authId,
      resource: `verify/${session}`,
      payload: {
        SessionUUID: session,
        SessionStatus: 'in-progress',
        RequestTime: attempt.time,
        Recipient: recipient.slice(1),
        Channel: 'sms',
        ChannelStatus: 'delivered',
        ChannelErrorCode: '',
        AttemptUUID: attempt.attempt_uuid,
        AttemptSequence: 1,
      },
      callback: {
        url: 'https://example.com/told',
        method: 'POST',
        schedule: [60, 120, 240],
        isUnordered: true,
      },
    });
    assert.ok(!JSON.stringify(events).includes(code));
    assert.equal(world.runner.census().verify?.sessions, 0);
  });

  test('a second create adds an attempt with the same code while it is valid, and begins a new session after it', async () => {
    const world = await openVerifyWorld(open);
    const first = await world.begin({ url: 'https://example.com/a' });
    const code = await world.codeFor();
    // Concurrent, as when a person presses twice.
    const [second, third] = await Promise.all([world.begin({ locale: 'de' }), world.begin({ locale: 'de' })]);
    assert.deepEqual([second, third], [first, first]);
    assert.equal(await world.codeFor(), code);
    const { count, attempt_details, locale } = (await world.get(`Verify/Session/${first}/`)).body;
    assert.deepEqual([count, locale], [3, 'de']);
    assert.equal(new Set(attempt_details.map((each: { attempt_uuid: string }) => each.attempt_uuid)).size, 3);
    assert.deepEqual(
      world.events
        .filter(({ type }) => type === 'verify.queued')
        .map(({ payload }) => payload.AttemptSequence),
      [1, 2, 3],
    );
    assert.notEqual(await world.begin({ recipient: '+442071838750' }), first);
    await world.check(first, code);
    assert.notEqual(await world.begin(), first);
  });

  test('a code expires at its millisecond, and by the attempts that the app allows', async () => {
    const world = await openVerifyWorld(open);
    const app = await world.api.call('POST', 'Verify/App/', {
      body: { alias: 'Short', code_expiry: 1, max_attempts: 2, code_length: '8', is_default: true },
    });
    const session = await world.begin();
    assert.equal((await world.get(`Verify/Session/${session}/`)).body.app_uuid, app.body.app_uuid);
    await world.begin();
    const third = await world.start();
    assert.deepEqual([third.status, third.headers['retry-after']], [429, '60']);
    const code = await world.codeFor();
    assert.equal(code.length, 8);
    await world.clock.advance(60_000);
    await world.settle();
    const late = await world.check(session, code);
    assert.deepEqual([late.status, late.body.error], [400, 'incorrect otp']);
    assert.equal((await world.get(`Verify/Session/${session}/`)).body.status, 'expired');
    assert.equal(world.events.filter(({ type }) => type === 'verify.expired').length, 1);
    assert.notEqual(await world.begin(), session);
  });

  test('five wrong checks lock a session, also when many are concurrent, and then the right code is refused', async () => {
    const world = await openVerifyWorld(open);
    const session = await world.begin();
    const code = await world.codeFor();
    const guesses = Array.from({ length: 40 }, () => world.check(session, wrongOf(code)));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 400).length, 5);
    assert.equal(statuses.filter((status) => status === 429).length, 35);
    assert.equal((await world.check(session, code)).status, 429);
    assert.equal((await world.get(`Verify/Session/${session}/`)).body.status, 'in-progress');
  });

  test('the code of a locked session is not sent again, and a new code is sent after its expiry', async () => {
    const world = await openVerifyWorld(open);
    const session = await world.begin();
    const code = await world.codeFor();
    for (let guess = 0; guess < 5; guess++) await world.check(session, wrongOf(code));
    for (const channel of ['sms', 'voice']) {
      const again = await world.start({ channel });
      assert.deepEqual([again.status, again.headers['retry-after']], [429, '600']);
      assert.match(again.body.error, /checked too often; another one can be sent in 600 s$/);
    }
    assert.equal((await world.get(`Verify/Session/${session}/`)).body.count, 1);
    assert.equal(world.dialled.length, 0);
    await world.clock.advance(600_000);
    await world.settle();
    assert.notEqual(await world.begin(), session);
  });

  test('concurrent checks of the right code verify once', async () => {
    const world = await openVerifyWorld(open);
    const session = await world.begin();
    const code = await world.codeFor();
    const answers = await Promise.all(Array.from({ length: 5 }, () => world.check(session, code)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(world.events.filter(({ type }) => type === 'verify.verified').length, 1);
  });

  test('a session is visible to its account and the main account, and to no other', async () => {
    const world = await openVerifyWorld(open);
    const branch = await world.api.subaccount();
    const other = await world.api.subaccount('Other');
    const session = await world.begin({}, branch);
    const code = await world.codeFor();
    assert.equal((await world.check(session, code, other)).status, 404);
    assert.equal((await world.get(`Verify/Session/${session}/`, other)).status, 404);
    assert.equal((await world.check('no-such-session', code)).status, 404);
    assert.equal((await world.get(`Verify/Session/${session}/`)).status, 200);
    // The main account has a session of its own for that recipient.
    assert.notEqual(await world.begin(), session);
    assert.equal((await world.check(session, code)).status, 200);
  });

  test('the code is stored only encrypted or hashed, and after the end not at all', async () => {
    const world = await openVerifyWorld(open, { gateway: createScriptedGateway() });
    const session = await world.begin();
    const code = await world.codeFor();
    type Row = { sealed_code: string | null; code_hash: string };
    const stored = async () => {
      const read = world.database.read.withTables<{ verify_sessions: Row & { session_uuid: string } }>();
      return read
        .selectFrom('verify_sessions')
        .selectAll()
        .where('session_uuid', '=', session)
        .executeTakeFirst();
    };
    assert.ok(!JSON.stringify({ ...(await stored()), sealed_code: '', code_hash: '' }).includes(code));
    assert.notEqual((await stored())?.sealed_code, null);
    await world.check(session, code);
    assert.equal((await stored())?.sealed_code, null);
  });

  test('after a restart sessions go on with the same code and timer, and unsettled messages are sent again', async () => {
    const gateway = createScriptedGateway();
    gateway.outcomes.push(new Promise(() => {}));
    const before = await openVerifyWorld(open, { gateway });
    const session = await before.begin();
    const code = await before.codeFor();
    await before.clock.advance(60_000);
    const after = await before.crash();
    await after.settle();
    assert.equal(gateway.orders.length, 2);
    assert.equal(gateway.orders[0]!.id, gateway.orders[1]!.id);
    assert.equal(await after.begin(), session);
    assert.equal(await after.codeFor(), code);
    gateway.receipt({ message: 'm-2', status: 'delivered', errorCode: null });
    await after.settle();
    const { attempt_details } = (await after.get(`Verify/Session/${session}/`)).body;
    assert.deepEqual(
      attempt_details.map((each: { status: string }) => each.status),
      ['delivered', 'sent'],
    );
    await after.clock.advance(9 * 60_000);
    await after.settle();
    assert.equal((await after.get(`Verify/Session/${session}/`)).body.status, 'expired');
  });

  test('early, repeated, unordered and late receipts lead to one report of each status', async () => {
    const gateway = createScriptedGateway();
    const world = await openVerifyWorld(open, { gateway });
    let accept = (_: { accepted: true; message: string }) => {};
    gateway.outcomes.push(new Promise((resolve) => (accept = resolve)));
    const session = await world.begin({ url: 'https://example.com/' });
    gateway.receipt({ message: 'early', status: 'undelivered', errorCode: '34' });
    await world.settle();
    accept({ accepted: true, message: 'early' });
    await world.settle();
    gateway.receipt({ message: 'early', status: 'undelivered', errorCode: '34' });
    gateway.receipt({ message: 'nobody-knows', status: 'delivered', errorCode: null });
    await world.settle();
    // The phone is reachable again.
    gateway.receipt({ message: 'early', status: 'delivered', errorCode: null });
    await world.settle();
    gateway.receipt({ message: 'early', status: 'failed', errorCode: '1' });
    await world.settle();
    await world.begin();
    await world.check(session, await world.codeFor());
    gateway.receipt({ message: 'm-2', status: 'delivered', errorCode: null });
    await world.settle();
    assert.deepEqual(
      world.events.map(({ payload }) => [
        payload.AttemptSequence,
        payload.ChannelStatus,
        payload.ChannelErrorCode,
      ]),
      [
        [1, 'queued', ''],
        [1, 'sent', ''],
        [1, 'undelivered', '34'],
        [1, 'delivered', ''],
        [2, 'queued', ''],
        [2, 'sent', ''],
        [2, 'sent', ''],
        [2, 'delivered', ''],
      ],
    );
    assert.equal(world.runner.census().verify?.sessions, 0);
  });

  test('a session whose receipt never arrives closes an hour after its end', async () => {
    const world = await openVerifyWorld(open, { gateway: createScriptedGateway() });
    await world.begin();
    await world.clock.advance(10 * 60_000);
    await world.settle();
    assert.equal(world.runner.census().verify?.sessions, 1);
    await world.clock.advance(3_600_000);
    await world.settle();
    assert.deepEqual(
      { ...world.runner.census().verify, dropped: 0 },
      { sessions: 0, timers: 0, queued: 0, dropped: 0 },
    );
  });
});
