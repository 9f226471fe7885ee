import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import { createScriptedGateway, openVerifyWorld } from './testing/verify-world.ts';

const hour = (count: number) => ({ count, seconds: 3_600 });
const numbered = (index: number) => `+1415555${String(2000 + index)}`;

eachDatabase('Limits of sends', (open) => {
  test('to a recipient and for a source get 429 until the window ends, with one event', async () => {
    const world = await openVerifyWorld(open, { sendLimits: { recipient: hour(2), source: hour(3) } });
    await world.clock.advance(600_000);
    await world.begin();
    await world.begin();
    const refused = await world.start();
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '3000']);
    await world.start();
    const source = { requestor_ip: '198.51.100.7' };
    for (let index = 0; index < 3; index++) await world.begin({ ...source, recipient: numbered(index) });
    assert.equal((await world.start({ ...source, recipient: numbered(9) })).status, 429);
    assert.equal((await world.start({ requestor_ip: '2001:db8::1', recipient: numbered(9) })).status, 202);
    const told = world.events.filter(({ type }) => type === 'verify.refused');
    assert.deepEqual(
      told.map(({ payload }) => [payload.Reason, payload.Requests]),
      [
        ['recipient-limit', 1],
        ['source-limit', 1],
      ],
    );
    await world.clock.advance(3_000_000);
    await world.settle();
    await world.begin();
    // A refusal does not count, and another account has its own windows.
    await world.begin({}, await world.api.subaccount());
  });

  test('for a source count for each spelling of its address, and for the whole prefix of an IPv6 customer', async () => {
    const world = await openVerifyWorld(open, { sendLimits: { source: hour(2) } });
    const from = async (requestor_ip: string, index: number) =>
      (await world.start({ requestor_ip, recipient: numbered(index) })).status;
    assert.deepEqual(
      [await from('2001:db8::1', 0), await from('2001:0db8:0:0::2', 1), await from('2001:DB8::3', 2)],
      [202, 202, 429],
    );
    assert.deepEqual(
      [await from('198.51.100.7', 3), await from('::ffff:198.51.100.7', 4), await from('198.51.100.7', 5)],
      [202, 202, 429],
    );
  });

  test('beyond max_attempts of the app are refused before they are counted', async () => {
    const world = await openVerifyWorld(open, { sendLimits: { account: hour(6) } });
    for (let send = 0; send < 5; send++) await world.begin();
    for (let send = 0; send < 3; send++)
      assert.match((await world.start()).body.error, /has been sent 5 times/);
    await world.begin({ recipient: numbered(1) });
    assert.equal((await world.start({ recipient: numbered(2) })).status, 429);
  });

  test('a live session sends its code max_attempts times, not once less, and is locked by max_validations wrong checks', async () => {
    for (const [max_attempts, max_validations] of [
      [undefined, undefined],
      [1, 1],
      [10, 10],
    ] as const) {
      const world = await openVerifyWorld(open);
      const settings = max_attempts === undefined ? {} : { max_attempts, max_validations };
      const app = await world.api.call('POST', 'Verify/App/', { body: { alias: 'shop', ...settings } });
      const wanted = { app_uuid: app.body.app_uuid };
      const sends = max_attempts ?? 5;
      const session = await world.begin(wanted);
      for (let send = 2; send <= sends; send++)
        assert.equal(await world.begin(wanted), session, `send ${send}`);
      const refused = await world.start(wanted);
      assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '600']);
      assert.equal((await world.get(`Verify/Session/${session}/`)).body.count, sends);

      const wrong = (await world.codeFor()) === '000000' ? '111111' : '000000';
      const checks: number[] = [];
      for (let check = 0; check <= (max_validations ?? 5); check++) {
        checks.push((await world.check(session, wrong)).status);
      }
      assert.deepEqual(checks, [...Array(max_validations ?? 5).fill(400), 429]);
    }
  });

  test('to a prefix beyond its limit are blocked with 452', async () => {
    const gateway = createScriptedGateway();
    const world = await openVerifyWorld(open, { gateway, sendLimits: { prefix: hour(2) } });
    for (let index = 0; index < 2; index++) await world.begin({ recipient: numbered(index) });
    await world.begin({ recipient: numbered(3), url: 'https://example.com/' });
    assert.equal(gateway.orders.length, 2);
    const last = world.events.slice(-2);
    assert.deepEqual(
      last.map(({ type, payload, callback }) => [type, payload.ChannelErrorCode, callback !== undefined]),
      [
        ['verify.blocked', '452', false],
        ['verify.failed', '452', true],
      ],
    );
  });

  test('to a prefix with too few verifications are blocked by the level of the app', async () => {
    const gateway = createScriptedGateway();
    const world = await openVerifyWorld(open, { gateway });
    const guarded = { fraud_check: 'high' };
    for (let index = 0; index < 30; index++) await world.begin({ recipient: numbered(index), ...guarded });
    await world.begin({ recipient: numbered(30), ...guarded });
    assert.equal(gateway.orders.length, 30);
    await world.begin({ recipient: numbered(31), fraud_check: 'off' });
    assert.equal(gateway.orders.length, 31);
    for (let index = 0; index < 8; index++) {
      const session = await world.begin({ recipient: numbered(index), fraud_check: 'off' });
      assert.equal((await world.check(session, await world.codeFor(numbered(index)))).status, 200);
    }
    const before = gateway.orders.length;
    await world.begin({ recipient: numbered(32), ...guarded });
    assert.equal(gateway.orders.length, before + 1);
  });

  test('that cannot be counted are refused', async () => {
    const gateway = createScriptedGateway();
    const limiter = {
      admit: async () => {
        throw new Error('the counters are gone');
      },
      noteVerified: async () => {},
      sweep: async () => {},
    };
    const world = await openVerifyWorld(open, { gateway, limiter });
    assert.equal((await world.start()).status, 503);
    assert.equal(gateway.orders.length, 0);
  });

  test('to a country that the app does not allow are refused before they are counted', async () => {
    const world = await openVerifyWorld(open);
    const app = await world.api.call('POST', 'Verify/App/', {
      body: { alias: 'Home', allowed_countries: ['de', 'AT'] },
    });
    const { app_uuid } = app.body;
    assert.equal((await world.start({ app_uuid })).status, 400);
    assert.equal((await world.start({ app_uuid, recipient: '+4915112345678' })).status, 202);
    assert.equal(world.events[0]?.payload.Reason, 'country');
  });

  test('to numbers that do not exist, or with malformed parameters, are refused', async () => {
    const world = await openVerifyWorld(open);
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
      assert.equal((await world.start(body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await world.start({ recipient: '14155552671', dtmf: true, code_length: '4' })).status, 202);
    const session = await world.begin({ recipient: '14155552671' });
    const refused = await world.check(session, '12ab34');
    assert.equal(refused.status, 400);
    assert.ok(!refused.body.error.includes('12ab34'));
  });
});
