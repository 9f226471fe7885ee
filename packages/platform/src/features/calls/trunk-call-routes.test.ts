import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callEnds } from '@jackfield/ports';
import {
  type Caller,
  eachDatabase,
  type OpenDatabase,
  onEmbeddedDatabase,
  openSimulatedWorld,
} from '@jackfield/testkit';
import type { CompiledQuery } from 'kysely';
import { createUsage, freeOfCharge } from '../usage/index.ts';
import { callMigrations } from './create-calls.ts';
import { createCallStore } from './store.ts';
import { tablesOf } from './tables.ts';
import { type ExampleLeg, exampleLeg } from './testing/example-leg.ts';
import { pageOfTrunkCalls } from './trunk-call-routes.ts';

const migrations = callMigrations;
const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const start = Date.UTC(2026, 1, 1, 10);
const [first, second] = ['11111111111111111', '22222222222222222'];

/** A simulated world, and records of calls through trunks that the test writes. */
async function world(open: OpenDatabase) {
  const simulated = await openSimulatedWorld({ database: open, phones: 'none' });
  const { main, call, subaccount } = simulated;
  const { database } = simulated.node;
  const store = createCallStore(database, createUsage(freeOfCharge));
  /** A call of the caller's through a trunk of the owner's; it has ended `n` seconds after the start, or lives. */
  async function write(n: number, trunk: string | null, owner: Caller, more: ExampleLeg = {}) {
    const mainAccount = main.authId;
    const isLive = more.phase === 'answered';
    const leg = exampleLeg({
      account: mainAccount,
      mainAccount,
      trunk: trunk === null ? null : { trunk, account: owner.authId, mainAccount },
      ...(isLive ? {} : { phase: 'ended', endedAt: start + n * 1000, end: callEnds(4000, 'Caller') }),
      ...more,
      leg: uuid(n),
    });
    await database.transact((tx) => store.save(tx, undefined, { ...leg, endedAt: null }));
    if (!isLive) await database.transact((tx) => store.save(tx, { ...leg, endedAt: null }, leg));
  }
  const listed = async (query = '', as: Caller = main, area = 'SipTrunk') => {
    const { status, body } = await call('GET', `${area}/Call/${query}`, { as });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.meta.total_count, body.objects.length);
    return body.objects.map(({ call_uuid }: { call_uuid: string }) => Number(call_uuid.slice(-12)));
  };
  return { main, call, subaccount, database, store, write, listed };
}

