import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@jackfield/ports';
import { createSimulatedMessageGateway, eachDatabase, onEmbeddedDatabase } from '@jackfield/testkit';
import { sendLimits } from './limits/limiter.ts';
import { openVerifyWorld, type VerifyWorld, verifyOfSuite } from './testing/verify-world.ts';

const numbered = (index: number) => `+1415555${String(2000 + index)}`;

/** Sends the code to the usual recipient as often as its limit allows, by two apps: one app sends a code at most 10 times. */
async function fillRecipient({ world, account: as, begin }: VerifyWorld) {
  const app = async (max_attempts: number): Promise<string> => {
    const { body } = await world.call('POST', 'Verify/App/', { body: { alias: 'shop', max_attempts }, as });
    return body.app_uuid;
  };
  const [first, second] = [await app(5), await app(10)];
  for (let send = 0; send < 5; send++) await begin({ app_uuid: first });
  return { first, second, rest: sendLimits.recipient.count - 5 };
}

eachDatabase('Limits of sends', (open) => {
  const newVerify = verifyOfSuite(open);

  test('beyond max_attempts of the app are refused before they are counted', async () => {
    const verify = await newVerify();
    const { first, second, rest } = await fillRecipient(verify);
    for (let send = 0; send < 3; send++) {
      assert.match((await verify.start({ app_uuid: first })).body.error, /has been sent 5 times/);
    }
    for (let send = 0; send < rest; send++) await verify.begin({ app_uuid: second });
    assert.match((await verify.start({ app_uuid: second })).body.error, /too many codes were sent to this/);
  });

  for (const [max_attempts, max_validations] of [
    [undefined, undefined],
    [1, 1],
    [10, 10],
  ] as const) {
    const limits = `max_attempts ${max_attempts ?? 'of 5'} and max_validations ${max_validations ?? 'of 5'}`;
    test(`a live session keeps ${limits}, not once less`, async () => {
      const { world, ...verify } = await newVerify();
      const settings = max_attempts === undefined ? {} : { max_attempts, max_validations };
      const app = await world.call('POST', 'Verify/App/', {
        body: { alias: 'shop', ...settings },
        as: verify.account,
      });
      const { app_uuid } = app.body;
      const sends = max_attempts ?? 5;
      const session = await verify.begin({ app_uuid });
      for (let send = 2; send <= sends; send++)
        assert.equal(await verify.begin({ app_uuid }), session, `send ${send}`);
      const refused = await verify.start({ app_uuid });
      assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '600']);
      assert.equal((await verify.get(`Verify/Session/${session}/`)).body.count, sends);

      const wrong = (await verify.codeFor()) === '000000' ? '111111' : '000000';
      const checks: number[] = [];
      for (let check = 0; check <= (max_validations ?? 5); check++) {
        checks.push((await verify.check(session, wrong)).status);
      }
      assert.deepEqual(checks, [...Array(max_validations ?? 5).fill(400), 429]);
    });
  }

  test('to a prefix with too few verifications are blocked with 452 by the level of the app', async () => {
    const gateway = createSimulatedMessageGateway();
    const { world, ...verify } = await openVerifyWorld(open, { gateway });
    const guarded = { fraud_check: 'high' };
    for (let index = 0; index < 30; index++) await verify.begin({ recipient: numbered(index), ...guarded });
    const url = 'https://example.com/';
    await verify.begin({ recipient: numbered(30), url, ...guarded });
    assert.equal(gateway.orders.length, 30);
    // The count of refusals is an event of its own, in a transaction beside those of the session.
    const ofSessions = (await verify.events()).filter(({ type }) => type !== 'verify.refused');
    const last = ofSessions.slice(-2);
    assert.deepEqual(
      last.map(({ type, data }) => [type, data.ChannelErrorCode]),
      [
        ['verify.blocked', '452'],
        ['verify.failed', '452'],
      ],
    );
    // The event of the block is for the event stream alone.
    assert.deepEqual(
      world.customer.requests.map(({ fields }) => fields.ChannelStatus),
      ['failed'],
    );
    await verify.begin({ recipient: numbered(31), fraud_check: 'off' });
    assert.equal(gateway.orders.length, 31);
    for (let index = 0; index < 8; index++) {
      const session = await verify.begin({ recipient: numbered(index), fraud_check: 'off' });
      assert.equal((await verify.check(session, await verify.codeFor(numbered(index)))).status, 200);
    }
    const before = gateway.orders.length;
    await verify.begin({ recipient: numbered(32), ...guarded });
    assert.equal(gateway.orders.length, before + 1);
  });

  test('count a message and its fallback call for one source, also within the /64 of an IPv6 customer', async () => {
    const gateway = createSimulatedMessageGateway();
    const { world, ...verify } = await openVerifyWorld(open, { gateway });
    const body = { alias: 'Both', voice_fallback: true, is_default: true, fraud_shield: 'off' };
    await world.call('POST', 'Verify/App/', { body });
    const send = async (index: number) => {
      gateway.answerNext({ accepted: false, errorCode: '11' });
      const requestor_ip = `2001:db8:1:2:aaaa::${index}`;
      const { status } = await verify.start({ recipient: numbered(index), requestor_ip });
      await world.advance(0);
      return status;
    };
    const most = sendLimits.source.count / 2;
    for (let index = 0; index < most; index++) assert.equal(await send(index), 202);
    assert.equal(verify.dialled().length, most);
    assert.equal(await send(most), 429);
  });

  test('that cannot be counted are refused', async () => {
    const gateway = createSimulatedMessageGateway();
    let isFull = false;
    const interpose = (database: Database): Database => ({
      ...database,
      transact: (work) => (isFull ? Promise.reject(new Error('the disk is full')) : database.transact(work)),
    });
    const loggedErrors = ['limits of sends could not be checked'];
    const verify = await openVerifyWorld(open, { gateway, interpose, loggedErrors });
    // It creates the default app.
    assert.equal((await verify.get('Verify/App/')).status, 200);
    isFull = true;
    assert.equal((await verify.start()).status, 503);
    isFull = false;
    assert.equal(gateway.orders.length, 0);
  });

  test('to a country that the app does not allow are refused before they are counted', async () => {
    const { world, ...verify } = await newVerify();
    const app = await world.call('POST', 'Verify/App/', {
      body: { alias: 'Home', allowed_countries: ['de', 'AT'] },
      as: verify.account,
    });
    const { app_uuid } = app.body;
    assert.equal((await verify.start({ app_uuid })).status, 400);
    assert.equal((await verify.start({ app_uuid, recipient: '+4915112345678' })).status, 202);
    assert.equal((await verify.events())[0]?.data.Reason, 'country');
  });

  test('to numbers that do not exist, or with malformed parameters, are refused', async () => {
    const verify = await newVerify();
    for (const body of [
      { recipient: '+1202555010' },
      { recipient: '+99912345678' },
      { recipient: 'alice' },
      { channel: 'pigeon' },
      { code_length: 3 },
      { code_length: 9 },
      { locale: '???' },
      { app_hash: 'short' },
      { dtmf: 2 },
      { url: 'ftp://example.com' },
      { app_uuid: 'unknown' },
      { requestor_ip: '999.1.1.1' },
      { requestor_ip: '1:2' },
    ]) {
      assert.equal((await verify.start(body)).status, 400, JSON.stringify(body));
    }
    assert.equal(
      (await verify.start({ recipient: '14155552671', dtmf: true, code_length: '4' })).status,
      202,
    );
    const session = await verify.begin({ recipient: '14155552671' });
    const refused = await verify.check(session, '12ab34');
    assert.equal(refused.status, 400);
    assert.ok(!refused.body.error.includes('12ab34'));
  });
});

