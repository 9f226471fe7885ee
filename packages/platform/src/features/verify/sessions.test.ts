import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SmsReceipt } from '@jackfield/ports';
import { createSimulatedMessageGateway, eachDatabase, onEmbeddedDatabase } from '@jackfield/testkit';
import { openVerifyWorld, recipient, verifyOfSuite } from './testing/verify-world.ts';

/** Whether a value contains the code by itself. Among the digits of a UUID or of a time it stands by chance. */
const containsCode = (value: unknown, code: string): boolean =>
  new RegExp(`(?<![\\da-f-])${code}(?![\\da-f-])`).test(JSON.stringify(value));
const wrongOf = (code: string) => code.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));

eachDatabase('Verify sessions', (open) => {
  const newVerify = verifyOfSuite(open);

  test('a code is sent, reported as delivered, accepted once, and never a second time', async () => {
    const { world, ...verify } = await newVerify();
    const live = verify.sessions();
    const answer = await verify.start({ url: 'https://example.com/answered', brand_name: 'Acme' });
    assert.equal(answer.body.message, 'Session initiated');
    const session: string = answer.body.session_uuid;
    const [message] = (await verify.get(`Sandbox/Message/?to=${encodeURIComponent(recipient)}`)).body.objects;
    assert.match(message.text, /^\d{6} is your Acme verification code\.$/);
    await world.advance(1_000);
    const code = await verify.codeFor();
    const wrong = await verify.check(session, wrongOf(code));
    assert.deepEqual([wrong.status, wrong.body.error], [400, 'incorrect otp']);
    const right = await verify.check(session, code);
    assert.deepEqual([right.status, right.body.message], [200, 'session validated successfully.']);
    const again = await verify.check(session, code);
    assert.deepEqual([again.status, again.body.error], [400, 'incorrect otp']);

    const { api_id: _, ...shown } = (await verify.get(`Verify/Session/${session}/`)).body;
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

    const events = await verify.events();
    assert.deepEqual(
      events.map(({ data }) => [data.SessionStatus, data.ChannelStatus]),
      [
        ['in-progress', 'queued'],
        ['in-progress', 'sent'],
        ['in-progress', 'delivered'],
        ['verified', 'delivered'],
      ],
    );
    const { type, account, resource, data } = events[2]!;
    const reportedData = {
      SessionUUID: session,
      SessionStatus: 'in-progress',
      RequestTime: attempt.time,
      Recipient: recipient.slice(1),
      Channel: 'sms',
      ChannelStatus: 'delivered',
      ChannelErrorCode: '',
      AttemptUUID: attempt.attempt_uuid,
      AttemptSequence: 1,
    };
    assert.deepEqual(
      { type, account, resource, data },
      {
        type: 'verify.delivered',
        account: verify.account.authId,
        resource: `verify/${session}`,
        data: reportedData,
      },
    );
    assert.ok(!containsCode(events, code));
    assert.equal(verify.sessions(), live);
  });

  test('a second create adds an attempt with the same code while it is valid, and begins a new session after it', async () => {
    const { world, ...verify } = await newVerify();
    const first = await verify.begin({ url: 'https://example.com/a' });
    const code = await verify.codeFor();
    // Concurrent, as when a person presses twice.
    const [second, third] = await Promise.all([
      verify.begin({ locale: 'de' }),
      verify.begin({ locale: 'de' }),
    ]);
    assert.deepEqual([second, third], [first, first]);
    assert.equal(await verify.codeFor(), code);
    const { count, attempt_details, locale } = (await verify.get(`Verify/Session/${first}/`)).body;
    assert.deepEqual([count, locale], [3, 'de']);
    assert.equal(new Set(attempt_details.map((each: { attempt_uuid: string }) => each.attempt_uuid)).size, 3);
    assert.deepEqual(
      (await verify.events())
        .filter(({ type }) => type === 'verify.queued')
        .map(({ data }) => data.AttemptSequence),
      [1, 2, 3],
    );
    assert.notEqual(await verify.begin({ recipient: '+442071838750' }), first);
    await verify.check(first, code);
    assert.notEqual(await verify.begin(), first);
  });

  test('a code expires at its millisecond, and by the attempts that the app allows', async () => {
    const { world, ...verify } = await newVerify();
    const app = await world.call('POST', 'Verify/App/', {
      body: { alias: 'Short', code_expiry: 1, max_attempts: 2, code_length: '8', is_default: true },
      as: verify.account,
    });
    const session = await verify.begin();
    assert.equal((await verify.get(`Verify/Session/${session}/`)).body.app_uuid, app.body.app_uuid);
    await verify.begin();
    const third = await verify.start();
    assert.deepEqual([third.status, third.headers['retry-after']], [429, '60']);
    const code = await verify.codeFor();
    assert.equal(code.length, 8);
    await world.advance(60_000);
    const late = await verify.check(session, code);
    assert.deepEqual([late.status, late.body.error], [400, 'incorrect otp']);
    assert.equal((await verify.get(`Verify/Session/${session}/`)).body.status, 'expired');
    assert.equal((await verify.events()).filter(({ type }) => type === 'verify.expired').length, 1);
    assert.notEqual(await verify.begin(), session);
  });

  test('five wrong checks lock a session, also when many are concurrent, and then the right code is refused', async () => {
    const verify = await newVerify();
    const session = await verify.begin();
    const code = await verify.codeFor();
    const guesses = Array.from({ length: 40 }, () => verify.check(session, wrongOf(code)));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 400).length, 5);
    assert.equal(statuses.filter((status) => status === 429).length, 35);
    assert.equal((await verify.check(session, code)).status, 429);
    assert.equal((await verify.get(`Verify/Session/${session}/`)).body.status, 'in-progress');
  });

  test('the code of a locked session is not sent again, and a new code is sent after its expiry', async () => {
    const { world, ...verify } = await newVerify();
    const session = await verify.begin();
    const code = await verify.codeFor();
    for (let guess = 0; guess < 5; guess++) await verify.check(session, wrongOf(code));
    for (const channel of ['sms', 'voice']) {
      const again = await verify.start({ channel });
      assert.deepEqual([again.status, again.headers['retry-after']], [429, '600']);
      assert.match(again.body.error, /checked too often; another one can be sent in 600 s$/);
    }
    assert.equal((await verify.get(`Verify/Session/${session}/`)).body.count, 1);
    assert.deepEqual(verify.dialled(), []);
    await world.advance(600_000);
    assert.notEqual(await verify.begin(), session);
  });

  test('concurrent checks of the right code verify once', async () => {
    const verify = await newVerify();
    const session = await verify.begin();
    const code = await verify.codeFor();
    const answers = await Promise.all(Array.from({ length: 5 }, () => verify.check(session, code)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal((await verify.events()).filter(({ type }) => type === 'verify.verified').length, 1);
  });

  test('a session is visible to its account and the main account, and to no other', async () => {
    const { world, ...verify } = await newVerify();
    const branch = verify.account;
    const other = await world.subaccount('Other');
    const session = await verify.begin({}, branch);
    const code = await verify.codeFor();
    assert.equal((await verify.check(session, code, other)).status, 404);
    assert.equal((await verify.get(`Verify/Session/${session}/`, other)).status, 404);
    assert.equal((await verify.check('no-such-session', code)).status, 404);
    assert.equal((await verify.get(`Verify/Session/${session}/`, world.main)).status, 200);
    // The main account has a session of its own for that recipient.
    assert.notEqual(await verify.begin({}, world.main), session);
    assert.equal((await verify.check(session, code, world.main)).status, 200);
  });
});

