import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callEnds, type Migration } from '@jackfield/ports';
import { eachDatabase } from '@jackfield/testkit';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import { createUsage, freeOfCharge } from '../usage/index.ts';
import { callMigrations } from './create-calls.ts';
import type { CallLeg } from './domain/call-leg.ts';
import { qualityOf } from './legs/quality-of.ts';
import { createCallStore } from './store.ts';
import { tablesOf } from './tables.ts';
import { exampleLeg, silent } from './testing/example-leg.ts';

const ringing = exampleLeg({
  account: 'SA1',
  mainAccount: 'MA1',
  spec: { callerName: 'Zoë 🎧' },
  phase: 'ringing',
  initiatedAt: 1_000,
  rate: { perMinute: 850, initialSeconds: 30, incrementSeconds: 6 },
  callbacks: { hangup: { url: 'https://example.com/hangup', method: 'POST' }, fields: { MPCName: 'room' } },
});
const quality = qualityOf({
  ...silent,
  codec: 'PCMU',
  protection: 'AES_CM_128_HMAC_SHA1_80',
  packetsReceived: 1500,
  packetsLost: 4,
  packetsSent: 1501,
  jitterMs: 1.26,
  framesConcealed: 3,
  roundTripMs: 21.04,
  remoteFractionLost: 1 / 256,
});
const over = callEnds(3010, 'Call recipient');
const ended = (leg: CallLeg, endedAt = 1_500): CallLeg => ({ ...leg, phase: 'ended', endedAt, end: over });

/** The part of the accounts that records need: the subaccounts. */
const accounts: Migration = {
  name: 'accounts/0001-accounts',
  sql: "CREATE TABLE accounts (auth_id TEXT NOT NULL, enabled INTEGER NOT NULL); INSERT INTO accounts VALUES ('SA1', 1), ('SA2', 1);",
};

