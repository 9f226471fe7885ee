import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callEnds } from '@jackfield/ports';
import {
  answeredCall,
  eachDatabase,
  type OpenDatabase,
  onEmbeddedDatabase,
  openSimulatedWorld,
  ringingCall,
} from '@jackfield/testkit';
import type { CompiledQuery } from 'kysely';
import { createUsage, freeOfCharge } from '../usage/index.ts';
import { callMigrations } from './create-calls.ts';
import { qualityOf } from './legs/quality-of.ts';
import { pageOfCalls } from './queries.ts';
import { createCallStore } from './store.ts';
import { tablesOf } from './tables.ts';
import { type ExampleLeg, exampleLeg, silent } from './testing/example-leg.ts';

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A simulated world, and records of calls that the test writes. */
async function world(open: OpenDatabase) {
  const simulated = await openSimulatedWorld({ database: open, phones: 'none' });
  const { main } = simulated;
  const { database } = simulated.node;
  const store = createCallStore(database, createUsage(freeOfCharge));
  async function write(n: number, over: ExampleLeg = {}) {
    const mainAccount = main.authId;
    const leg = exampleLeg({ account: mainAccount, mainAccount, ...over, leg: uuid(n) });
    await database.transact((tx) => store.save(tx, undefined, { ...leg, endedAt: null }));
    if (leg.endedAt !== null) {
      await database.transact((tx) => store.save(tx, { ...leg, endedAt: null }, leg));
    }
  }
  const ended = (endedAt: number, over: ExampleLeg = {}): ExampleLeg => ({
    phase: 'ended',
    endedAt,
    end: callEnds(4000, 'Caller'),
    ...over,
  });
  const listed = async (query: string, as = main) => {
    const { status, body } = await simulated.call('GET', `Call/?${query}`, { as });
    assert.equal(status, 200, JSON.stringify(body));
    return body.objects.map(({ call_uuid }: { call_uuid: string }) => Number(call_uuid.slice(-12)));
  };
  const { call, subaccount } = simulated;
  return { simulated, main, call, subaccount, write, ended, listed };
}

const start = Date.UTC(2026, 1, 1, 10);