// To a platform on PostgreSQL an hour is thousands of transactions; the counters have tests of their own on it.
onEmbeddedDatabase('Limits of sends in the course of an hour', (open) => {
  test('to a recipient and for a source get 429 until the window ends, with one event', async () => {
    const { world, ...verify } = await openVerifyWorld(open);
    await world.advance(600_000);
    const { second, rest } = await fillRecipient({ world, ...verify });
    for (let send = 0; send < rest; send++) await verify.begin({ app_uuid: second });
    const refused = await verify.start({ app_uuid: second });
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '3000']);
    await verify.start({ app_uuid: second });
    const source = { requestor_ip: '198.51.100.7' };
    for (let index = 0; index < sendLimits.source.count; index++) {
      await verify.begin({ ...source, recipient: numbered(index) });
    }
    assert.equal((await verify.start({ ...source, recipient: numbered(99) })).status, 429);
    assert.equal((await verify.start({ requestor_ip: '2001:db8::1', recipient: numbered(99) })).status, 202);
    const reported = (await verify.events()).filter(({ type }) => type === 'verify.refused');
    assert.deepEqual(
      reported.map(({ data }) => [data.Reason, data.Requests]),
      [
        ['recipient-limit', 1],
        ['source-limit', 1],
      ],
    );
    await world.advance(3_000_000);
    await verify.begin({ app_uuid: second });
    // A refusal does not count, and another account has its own windows.
    await verify.begin({}, await world.subaccount());
  });
});