eachDatabase('Verify sessions whose messages leave through a gateway', (open) => {
  const gateway = createSimulatedMessageGateway();
  const newVerify = verifyOfSuite(open, { gateway });

  test('the code is stored only encrypted or hashed, and after the end not at all', async () => {
    const { world, ...verify } = await newVerify();
    const session = await verify.begin();
    const code = await verify.codeFor();
    type Row = { sealed_code: string | null; code_hash: string };
    const stored = async () => {
      const read = world.node.database.read.withTables<{ verify_sessions: Row & { session_uuid: string } }>();
      return read
        .selectFrom('verify_sessions')
        .selectAll()
        .where('session_uuid', '=', session)
        .executeTakeFirst();
    };
    assert.ok(!containsCode({ ...(await stored()), sealed_code: '', code_hash: '' }, code));
    assert.notEqual((await stored())?.sealed_code, null);
    await verify.check(session, code);
    assert.equal((await stored())?.sealed_code, null);
  });

  test('after a restart sessions go on with the same code and timer, and unsettled messages are sent again', async () => {
    const gateway = createSimulatedMessageGateway();
    gateway.answerNext(new Promise(() => {}));
    const { world, ...verify } = await openVerifyWorld(open, { gateway });
    const session = await verify.begin();
    const code = await verify.codeFor();
    await world.advance(60_000);
    await world.restart();
    assert.equal(gateway.orders.length, 2);
    assert.equal(gateway.orders[0]!.id, gateway.orders[1]!.id);
    assert.equal(await verify.begin(), session);
    assert.equal(await verify.codeFor(), code);
    gateway.receipt({ message: 'm-2', status: 'delivered', errorCode: null });
    await world.advance(0);
    const { attempt_details } = (await verify.get(`Verify/Session/${session}/`)).body;
    assert.deepEqual(
      attempt_details.map((each: { status: string }) => each.status),
      ['delivered', 'sent'],
    );
    await world.advance(9 * 60_000);
    assert.equal((await verify.get(`Verify/Session/${session}/`)).body.status, 'expired');
  });

  test('early, repeated, unordered and late receipts lead to one report of each status', async () => {
    const { world, ...verify } = await newVerify();
    const live = verify.sessions();
    let accept = (_: { accepted: true; message: string }) => {};
    gateway.answerNext(new Promise((resolve) => (accept = resolve)));
    const session = await verify.begin({ url: 'https://example.com/' });
    const receipt = async (given: SmsReceipt) => {
      gateway.receipt(given);
      await world.advance(0);
    };
    await receipt({ message: 'early', status: 'undelivered', errorCode: '34' });
    accept({ accepted: true, message: 'early' });
    await world.advance(0);
    await receipt({ message: 'early', status: 'undelivered', errorCode: '34' });
    await receipt({ message: 'unknown', status: 'delivered', errorCode: null });
    // The phone is reachable again.
    await receipt({ message: 'early', status: 'delivered', errorCode: null });
    await receipt({ message: 'early', status: 'failed', errorCode: '1' });
    await verify.begin();
    await verify.check(session, await verify.codeFor());
    await receipt({ message: `m-${gateway.orders.length}`, status: 'delivered', errorCode: null });
    assert.deepEqual(
      (await verify.events()).map(({ data }) => [
        data.AttemptSequence,
        data.ChannelStatus,
        data.ChannelErrorCode,
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
    assert.equal(verify.sessions(), live);
  });
});

// To a platform on PostgreSQL an hour is thousands of transactions.
onEmbeddedDatabase('Verify sessions in the course of an hour', (open) => {
  test('each event is sent at once, and retried for itself after 60, 120 and 240 s', async () => {
    const { world, ...verify } = await openVerifyWorld(open);
    const begin = world.now();
    const url = 'https://example.com/reported';
    world.customer.serve(url, ({ fields }) => ({ status: fields.ChannelStatus === 'delivered' ? 503 : 200 }));
    const session = await verify.begin({ url });
    await world.advance(1_000);
    assert.equal((await verify.check(session, await verify.codeFor())).status, 200);
    await world.advance(600_000);
    const requests = world.customer.requests.filter((each) => each.url === url);
    assert.ok(requests.every(({ method }) => method === 'POST'));
    assert.deepEqual(
      requests.map(({ at, fields }) => [Math.floor((at - begin) / 1000), fields.ChannelStatus]),
      [
        [0, 'queued'],
        [0, 'sent'],
        [0, 'delivered'],
        [1, 'delivered'],
        ...[60, 61, 180, 181, 420, 421].map((seconds) => [seconds, 'delivered']),
      ],
    );
    assert.equal(requests[2]!.fields.AttemptSequence, '1');
  });

  test('a session whose receipt never arrives closes an hour after its end', async () => {
    const { world, ...verify } = await openVerifyWorld(open, {
      gateway: createSimulatedMessageGateway(),
    });
    await verify.begin();
    await world.advance(10 * 60_000);
    assert.equal(verify.sessions(), 1);
    await world.advance(3_600_000);
    assert.deepEqual(
      { ...world.node.platform.runner.census().verify, dropped: 0 },
      { sessions: 0, timers: 0, queued: 0, dropped: 0 },
    );
  });
});