eachDatabase('the records of calls through trunks over HTTP', (open) => {
  it('a record is that of the call, with its trunk', async () => {
    const w = await world(open);
    await w.write(1, first, w.main, {
      direction: 'inbound',
      spec: { from: '+12025559999', to: '+12025550100' },
    });
    const { body } = await w.call('GET', `Zentrunk/Call/${uuid(1)}/`);
    assert.deepEqual(
      [body.trunk_id, body.trunk_domain, body.trunk_direction, body.call_direction, body.from_number],
      [first, `${first}.zt.sip.example.com`, 'outbound', 'inbound', '+12025559999'],
    );
    assert.equal(body.resource_uri, `/v1/Account/${w.main.authId}/Call/${uuid(1)}/`);
    const listed = (await w.call('GET', 'SipTrunk/Call/')).body.objects[0];
    const { api_id: _, ...alone } = body;
    assert.deepEqual(listed, alone);
  });

  it('calls without a trunk are unknown; a live call is read and not listed', async () => {
    const w = await world(open);
    await w.write(1, null, w.main);
    await w.write(2, first, w.main, { phase: 'answered' });
    assert.deepEqual(await w.listed(), []);
    assert.equal((await w.call('GET', `SipTrunk/Call/${uuid(1)}/`)).status, 404);
    assert.equal((await w.call('GET', `SipTrunk/Call/${uuid(2)}/`)).body.end_time, null);
  });

  it('a list is newest end first, and each of its filters holds', async () => {
    const w = await world(open);
    await w.write(1, first, w.main, { direction: 'inbound', spec: { from: 'a', to: 'x' } });
    await w.write(2, second, w.main, { direction: 'outbound', spec: { from: 'b', to: 'x' } });
    await w.write(3, first, w.main, {
      direction: 'outbound',
      spec: { from: 'a', to: 'y' },
      end: callEnds(3010, 'Carrier'),
    });
    for (const area of ['SipTrunk', 'Zentrunk'])
      assert.deepEqual(await w.listed('', w.main, area), [3, 2, 1]);
    for (const [query, expected] of [
      [`trunk_id=${first}`, [3, 1]],
      [`trunk_id=${first}&call_direction=inbound`, [1]],
      ['from_number=a', [3, 1]],
      ['to_number=x', [2, 1]],
      ['to_number=x&from_number=b', [2]],
      ['hangup_cause_code=3010', [3]],
      ['hangup_source=carrier', [3]],
      ['call_direction=outbound', [3, 2]],
      ['end_time__gte=2026-02-01 10:00:02', [3, 2]],
      ['end_time__lt=2026-02-01 10:00:02', [1]],
    ] as const) {
      assert.deepEqual(await w.listed(`?${query}`), expected, query);
    }
    const { meta } = (await w.call('GET', `SipTrunk/Call/?limit=1&trunk_id=${first}`)).body;
    assert.equal(meta.next, `/v1/Account/${w.main.authId}/SipTrunk/Call/?trunk_id=${first}&limit=1&offset=1`);
    for (const wrong of ['limit=0', 'end_time=x', 'call_direction=both', 'hangup_cause_code=x']) {
      assert.equal((await w.call('GET', `SipTrunk/Call/?${wrong}`)).status, 400, wrong);
    }
  });

  it('the owner of the trunk sees the call of any caller; other accounts do not', async () => {
    const w = await world(open);
    const [one, two] = [await w.subaccount(), await w.subaccount()];
    // The main account calls a number of the first subaccount's trunk.
    await w.write(1, first, one);
    await w.write(2, second, w.main);
    assert.deepEqual(await w.listed('', one), [1]);
    assert.deepEqual(await w.listed('', two), []);
    assert.deepEqual(await w.listed(), [2, 1]);
    assert.deepEqual(await w.listed(`?subaccount=${one.authId}`), [1]);
    assert.equal((await w.call('GET', `SipTrunk/Call/${uuid(2)}/`, { as: one })).status, 404);
    assert.equal((await w.call('GET', `SipTrunk/Call/${uuid(1)}/`, { as: one })).body.trunk_id, first);
    await w.database.transact((tx) => w.store.passOn(tx, one.authId, w.main.authId));
    assert.deepEqual([await w.listed('', one), await w.listed()], [[], [2, 1]]);
  });
});

onEmbeddedDatabase('the indexes of calls through trunks', (open) => {
  it('every list is answered from the index of its most selective filter, in its order', async () => {
    const database = await open(migrations);
    const main = { authId: 'MA1', isSubaccount: false, parent: null, main: 'MA1' };
    const sub = { authId: 'SA1', isSubaccount: true, parent: 'MA1', main: 'MA1' };
    const all = {
      trunk: first,
      from: 'a',
      to: 'b',
      cause: 4000,
      source: 'Caller',
      direction: 'inbound',
    } as const;
    const narrowing = [
      [{}, ''],
      [all, 'trunk_id'],
      [{ ...all, trunk: undefined }, 'from_number'],
      [{ to: 'b', cause: 4000 }, 'to_number'],
      [{ cause: 4000, source: 'Caller' }, 'hangup_code'],
      [{ source: 'Caller', direction: 'inbound' }, 'hangup_source'],
      [{ direction: 'inbound' }, 'direction'],
    ] as const;
    for (const [viewer, view, column, more] of [
      [main, 'main', 'trunk_main_account', {}],
      [sub, 'sub', 'trunk_account', {}],
      [main, 'sub', 'trunk_account', { subaccount: 'SA1' }],
    ] as const) {
      for (const [filters, narrows] of narrowing) {
        const index = `trunk_calls_of_${view}${narrows === '' ? '' : `_by_${narrows}`}`;
        const search = narrows === '' ? `${column}=?` : `${column}=? AND ${narrows}=?`;
        const requested = { ...filters, ...more };
        const page = pageOfTrunkCalls(tablesOf(database.read), viewer, requested, {
          limit: 20,
          offset: 0,
        }).compile();
        const explained: CompiledQuery<{ detail: string }> = {
          ...page,
          sql: `EXPLAIN QUERY PLAN ${page.sql}`,
        } as never;
        const { rows } = await database.read.executeQuery(explained);
        const plan = rows.map(({ detail }) => detail).join('; ');
        assert.ok(
          plan.startsWith(`SEARCH calls USING INDEX ${index} (${search}`),
          `${JSON.stringify(requested)}: ${plan}`,
        );
        assert.doesNotMatch(plan, /TEMP B-TREE/, JSON.stringify(requested));
      }
    }
  });
});