eachDatabase('the records of legs', (open) => {
  async function opened() {
    const database = await open([accounts, ...callMigrations]);
    const store = createCallStore(database, createUsage(freeOfCharge));
    const save = (before: CallLeg | undefined, after: CallLeg) =>
      database.transact((write) => store.save(write, before, after));
    const rows = () => tablesOf(database.read).selectFrom('calls').selectAll().orderBy('call_uuid').execute();
    const totals = async () => {
      const found = await tablesOf(database.read).selectFrom('call_totals').selectAll().execute();
      const sums: Record<string, number> = {};
      for (const { account, total } of found) sums[account] = (sums[account] ?? 0) + Number(total);
      return sums;
    };
    return { database, store, save, rows, totals };
  }

  it('a leg of what lives belongs to the main account where its account is gone; a requested leg is refused', async () => {
    const { save, rows } = await opened();
    const gone = { ...ringing, account: 'SA0' };
    await assert.rejects(save(undefined, { ...gone, isRequested: true }), /authentication failed/);
    await save(undefined, gone);
    assert.deepEqual(
      (await rows()).map(({ account, main_account }) => [account, main_account]),
      [['MA1', 'MA1']],
    );
  });

  it('a leg is written whole at first, then the changes of its answer and its end', async () => {
    const { save, rows } = await opened();
    await save(undefined, ringing);
    const answered: CallLeg = { ...ringing, phase: 'answered', answeredAt: 2_000, dialog: 'of the answer' };
    await save(ringing, answered);
    assert.equal((await rows())[0]?.dialog, 'of the answer');
    const end = callEnds(4000, 'Call recipient');
    await save(answered, { ...answered, phase: 'ended', endedAt: 34_000, end, quality });
    assert.deepEqual(await rows(), [
      {
        call_uuid: 'leg-1',
        incarnation: 0,
        account: 'SA1',
        main_account: 'MA1',
        direction: 'outbound',
        from_number: '+12025550000',
        to_number: 'alice',
        caller_name: 'Zoë 🎧',
        request_uuid: 'leg-1',
        parent_call_uuid: null,
        parent_request_uuid: 'leg-1',
        source_ip: null,
        callbacks: JSON.stringify(ringing.callbacks),
        rate_per_minute: 850,
        rate_initial_seconds: 30,
        rate_increment_seconds: 6,
        phase: 'ended',
        initiated_at: 1_000,
        answered_at: 2_000,
        time_limit_seconds: 14_400,
        dialog: null,
        headers: null,
        ended_at: 34_000,
        hangup_code: 4000,
        hangup_name: 'Normal Hangup',
        hangup_source: 'Call recipient',
        hangup_reason: null,
        bill_seconds: 32,
        billed_seconds: 36,
        total_amount: 510,
        quality: JSON.stringify(quality),
        client_quality: null,
        trunk_id: null,
        trunk_account: null,
        trunk_main_account: null,
      },
    ]);
  });

  it('old calls are removed in batches, the oldest first, and are counted no more; a live one stays', async () => {
    const { store, save, rows, totals } = await opened();
    for (const number of [1, 2, 3, 4]) {
      const leg = { ...ringing, leg: `leg-${number}` };
      await save(undefined, leg);
      if (number < 4) await save(leg, { ...ended(leg), endedAt: 1_000 * (4 - number) });
    }
    const own = exampleLeg({ leg: 'leg-5' });
    await save(undefined, own);
    await save(own, { ...ended(own), endedAt: 1_500 });
    assert.deepEqual(await totals(), { MA1: 4, SA1: 3 });
    const left = async () => (await rows()).map(({ call_uuid }) => call_uuid);
    assert.equal(await store.removeEnded(1_000, 10), 0);
    assert.equal(await store.removeEnded(3_000, 1), 1);
    assert.deepEqual(await left(), ['leg-1', 'leg-2', 'leg-4', 'leg-5']);
    assert.equal(await store.removeEnded(3_000, 10), 2);
    assert.deepEqual(await left(), ['leg-1', 'leg-4']);
    assert.deepEqual(await totals(), { MA1: 1, SA1: 1 });
    assert.equal(await store.removeEnded(Number.MAX_SAFE_INTEGER, 10), 1);
    assert.deepEqual(await left(), ['leg-4']);
  });

  it('an ended leg is counted once, for its account and the main account', async () => {
    const { save, totals } = await opened();
    for (const leg of ['leg-1', 'leg-2', 'leg-3']) {
      await save(undefined, { ...ringing, leg });
      await save({ ...ringing, leg }, ended({ ...ringing, leg }));
    }
    await save(undefined, { ...ringing, leg: 'leg-4' });
    const own = exampleLeg({ leg: 'leg-5' });
    await save(undefined, own);
    await save(own, ended(own));
    assert.deepEqual(await totals(), { MA1: 4, SA1: 3 });
  });

  it('a leg whose end was lost is billed for its time limit at most, and never for less than zero', async () => {
    for (const [diedAt, seconds] of [
      [86_400_000, 300],
      [0, 1],
    ] as const) {
      const { store, save, rows } = await opened();
      const spec = { ...ringing.spec, timeLimitSeconds: 300 };
      const answered: CallLeg = { ...ringing, spec, phase: 'answered', answeredAt: 2_000 };
      await save(undefined, answered);
      await store.endForgotten(
        { number: 0, token: '0', diedAt: () => diedAt },
        { appendEvents: async () => {} },
      );
      const [row] = await rows();
      assert.equal(row?.bill_seconds, seconds);
      assert.ok(row.ended_at! >= 2_000);
    }
  });

  it('legs without an end are ended with 5010 at the next start, and no others; their events are emitted', async () => {
    const { store, save, rows, totals } = await opened();
    await save(undefined, ringing);
    await save(undefined, ended({ ...ringing, leg: 'leg-2' }));
    const events: OutboxEvent[] = [];
    const append = async (_write: unknown, appended: readonly OutboxEvent[]) => void events.push(...appended);
    assert.equal(
      await store.endForgotten({ number: 0, token: '0', diedAt: () => 7_000 }, { appendEvents: append }),
      1,
    );
    assert.deepEqual(
      (await rows()).map((row) => [row.call_uuid, row.phase, row.ended_at, row.hangup_code]),
      [
        ['leg-1', 'ended', 7_000, 5010],
        ['leg-2', 'ended', 1_500, 3010],
      ],
    );
    assert.deepEqual(await totals(), { MA1: 2, SA1: 2 });
    assert.equal(events.length, 1);
    const [{ type, resource, callback, payload } = {} as OutboxEvent] = events;
    assert.deepEqual([type, resource], ['call.ended', 'call/leg-1']);
    assert.deepEqual(callback, { url: 'https://example.com/hangup', method: 'POST' });
    assert.equal(payload.HangupCauseCode, '5010');
    assert.equal(payload.MPCName, 'room');
    assert.equal(payload.Event, 'Hangup');
    assert.equal(payload.CallStatus, 'failed');
  });

  it('the record of a live leg has the headers of its INVITE, for its end at the next start; that of an ended leg has none', async () => {
    const { store, save, rows } = await opened();
    const headers = { 'X-PH-Ticket': 'Zoë', 'SIP-H-To': '<sip:desk@sip.example.com>' };
    const offered = exampleLeg({ direction: 'inbound', phase: 'offered', headers });
    const answered: CallLeg = { ...offered, phase: 'answered', answeredAt: 2_000 };
    await save(undefined, offered);
    await save(offered, answered);
    assert.deepEqual(JSON.parse((await rows())[0]?.headers ?? ''), headers);
    const events: OutboxEvent[] = [];
    const append = async (_write: unknown, appended: readonly OutboxEvent[]) => void events.push(...appended);
    await store.endForgotten({ number: 0, token: '0', diedAt: () => 7_000 }, { appendEvents: append });
    const { 'X-PH-Ticket': ticket, 'SIP-H-To': to } = events[0]?.payload ?? {};
    assert.deepEqual({ 'X-PH-Ticket': ticket, 'SIP-H-To': to }, headers);
    assert.equal((await rows())[0]?.headers, null);
  });

  it('the records of a subaccount are removed with their count, and those of live legs stay until their end', async () => {
    const { database, store, save, rows, totals } = await opened();
    await save(undefined, ended(ringing));
    await save(undefined, { ...ringing, leg: 'leg-2' });
    await save(undefined, ended({ ...ringing, leg: 'leg-3', account: 'SA2' }));
    assert.deepEqual(await store.liveOf('SA1'), ['leg-2']);
    await database.transact((write) => store.removeOf(write, 'SA1'));
    assert.deepEqual(
      (await rows()).map((row) => row.call_uuid),
      ['leg-2', 'leg-3'],
    );
    assert.deepEqual(await totals(), { MA1: 1, SA2: 1 });
  });

  it('the records of a subaccount pass to its main account, which has counted them before', async () => {
    const { database, store, save, rows, totals } = await opened();
    await save(undefined, ended(ringing));
    await save(undefined, { ...ringing, leg: 'leg-2' });
    await database.transact((write) => store.passOn(write, 'SA1', 'MA1'));
    assert.deepEqual(
      (await rows()).map((row) => row.account),
      ['MA1', 'MA1'],
    );
    assert.deepEqual(await totals(), { MA1: 1 });
  });
});
