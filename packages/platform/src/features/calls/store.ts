import type { Instant } from '../../kernel/machine.ts';
import type { Database, Write } from '../../ports/database.ts';
import type { CallLeg } from './domain/call-leg.ts';
import { type CallEnd, callEnds } from './domain/hangup-cause.ts';

export type CallsTables = {
  calls: {
    call_uuid: string;
    account: string;
    direction: string;
    owner_kind: string;
    owner_id: string;
    from_number: string;
    to_number: string;
    caller_name: string;
    phase: string;
    initiated_at: number;
    answered_at: number | null;
    ended_at: number | null;
    hangup_code: number | null;
    hangup_name: string | null;
    hangup_source: string | null;
  };
};

/** Writes the record of a leg: whole at first, then only what a step can change. */
export async function saveLeg(write: Write, before: CallLeg | undefined, after: CallLeg): Promise<void> {
  const tables = write.withTables<CallsTables>();
  const changing = {
    phase: after.phase,
    answered_at: after.answeredAt,
    ended_at: after.endedAt,
    hangup_code: after.end?.code ?? null,
    hangup_name: after.end?.name ?? null,
    hangup_source: after.end?.source ?? null,
  };
  if (before !== undefined) {
    // Neither a wish to hang up nor the INVITE itself is part of the record.
    if (before.phase === after.phase || after.phase === 'dialling') return;
    await tables.updateTable('calls').set(changing).where('call_uuid', '=', after.leg).execute();
    return;
  }
  await tables
    .insertInto('calls')
    .values({
      call_uuid: after.leg,
      account: after.account,
      direction: after.direction,
      owner_kind: after.owner.kind,
      owner_id: after.owner.id,
      from_number: after.from,
      to_number: after.to,
      caller_name: after.callerName,
      initiated_at: after.initiatedAt,
      ...changing,
    })
    .execute();
}

/** A leg whose process died has ended with it: one statement over the index of live legs, at start. */
export async function endForgottenLegs(database: Database, now: Instant): Promise<number> {
  const end: CallEnd = callEnds(5010, 'Error');
  return database.transact(async (write) => {
    const result = await write
      .withTables<CallsTables>()
      .updateTable('calls')
      .set({
        phase: 'ended',
        ended_at: now,
        hangup_code: end.code,
        hangup_name: end.name,
        hangup_source: end.source,
      })
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    return Number(result.numUpdatedRows);
  });
}

/** The records of a subaccount's calls go with it. */
export async function removeCallsOf(write: Write, account: string): Promise<void> {
  await write.withTables<CallsTables>().deleteFrom('calls').where('account', '=', account).execute();
}

/** The records of a subaccount's calls become those of its main account, which saw them before as well. */
export async function passCallsOn(write: Write, account: string, main: string): Promise<void> {
  await write
    .withTables<CallsTables>()
    .updateTable('calls')
    .set({ account: main })
    .where('account', '=', account)
    .execute();
}
