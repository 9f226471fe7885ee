import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachDatabase } from '@jackfield/testkit';
import type { CallLeg } from './domain/call-leg.ts';
import { callEnds } from './domain/hangup-cause.ts';
import { callsTable } from './migrations/0001-calls.ts';
import { type CallsTables, endForgottenLegs, passCallsOn, removeCallsOf, saveLeg } from './store.ts';

const ringing: CallLeg = {
  leg: 'leg-1',
  account: 'SA1',
  direction: 'outbound',
  owner: { kind: 'multiparty-call', id: 'room' },
  from: '+12025550000',
  to: 'alice',
  callerName: 'Zoë 🎧',
  phase: 'ringing',
  initiatedAt: 1_000,
  answeredAt: null,
  endedAt: null,
  end: null,
  wantedEnd: null,
};

eachDatabase('the records of legs', (open) => {
  async function opened() {
    const database = await open([callsTable]);
    const save = (before: CallLeg | undefined, after: CallLeg) =>
      database.transact((write) => saveLeg(write, before, after));
    const rows = () => database.read.withTables<CallsTables>().selectFrom('calls').selectAll().execute();
    return { database, save, rows };
  }

  it('a leg is written whole at first, then what changes', async () => {
    const { save, rows } = await opened();
    await save(undefined, ringing);
    const answered: CallLeg = { ...ringing, phase: 'answered', answeredAt: 2_000 };
    await save(ringing, answered);
    const end = callEnds(4000, 'Call recipient');
    await save(answered, { ...answered, phase: 'ended', endedAt: 9_000, end });
    assert.deepEqual(await rows(), [
      {
        call_uuid: 'leg-1',
        account: 'SA1',
        direction: 'outbound',
        owner_kind: 'multiparty-call',
        owner_id: 'room',
        from_number: '+12025550000',
        to_number: 'alice',
        caller_name: 'Zoë 🎧',
        phase: 'ended',
        initiated_at: 1_000,
        answered_at: 2_000,
        ended_at: 9_000,
        hangup_code: 4000,
        hangup_name: 'Normal Hangup',
        hangup_source: 'Call recipient',
      },
    ]);
  });

  it('legs without an end are ended with 5010 at the next start, and no others', async () => {
    const { database, save, rows } = await opened();
    await save(undefined, ringing);
    const over = callEnds(3010, 'Call recipient');
    await save(undefined, { ...ringing, leg: 'leg-2', phase: 'ended', endedAt: 1_500, end: over });
    assert.equal(await endForgottenLegs(database, 7_000), 1);
    const ends = (await rows())
      .map((row) => [row.call_uuid, row.phase, row.ended_at, row.hangup_code])
      .sort();
    assert.deepEqual(ends, [
      ['leg-1', 'ended', 7_000, 5010],
      ['leg-2', 'ended', 1_500, 3010],
    ]);
  });

  it('the records of a subaccount go, or pass to its main account', async () => {
    const { database, save, rows } = await opened();
    await save(undefined, ringing);
    await save(undefined, { ...ringing, leg: 'leg-2', account: 'SA2' });
    await database.transact((write) => removeCallsOf(write, 'SA1'));
    await database.transact((write) => passCallsOn(write, 'SA2', 'MA1'));
    assert.deepEqual(
      (await rows()).map((row) => [row.call_uuid, row.account]),
      [['leg-2', 'MA1']],
    );
  });
});