eachDatabase('the records of calls over HTTP', (open) => {
  it('a record shows every field of a call', async () => {
    const w = await world(open);
    await w.write(
      1,
      w.ended(start + 95_000, {
        direction: 'outbound',
        parentLeg: uuid(9),
        initiatedAt: start,
        answeredAt: start + 5_000,
        rate: { perMinute: 850, initialSeconds: 60, incrementSeconds: 60 },
        quality: qualityOf({
          ...silent,
          codec: 'opus',
          protection: 'AES_CM_128_HMAC_SHA1_32',
          packetsReceived: 4500,
          packetsLost: -1,
          packetsSent: 4498,
          jitterMs: 2.345,
          framesConcealed: 2,
          roundTripMs: 30.06,
        }),
      }),
    );
    const { status, body } = await w.call('GET', `Call/${uuid(1)}/`);
    assert.equal(status, 200);
    const { api_id, ...record } = body;
    assert.ok(api_id);
    assert.deepEqual(record, {
      call_uuid: uuid(1),
      parent_call_uuid: uuid(9),
      from_number: '+12025550000',
      to_number: 'alice',
      call_direction: 'outbound',
      call_state: 'ANSWER',
      initiation_time: '2026-02-01 10:00:00+00:00',
      answer_time: '2026-02-01 10:00:05+00:00',
      end_time: '2026-02-01 10:01:35+00:00',
      call_duration: 90,
      bill_duration: 90,
      billed_duration: 120,
      total_amount: '0.01700',
      total_rate: '0.00850',
      hangup_cause_name: 'Normal Hangup',
      hangup_cause_code: 4000,
      hangup_source: 'Caller',
      hangup_reason: null,
      end_explanation: 'The caller (+12025550000) hung up 90 s after the answer.',
      conference_uuid: null,
      stir_verification: 'Not Applicable',
      stir_attestation: null,
      voice_network_group: null,
      source_ip: null,
      cnam_lookup: null,
      media_encryption: 'SRTP AES_CM_128_HMAC_SHA1_32',
      quality: {
        codec: 'opus',
        mos: 4.39,
        packets_received: 4500,
        packets_lost: 0,
        jitter_ms: 2.3,
        round_trip_ms: 30.1,
        frames_concealed: 2,
        packets_sent: 4498,
        remote_loss_percent: null,
      },
      client_quality: null,
      resource_uri: `/v1/Account/${w.main.authId}/Call/${uuid(1)}/`,
    });
  });

  it('reports of its page join its record, of a live call and of an ended one; other calls have none', async () => {
    const w = await world(open);
    await w.write(1);
    await w.write(2, w.ended(start));
    const sample = { packets_received: 250, packets_lost: 0, packets_sent: 249, jitter_ms: 3 };
    const report = (n: number, body: object) => w.call('POST', `Call/${uuid(n)}/ClientQuality/`, { body });
    const first = { ...sample, mos: 4.4, round_trip_ms: 40, codec: 'opus', transport: 'udp' };
    const answer = await report(1, { samples: [first], warnings: ['high-loss'] });
    assert.deepEqual([answer.status, answer.body.message], [202, 'reported']);
    const second = { ...sample, packets_lost: 9, jitter_ms: 31.5, mos: 3.2, round_trip_ms: 20 };
    assert.equal(
      (await report(1, { samples: [sample, second], warnings: ['high-loss', 'high-jitter'] })).status,
      202,
    );
    assert.deepEqual((await w.call('GET', `Call/${uuid(1)}/`)).body.client_quality, {
      samples: 3,
      codec: 'opus',
      transport: 'udp',
      mos: 3.8,
      worst_mos: 3.2,
      packets_received: 750,
      packets_lost: 9,
      packets_sent: 747,
      jitter_ms: 31.5,
      round_trip_ms: 40,
      warnings: ['high-loss', 'high-jitter'],
    });
    assert.equal((await report(2, { samples: [sample] })).status, 202);
    assert.equal((await report(3, { samples: [sample] })).status, 404);
    for (const wrong of [
      {},
      { samples: [] },
      { samples: [{ ...sample, jitter_ms: -1 }] },
      { samples: [{ ...sample, mos: 6 }] },
      { samples: Array(61).fill(sample) },
      { samples: [sample], warnings: ['<script>'] },
    ])
      assert.equal((await report(2, wrong)).status, 400, JSON.stringify(wrong).slice(0, 80));
    assert.equal((await w.call('GET', `Call/${uuid(2)}/`)).body.client_quality.samples, 1);
  });

  it('a filter that is a number finds its calls in both spellings, in pages of one order with one total', async () => {
    const w = await world(open);
    const [one, other] = ['12025550007', '12025550008'];
    for (const [n, from, to] of [
      [1, one, `+${other}`],
      [2, `+${one}`, other],
      [3, one, other],
      [4, other, one],
    ] as const)
      await w.write(n, w.ended(start + n * 1_000, { spec: { from, to } }));
    for (const number of [one, `+${one}`, `%2B${one}`]) {
      assert.deepEqual(await w.listed(`from_number=${number}`), [3, 2, 1], number);
      assert.deepEqual(await w.listed(`to_number=${number}`), [4], number);
    }
    assert.deepEqual(await w.listed(`from_number=${one}&to_number=${other}`), [3, 2, 1]);
    const { body } = await w.call('GET', `Call/?from_number=${one}&limit=1&offset=1`);
    assert.deepEqual([body.meta.total_count, body.objects[0].call_uuid], [3, uuid(2)]);
  });

  it('the list holds ended calls, the newest end first, in pages with a total', async () => {
    const w = await world(open);
    for (const n of [1, 2, 3]) await w.write(n, w.ended(start + n * 1_000));
    await w.write(4);
    const { body } = await w.call('GET', 'Call/?limit=2');
    assert.deepEqual(body.meta, {
      limit: 2,
      offset: 0,
      count: 3,
      total_count: 3,
      next: `/v1/Account/${w.main.authId}/Call/?limit=2&offset=2`,
      previous: null,
    });
    assert.deepEqual(await w.listed('limit=2'), [3, 2]);
    assert.deepEqual(await w.listed('limit=2&offset=2'), [1]);
  });

  it('each filter finds its calls, alone and with others', async () => {
    const w = await world(open);
    const busy = callEnds(3010, 'Call recipient');
    await w.write(1, w.ended(start + 1_000, { spec: { from: 'bob' }, direction: 'inbound' }));
    await w.write(2, w.ended(start + 2_000, { spec: { to: 'carol' }, end: busy }));
    await w.write(3, w.ended(start + 3_000, { parentLeg: uuid(1), answeredAt: start - 57_000 }));
    const expected: Readonly<Record<string, readonly number[]>> = {
      'from_number=bob': [1],
      'to_number=carol': [2],
      'call_direction=INBOUND': [1],
      'hangup_cause_code=3010': [2],
      'hangup_source=call%20recipient': [2],
      [`parent_call_uuid=${uuid(1).toUpperCase()}`]: [3],
      'bill_duration__gte=60': [3],
      'bill_duration__gt=60': [],
      'bill_duration=0': [2, 1],
      'bill_duration_lt=60&hangup_cause_code=4000': [1],
      'end_time__gt=2026-02-01%2010:00:01': [3, 2],
      'end_time__lte=2026-02-01%2010:00:02': [2, 1],
      'end_time=2026-02-01%2010:00': [3, 2, 1],
      'stir_verification=verified': [],
      'stir_verification=Not%20Applicable': [3, 2, 1],
    };
    for (const [query, found] of Object.entries(expected)) {
      assert.deepEqual(await w.listed(query), found, query);
      const { body } = await w.call('GET', `Call/?${query}`);
      assert.equal(body.meta.total_count, found.length, query);
    }
  });

  it('a wrong filter value is refused with a sentence', async () => {
    const w = await world(open);
    for (const query of [
      'end_time=yesterday',
      'hangup_source=Moon',
      'call_direction=up',
      'bill_duration=x',
    ]) {
      const { status, body } = await w.call('GET', `Call/?${query}`);
      assert.equal(status, 400);
      assert.match(body.error, new RegExp(`^${query.split('=')[0]} must be `));
    }
  });

  it('a subaccount sees its own calls, its main account all, and other accounts none', async () => {
    const w = await world(open);
    const sub = await w.subaccount();
    const other = await w.subaccount();
    await w.write(1, w.ended(start));
    await w.write(2, w.ended(start + 1, { account: sub.authId }));
    await w.write(3, { account: sub.authId });
    assert.deepEqual(await w.listed(''), [2, 1]);
    assert.deepEqual(await w.listed('', sub), [2]);
    assert.deepEqual(await w.listed('to_number=alice', sub), [2]);
    assert.deepEqual(await w.listed(`subaccount=${sub.authId}`), [2]);
    assert.deepEqual(await w.listed('', other), []);
    for (const [as, total] of [
      [w.main, 1],
      [sub, 1],
      [other, 0],
    ] as const) {
      const { body } = await w.call('GET', `Call/?subaccount=${sub.authId}`, { as });
      assert.equal(body.meta.total_count, total);
    }
    assert.equal((await w.call('GET', `Call/${uuid(1)}/`, { as: sub })).status, 404);
    assert.equal((await w.call('GET', `Call/${uuid(2)}/`, { as: sub })).status, 200);
    assert.equal((await w.call('DELETE', `Call/${uuid(3)}/`, { as: other })).status, 404);
    assert.deepEqual((await w.call('GET', 'Call/?status=live', { as: other })).body.calls, []);
    assert.deepEqual((await w.call('GET', 'Call/?status=live')).body.calls, [uuid(3)]);
  });

  it('a live call shows its present state until its end; no call is ever queued', async () => {
    const w = await world(open);
    await w.write(1, { initiatedAt: start, requestUuid: uuid(7) });
    await w.write(2, w.ended(start));
    const { body } = await w.call('GET', `Call/${uuid(1)}/?status=live`);
    const { api_id, ...live } = body;
    assert.ok(api_id);
    assert.deepEqual(live, {
      call_uuid: uuid(1),
      call_status: 'ringing',
      caller_name: 'A',
      direction: 'outbound',
      from: '+12025550000',
      to: 'alice',
      request_uuid: uuid(7),
      session_start: '2026-02-01 10:00:00.000000',
      stir_verification: 'Not Applicable',
      stir_attestation: null,
    });
    assert.equal((await w.call('GET', `Call/${uuid(2)}/?status=live`)).status, 404);
    assert.equal((await w.call('GET', `Call/${uuid(1)}/?status=queued`)).status, 404);
    assert.deepEqual((await w.call('GET', 'Call/?status=queued')).body.calls, []);
    assert.equal((await w.call('GET', `Call/${uuid(1)}/`)).body.call_state, 'RINGING');
  });

  it('one call is hung up, or all', async () => {
    const w = await world(open);
    const { orders } = w.simulated.telephony;
    const [ringing, answered] = [await ringingCall(w.simulated), await answeredCall(w.simulated)];
    await w.write(3, w.ended(start));
    const before = orders.length;
    const hungUp = () =>
      orders
        .slice(before)
        .filter((order) => order.startsWith('hang up'))
        .map((order) => order.split(' ')[2])
        .sort();
    assert.equal((await w.call('DELETE', `Call/${uuid(3)}/`)).status, 404);
    const another = await ringingCall(w.simulated);
    assert.equal((await w.call('DELETE', `Call/${another}/`)).status, 204);
    assert.deepEqual(hungUp(), [another]);
    assert.equal((await w.call('DELETE', 'Call/')).status, 204);
    assert.deepEqual(hungUp(), [another, ringing, answered].sort());
    await w.simulated.advance(100);
    for (const leg of [another, ringing, answered]) {
      const { body } = await w.call('GET', `Call/${leg}/`);
      assert.deepEqual([body.hangup_cause_code, body.hangup_source], [4000, 'API Request']);
    }
  });

  it('the calls of a request are cancelled until their answer', async () => {
    const w = await world(open);
    const [ringing, answered] = [await ringingCall(w.simulated), await answeredCall(w.simulated)];
    // Another call of the same request.
    await w.write(5, { requestUuid: ringing, phase: 'answered', answeredAt: start });
    assert.equal((await w.call('DELETE', `Request/${ringing}/`)).status, 204);
    assert.equal((await w.call('DELETE', `Request/${answered}/`)).status, 404);
    assert.equal((await w.call('DELETE', `Request/${uuid(9)}/`)).status, 404);
    await w.simulated.advance(100);
    const { body } = await w.call('GET', `Call/${ringing}/`);
    assert.deepEqual([body.hangup_cause_code, body.hangup_source], [1000, 'API Request']);
    const { orders } = w.simulated.telephony;
    assert.deepEqual(
      orders.filter((order) => order.startsWith('hang up')).map((order) => order.split(' ')[2]),
      [ringing],
    );
    assert.deepEqual(
      (await w.call('GET', 'Call/?status=live')).body.calls.sort(),
      [answered, uuid(5)].sort(),
    );
  });
});

