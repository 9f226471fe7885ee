import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachDatabase, type OpenDatabase } from '@jackfield/testkit';
import { verifyTables } from '../migrations/0001-verify.ts';
import { createLimiter, type SendLimits, type SendRequest } from './limiter.ts';

const hour = (count: number) => ({ count, seconds: 3_600 });
const numbered = (index: number) => `+1415555${String(2000 + index)}`;
const now = Date.UTC(2026, 0, 1);

eachDatabase('The counters of sends', (open: OpenDatabase) => {
  async function limited(limits: Partial<SendLimits>) {
    const database = await open([verifyTables]);
    const wide = { recipient: hour(99), prefix: hour(99), source: hour(99), account: hour(99) };
    const limiter = createLimiter(database, { ...wide, conversionSeconds: 21_600, ...limits });
    return async (over: Partial<SendRequest>, at = now) => {
      const send = {
        account: 'MA',
        recipient: numbered(0),
        requestorIp: null,
        level: 'off',
        ...over,
      } as const;
      const admission = await limiter.admit(send, at);
      if (admission.kind === 'limited') return admission.scope;
      return admission.kind === 'blocked' ? admission.reason : admission.kind;
    };
  }

  test('for a source count for each spelling of its address, and for the whole prefix of an IPv6 customer', async () => {
    const admit = await limited({ source: hour(2) });
    const from = (requestorIp: string, index: number) => admit({ requestorIp, recipient: numbered(index) });
    assert.deepEqual(
      [await from('2001:db8::1', 0), await from('2001:0db8:0:0::2', 1), await from('2001:DB8::3', 2)],
      ['admitted', 'admitted', 'source'],
    );
    assert.deepEqual(
      [await from('198.51.100.7', 3), await from('::ffff:198.51.100.7', 4), await from('198.51.100.7', 5)],
      ['admitted', 'admitted', 'source'],
    );
  });

  test('to a prefix beyond its limit block the send, for all accounts together', async () => {
    const admit = await limited({ prefix: hour(2) });
    assert.equal(await admit({ recipient: numbered(1) }), 'admitted');
    assert.equal(await admit({ recipient: numbered(2), account: 'MB' }), 'admitted');
    assert.equal(await admit({ recipient: numbered(3) }), 'prefix-limit');
    assert.equal(await admit({ recipient: '+14155562000' }), 'admitted');
  });

  test('of an account are limited together, and a refused send counts nowhere', async () => {
    const admit = await limited({ account: hour(3), recipient: hour(2) });
    assert.deepEqual(
      [await admit({}), await admit({}), await admit({}), await admit({})],
      ['admitted', 'admitted', 'recipient', 'recipient'],
    );
    assert.equal(await admit({ recipient: numbered(1) }), 'admitted');
    assert.equal(await admit({ recipient: numbered(2) }), 'account');
    assert.equal(await admit({ recipient: numbered(2), account: 'MB' }), 'admitted');
  });

  test('are limited until the window ends, and a refused send counts nowhere', async () => {
    const admit = await limited({ recipient: hour(2) });
    const at = (minute: number) => admit({}, now + minute * 60_000);
    assert.deepEqual(
      [await at(10), await at(10), await at(10), await at(59), await at(60), await at(60), await at(60)],
      ['admitted', 'admitted', 'recipient', 'recipient', 'admitted', 'admitted', 'recipient'],
    );
  });
});
