import { callEnds, type Database, type Instant, type Read, type Write } from '@jackfield/ports';
import type { CompiledQuery } from 'kysely';
import type { DiedAt, EndedIncarnation } from '../../kernel/incarnation.ts';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import { ownerNow, requireOwner } from '../accounts/index.ts';
import type { Usage } from '../usage/index.ts';
import type { CallLeg } from './domain/call-leg.ts';
import { outboxEventOf } from './events.ts';
import { type OrphanedLeg, orphanOf, type ReportOrphan } from './legs/orphaned-legs.ts';
import { changingOf, emptyLeg, legOf, livingOf, rowOf } from './records/call-rows.ts';
import { CallTotals } from './records/call-totals.ts';
import { type CallRow, tablesOf } from './tables.ts';

/** SQL of the records of legs. */
export interface CallStore {
  /** Writes the record of a leg: whole at first, with the incarnation in which it lives, then the changes of its answer and its end. */
  save(write: Write, before: CallLeg | undefined, after: CallLeg, incarnation?: number): Promise<void>;
  /**
   * Ends the records of legs whose incarnation has ended, with their events; in portions over the index of live legs. Gives their
   * number.
   */
  endForgotten(ended: EndedIncarnation, reports: ForgottenReports): Promise<number>;
  /** Legs of exactly this account that have not ended. */
  liveOf(account: string): Promise<readonly string[]>;
  /** Subaccounts with legs that live there. */
  liveSubaccounts(incarnation: number): Promise<readonly string[]>;
  /** Removes the records of calls that ended before then, the oldest first, and their counts; resolves with their number. */
  removeEnded(endedBefore: Instant, limit: number): Promise<number>;
  /** Removes the records of a subaccount's ended calls. */
  removeOf(write: Write, account: string): Promise<void>;
  /** Gives the records of a subaccount's calls to its main account, which saw them before as well. */
  passOn(write: Write, account: string, main: string): Promise<void>;
}

export type AppendEvents = (write: Write, events: readonly OutboxEvent[]) => Promise<void>;

/** Receivers of the ends of legs whose process has died. */
export interface ForgottenReports {
  readonly appendEvents: AppendEvents;
  readonly reportOrphan?: ReportOrphan;
  /** After the commit. */
  readonly ended?: (leg: CallLeg) => void;
}

/** True when a change of state changes the record as well: a requested hangup and ringing are no part of it. */
export function isRecorded(before: CallLeg, after: CallLeg): boolean {
  if (before.endedAt !== after.endedAt || before.answeredAt !== after.answeredAt) return true;
  if (before.trunk !== after.trunk && after.trunk !== null) return true;
  if (after.endedAt !== null) return false;
  return before.callbacks !== after.callbacks || before.spec.timeLimitSeconds !== after.spec.timeLimitSeconds;
}

const forgottenPerPortion = 500;

export function createCallStore(
  database: Pick<Database, 'read' | 'transact' | 'laneOfUnit'>,
  usage: Usage,
): CallStore {
  const totals = new CallTotals(database);
  const records = new CallRecords(database, usage, totals);
  return {
    save: (write, before, after, incarnation = 0) => records.save(write, before, after, incarnation),
    endForgotten: (ended, reports) => records.endForgotten(ended, reports),
    liveOf: (account) => liveOf(database.read, account),
    liveSubaccounts: (incarnation) => liveSubaccounts(database.read, incarnation),
    removeEnded: (endedBefore, limit) =>
      database.transact((write) => removeEnded(write, totals, endedBefore, limit)),
    removeOf: (write, account) => removeOf(write, totals, account),
    passOn,
  };
}

/**
 * A call is written three times. Building the statements costs more than running them, so each is built once. The update of a live leg
 * leaves out the columns of its end: no index holds the others, so no index is written.
 */
class CallRecords {
  readonly #database: Pick<Database, 'read' | 'transact' | 'laneOfUnit'>;
  readonly #usage: Usage;
  readonly #totals: CallTotals;
  readonly #insert: CompiledQuery;
  readonly #updateLive: CompiledQuery;
  readonly #updateEnded: CompiledQuery;