onEmbeddedDatabase('the indexes of calls', (open) => {
  it('every list is answered from the index of its most selective filter, in its order', async () => {
    const database = await open(callMigrations);
    const main = { authId: 'MA1', isSubaccount: false, parent: null, main: 'MA1' };
    const sub = { authId: 'SA1', isSubaccount: true, parent: 'MA1', main: 'MA1' };
    const text = { from: 'a', to: 'b', cause: 4000, source: 'Caller', direction: 'inbound' } as const;
    const expected = [
      [main, {}, 'calls_by_main (main_account=?'],
      [main, { ended: { from: 1 } }, 'calls_by_main (main_account=? AND ended_at>?'],
      [main, { parent: 'p', ...text }, 'calls_by_parent (main_account=? AND parent_call_uuid=?'],
      [main, text, 'calls_by_from (main_account=? AND from_number=?'],
      [main, { ...text, from: undefined }, 'calls_by_to (main_account=? AND to_number=?'],
      [
        main,
        { cause: 4000, source: 'Caller', direction: 'inbound' },
        'calls_by_cause (main_account=? AND hangup_code=?',
      ],
      [
        main,
        { source: 'Caller', direction: 'inbound' },
        'calls_by_source (main_account=? AND hangup_source=?',
      ],
      [main, { direction: 'inbound' }, 'calls_by_direction (main_account=? AND direction=?'],
      [main, { subaccount: 'SA1' }, 'calls_of_sub (account=?'],
      [main, { subaccount: 'SA1', from: 'a' }, 'calls_of_sub_by_from (account=? AND from_number=?'],
      [main, { from: '+12025550007' }, 'calls_by_from (main_account=? AND from_number=?'],
      [sub, {}, 'calls_of_sub (account=?'],
      [sub, text, 'calls_of_sub_by_from (account=? AND from_number=?'],
      [sub, { to: 'b' }, 'calls_of_sub_by_to (account=? AND to_number=?'],
      [sub, { cause: 4000 }, 'calls_of_sub_by_cause (account=? AND hangup_code=?'],
      [sub, { source: 'Caller' }, 'calls_of_sub_by_source (account=? AND hangup_source=?'],
      [sub, { direction: 'inbound' }, 'calls_of_sub_by_direction (account=? AND direction=?'],
    ] as const;
    for (const [viewer, filters, index] of expected) {
      const page = pageOfCalls(tablesOf(database.read), viewer, filters, { limit: 20, offset: 0 }).compile();
      const explained: CompiledQuery<{ detail: string }> = {
        ...page,
        sql: `EXPLAIN QUERY PLAN ${page.sql}`,
      } as never;
      const { rows } = await database.read.executeQuery(explained);
      const plan = rows.map(({ detail }) => detail).join('; ');
      // The two spellings of a number are merged in their order.
      const searches = plan.replace('MERGE (UNION ALL); LEFT; ', '');
      assert.ok(
        searches.startsWith(`SEARCH calls USING INDEX ${index}`),
        `${JSON.stringify(filters)}: ${plan}`,
      );
      assert.doesNotMatch(plan, /TEMP B-TREE/, JSON.stringify(filters));
    }
  });
});