  constructor(
    database: Pick<Database, 'read' | 'transact' | 'laneOfUnit'>,
    usage: Usage,
    totals: CallTotals,
  ) {
    this.#database = database;
    this.#usage = usage;
    this.#totals = totals;
    const tables = tablesOf(database.read);
    const update = (columns: Partial<CallRow>) =>
      tables.updateTable('calls').set(columns).where('call_uuid', '=', '').compile();
    this.#insert = tables
      .insertInto('calls')
      .values({ ...rowOf(emptyLeg, usage), incarnation: 0 })
      .compile();
    this.#updateLive = update(livingOf(emptyLeg));
    this.#updateEnded = update(changingOf(emptyLeg, usage));
  }

  async save(write: Write, before: CallLeg | undefined, after: CallLeg, incarnation: number): Promise<void> {
    if (before === undefined) {
      const account = await this.#ownerOfNew(write, after);
      const row = rowOf(account === after.account ? after : { ...after, account }, this.#usage);
      await run(write, this.#insert, [...Object.values(row), incarnation]);
    } else if (after.endedAt === null) {
      await run(write, this.#updateLive, [...Object.values(livingOf(after)), after.leg]);
    } else {
      await run(write, this.#updateEnded, [...Object.values(changingOf(after, this.#usage)), after.leg]);
    }
    if (after.endedAt !== null && (before?.endedAt ?? null) === null) await this.#countEnded(write, after);
  }

  async #ownerOfNew(write: Write, { account, mainAccount, isRequested }: CallLeg): Promise<string> {
    if (!isRequested) return ownerNow(write, account, mainAccount);
    await requireOwner(write, account, mainAccount);
    return account;
  }

  async endForgotten(ended: EndedIncarnation, reports: ForgottenReports): Promise<number> {
    let total = 0;
    for (;;) {
      const found = await this.#database.transact((write) => this.#endPortion(write, ended, reports));
      for (const leg of found) reports.ended?.(leg);
      total += found.length;
      if (found.length < forgottenPerPortion) return total;
    }
  }

  async #endPortion(
    write: Write,
    { number, diedAt }: EndedIncarnation,
    { appendEvents, reportOrphan }: ForgottenReports,
  ): Promise<readonly CallLeg[]> {
    const rows = await tablesOf(write)
      .selectFrom('calls')
      .selectAll()
      .where('ended_at', 'is', null)
      .where('incarnation', '=', number)
      .limit(forgottenPerPortion)
      .execute();
    const ended = rows.map((row) => endedBy(row, diedAt));
    const legs = ended.map(([, after]) => after);
    // The headers of the callers are part of their records until these end.
    const orphans = reportOrphan === undefined ? [] : await orphansAmong(write, legs);
    for (const [before, after] of ended) await this.save(write, before, after, number);
    const owed: OutboxEvent[] = [];
    for (const orphan of orphans) owed.push(...one(await reportOrphan?.(write, orphan)));
    const own = legs.map((leg) => outboxEventOf(leg, 'ended', this.#usage));
    await appendEvents(write, [...owed, ...own]);
    return legs;
  }

  // The main account always comes first: no two transactions wait for each other.
  async #countEnded(write: Write, { leg, account, mainAccount }: CallLeg): Promise<void> {
    await this.#totals.change(write, mainAccount, 1);
    if (account === mainAccount) return;
    const owner = await ownerNow(write, account, mainAccount);
    if (owner === account) await this.#totals.change(write, account, 1);
    // The subaccount was removed with all it had, except the record of this live leg.
    else await giveRecord(write, leg, owner);
  }
}

async function orphansAmong(write: Write, legs: readonly CallLeg[]): Promise<readonly OrphanedLeg[]> {
  const found: OrphanedLeg[] = [];
  for (const leg of legs) {
    if (leg.callbacks?.dial === undefined || leg.parentLeg === null) continue;
    const caller = await tablesOf(write)
      .selectFrom('calls')
      .selectAll()
      .where('call_uuid', '=', leg.parentLeg)
      .executeTakeFirst();
    found.push(...one(orphanOf(leg, caller && legOf(caller))));
  }
  return found;
}

function one<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value];
}

/** A leg whose process died, before and after its end. */
function endedBy(row: CallRow, diedAt: DiedAt): readonly [CallLeg, CallLeg] {
  const leg = legOf(row);
  const since = leg.answeredAt ?? leg.initiatedAt;
  const latest = since + leg.spec.timeLimitSeconds * 1000;
  const endedAt = Math.min(latest, Math.max(since, diedAt(since)));
  return [leg, { ...leg, phase: 'ended', endedAt, end: callEnds(5010, 'Error') }];
}

async function run(write: Write, query: CompiledQuery, parameters: readonly unknown[]): Promise<void> {
  await write.executeQuery({ ...query, parameters });
}

async function giveRecord(write: Write, leg: string, owner: string): Promise<void> {
  await tablesOf(write).updateTable('calls').set({ account: owner }).where('call_uuid', '=', leg).execute();
}

async function liveOf(read: Read, account: string): Promise<readonly string[]> {
  const rows = await tablesOf(read)
    .selectFrom('calls')
    .select('call_uuid')
    .where('account', '=', account)
    .where('ended_at', 'is', null)
    .execute();
  return rows.map(({ call_uuid }) => call_uuid);
}

async function liveSubaccounts(read: Read, incarnation: number): Promise<readonly string[]> {
  const rows = await tablesOf(read)
    .selectFrom('calls')
    .select('account')
    .distinct()
    .where('ended_at', 'is', null)
    .where('incarnation', '=', incarnation)
    .whereRef('account', '<>', 'main_account')
    .execute();
  return rows.map(({ account }) => account);
}

async function removeEnded(
  write: Write,
  totals: CallTotals,
  endedBefore: Instant,
  limit: number,
): Promise<number> {
  const old = await tablesOf(write)
    .selectFrom('calls')
    .select('call_uuid')
    .where('ended_at', 'is not', null)
    .where('ended_at', '<', endedBefore)
    .orderBy('ended_at')
    .limit(limit)
    .execute();
  if (old.length === 0) return 0;
  const uuids = old.map(({ call_uuid }) => call_uuid);
  const removed = await tablesOf(write)
    .deleteFrom('calls')
    .where('call_uuid', 'in', uuids)
    .returning(['account', 'main_account'])
    .execute();
  await totals.remove(write, removed);
  return old.length;
}

async function removeOf(write: Write, totals: CallTotals, account: string): Promise<void> {
  const counted = await tablesOf(write)
    .deleteFrom('call_totals')
    .where('account', '=', account)
    .returning('total')
    .execute();
  const main = await tablesOf(write)
    .selectFrom('calls')
    .select('main_account')
    .where('account', '=', account)
    .whereRef('account', '<>', 'main_account')
    .where('ended_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  if (main === undefined) return;
  const removed = counted.reduce((sum, { total }) => sum + total, 0);
  await totals.change(write, main.main_account, -removed);
  await tablesOf(write)
    .deleteFrom('calls')
    .where('account', '=', account)
    .whereRef('account', '<>', 'main_account')
    .where('ended_at', 'is not', null)
    .execute();
}

async function passOn(write: Write, account: string, main: string): Promise<void> {
  await tablesOf(write).deleteFrom('call_totals').where('account', '=', account).execute();
  const passing = () =>
    tablesOf(write).updateTable('calls').set({ account: main }).where('account', '=', account);
  await passing().where('ended_at', 'is', null).execute();
  await passing().whereRef('account', '<>', 'main_account').where('ended_at', 'is not', null).execute();
  await tablesOf(write)
    .updateTable('calls')
    .set({ trunk_account: main })
    .where('trunk_account', '=', account)
    .where('trunk_id', 'is not', null)
    .whereRef('trunk_account', '<>', 'trunk_main_account')
    .where('ended_at', 'is not', null)
    .execute();
}
