import { type Database, type Instant, legSpec, type Write } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { DiedAt } from '../../kernel/last-alive.ts';
import { ownerNow, requireOwner } from '../accounts/index.ts';
import type { Usage } from '../usage/index.ts';
import { billableSecondsOf, type CallLeg } from './domain/call-leg.ts';
import { callEnds } from './domain/hangup-cause.ts';
import type { LegCallbacks } from './domain/leg-owner.ts';
import { outboxEventOf } from './events.ts';
import { reasonOf } from './legs/hangup-reason.ts';
import { type CallRow, tablesOf } from './tables.ts';

/** SQL of the records of legs. */
export interface CallStore {
  /** Writes the record of a leg: whole at first, then what its answer and its end change. */
  save(write: Write, before: CallLeg | undefined, after: CallLeg): Promise<void>;
  /**
   * A leg whose process died has ended with it, and its receivers are told so; at start, in portions over the index of live
   * legs. Gives how many there were.
   */
  endForgotten(diedAt: DiedAt, appendEvents: AppendEvents): Promise<number>;
  /** Legs of exactly this account that have not ended. */
  liveOf(write: Write, account: string): Promise<readonly string[]>;
  /** Removes the records of calls that ended before then, the oldest first, and counts them no more; resolves with how many. */
  removeEnded(endedBefore: Instant, limit: number): Promise<number>;
  /** The records of a subaccount's ended calls go with it. */
  removeOf(write: Write, account: string): Promise<void>;
  /** The records of a subaccount's calls become those of its main account, which saw them before as well. */
  passOn(write: Write, account: string, main: string): Promise<void>;
}

export type AppendEvents = (write: Write, events: readonly OutboxEvent[]) => Promise<void>;

/** True when a change of state changes the record too: neither a wish to hang up nor ringing is part of it. */
export function isRecorded(before: CallLeg, after: CallLeg): boolean {
  if (before.endedAt !== after.endedAt || before.answeredAt !== after.answeredAt) return true;
  if (before.trunk !== after.trunk && after.trunk !== null) return true;
  return before.callbacks !== after.callbacks && after.endedAt === null;
}

/** Calls that end together wait for each other only when they fall into the same slot. */
const slots = 16;
const forgottenPerPortion = 500;

/**
 * A call is written three times: building the statements costs more than running them, so each is built once. The one of a leg that
 * lives leaves out what its end changes: no index holds the rest, so none is written.
 */
export function createCallStore(database: Pick<Database, 'read' | 'transact'>, usage: Usage): CallStore {
  const tables = tablesOf(database.read);
  const insert = tables.insertInto('calls').values(rowOf(emptyLeg, usage)).compile();
  const changing = (columns: Partial<CallRow>) =>
    tables.updateTable('calls').set(columns).where('call_uuid', '=', '').compile();
  const updateLive = changing(livingOf(emptyLeg));
  const updateEnded = changing(changingOf(emptyLeg, usage));
  const count = tables
    .insertInto('call_totals')
    .values({ account: '', slot: 0, total: 0 })
    .onConflict((on) =>
      on.columns(['account', 'slot']).doUpdateSet({ total: sql<number>`call_totals.total + excluded.total` }),
    )
    .compile();

  const run = (write: Write, query: CompiledQuery, parameters: readonly unknown[]) =>
    write.executeQuery({ ...query, parameters });

  const changeTotal = (write: Write, account: string, slot: number, change: number) =>
    run(write, count, [account, slot, change]);

  // The main account comes first, always: no two transactions wait for each other.
  async function countEnded(write: Write, { leg, account, mainAccount }: CallLeg): Promise<void> {
    const slot = slotOf(leg);
    await changeTotal(write, mainAccount, slot, 1);
    if (account === mainAccount) return;
    const owner = await ownerNow(write, account, mainAccount);
    if (owner === account) await changeTotal(write, account, slot, 1);
    // The removal of its subaccount with all it had left the record of the live leg to be ended.
    else
      await tablesOf(write)
        .updateTable('calls')
        .set({ account: owner })
        .where('call_uuid', '=', leg)
        .execute();
  }

  async function save(write: Write, before: CallLeg | undefined, after: CallLeg): Promise<void> {
    if (before === undefined) {
      await requireOwner(write, after.account, after.mainAccount);
      await run(write, insert, Object.values(rowOf(after, usage)));
    } else if (after.endedAt === null)
      await run(write, updateLive, [...Object.values(livingOf(after)), after.leg]);
    else await run(write, updateEnded, [...Object.values(changingOf(after, usage)), after.leg]);
    if (after.endedAt !== null && (before?.endedAt ?? null) === null) await countEnded(write, after);
  }

  return {
    save,

    async endForgotten(diedAt, appendEvents) {
      let total = 0;
      for (;;) {
        const found = await database.transact(async (write) => {
          const rows = await tablesOf(write)
            .selectFrom('calls')
            .selectAll()
            .where('ended_at', 'is', null)
            .limit(forgottenPerPortion)
            .execute();
          const ended = rows.map((row): [CallLeg, CallLeg] => {
            const leg = legOf(row);
            const since = leg.answeredAt ?? leg.initiatedAt;
            const latest = since + leg.spec.timeLimitSeconds * 1000;
            const endedAt = Math.min(latest, Math.max(since, diedAt(since)));
            return [leg, { ...leg, phase: 'ended', endedAt, end: callEnds(5010, 'Error') }];
          });
          for (const [before, after] of ended) await save(write, before, after);
          await appendEvents(
            write,
            ended.map(([, after]) => outboxEventOf(after, 'ended', usage)),
          );
          return rows.length;
        });
        total += found;
        if (found < forgottenPerPortion) return total;
      }
    },

    async liveOf(write, account) {
      const rows = await tablesOf(write)
        .selectFrom('calls')
        .select('call_uuid')
        .where('account', '=', account)
        .where('ended_at', 'is', null)
        .execute();
      return rows.map(({ call_uuid }) => call_uuid);
    },

    removeEnded: (endedBefore, limit) =>
      database.transact(async (write) => {
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
          .returning(['call_uuid', 'account', 'main_account'])
          .execute();
        // One change for each row of the totals, in one order for all transactions.
        const changes = new Map<string, number>();
        for (const { call_uuid, account, main_account } of removed) {
          for (const each of new Set([main_account, account])) {
            const key = `${each}/${slotOf(call_uuid)}`;
            changes.set(key, (changes.get(key) ?? 0) - 1);
          }
        }
        for (const [key, change] of [...changes].sort(([one], [other]) => (one < other ? -1 : 1))) {
          const [account = '', slot] = key.split('/');
          await changeTotal(write, account, Number(slot), change);
        }
        return old.length;
      }),

    async removeOf(write, account) {
      const totals = await tablesOf(write)
        .deleteFrom('call_totals')
        .where('account', '=', account)
        .returning(['slot', 'total'])
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
      for (const { slot, total } of totals) await changeTotal(write, main.main_account, slot, -total);
      await tablesOf(write)
        .deleteFrom('calls')
        .where('account', '=', account)
        .whereRef('account', '<>', 'main_account')
        .where('ended_at', 'is not', null)
        .execute();
    },

    async passOn(write, account, main) {
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
    },
  };
}

function slotOf(uuid: string): number {
  return uuid.charCodeAt(uuid.length - 1) % slots;
}

/** The order of these is the order of the parameters of `insert`. */
function rowOf(leg: CallLeg, usage: Usage): CallRow {
  return {
    call_uuid: leg.leg,
    account: leg.account,
    main_account: leg.mainAccount,
    direction: leg.direction,
    from_number: leg.spec.from,
    to_number: leg.spec.to,
    caller_name: leg.spec.callerName,
    request_uuid: leg.requestUuid,
    parent_call_uuid: leg.parentLeg,
    parent_request_uuid: leg.parentRequestUuid,
    source_ip: leg.sourceAddress,
    rate_per_minute: leg.rate.perMinute,
    rate_initial_seconds: leg.rate.initialSeconds,
    rate_increment_seconds: leg.rate.incrementSeconds,
    initiated_at: leg.initiatedAt,
    ...changingOf(leg, usage),
  };
}

/** As above, for `updateEnded`. */
function changingOf(leg: CallLeg, usage: Usage) {
  const billable = leg.endedAt === null ? 0 : billableSecondsOf(leg);
  const { billedSeconds, units } = usage.amountOf(leg.rate, billable);
  return {
    ...livingOf(leg),
    ended_at: leg.endedAt,
    hangup_code: leg.end?.code ?? null,
    hangup_name: leg.end?.name ?? null,
    hangup_source: leg.end?.source ?? null,
    hangup_reason: leg.end === null ? null : reasonOf(leg.end),
    bill_seconds: billable,
    billed_seconds: billedSeconds,
    total_amount: units,
    quality: leg.quality === null ? null : JSON.stringify(leg.quality),
  };
}

/** As above, for `updateLive`. */
function livingOf(leg: CallLeg) {
  return {
    callbacks: leg.callbacks === null ? null : JSON.stringify(leg.callbacks),
    trunk_id: leg.trunk?.trunk ?? null,
    trunk_account: leg.trunk?.account ?? null,
    trunk_main_account: leg.trunk?.mainAccount ?? null,
    phase: leg.phase,
    answered_at: leg.answeredAt,
    time_limit_seconds: leg.spec.timeLimitSeconds,
  };
}

/** Of calls from before the limit was recorded: the longest that can be asked for. */
const longestTimeLimitSeconds = 86_400;

/** What a row still knows of a leg: enough to tell of its end. */
function legOf(row: CallRow): CallLeg {
  return {
    ...emptyLeg,
    leg: row.call_uuid,
    account: row.account,
    mainAccount: row.main_account,
    direction: row.direction,
    spec: legSpec({
      from: row.from_number,
      to: row.to_number,
      callerName: row.caller_name,
      timeLimitSeconds: row.time_limit_seconds ?? longestTimeLimitSeconds,
    }),
    requestUuid: row.request_uuid,
    parentLeg: row.parent_call_uuid,
    parentRequestUuid: row.parent_request_uuid,
    sourceAddress: row.source_ip,
    trunk: trunkOf(row),
    callbacks: row.callbacks === null ? null : (JSON.parse(row.callbacks) as LegCallbacks),
    rate: {
      perMinute: row.rate_per_minute,
      initialSeconds: row.rate_initial_seconds,
      incrementSeconds: row.rate_increment_seconds,
    },
    phase: row.phase as CallLeg['phase'],
    initiatedAt: row.initiated_at,
    answeredAt: row.answered_at,
  };
}

function trunkOf({ trunk_id, trunk_account, trunk_main_account }: CallRow): CallLeg['trunk'] {
  if (trunk_id === null || trunk_account === null || trunk_main_account === null) return null;
  return { trunk: trunk_id, account: trunk_account, mainAccount: trunk_main_account };
}

const emptyLeg: CallLeg = {
  leg: '',
  account: '',
  mainAccount: '',
  direction: 'inbound',
  owner: null,
  borrower: null,
  unheard: null,
  spec: legSpec({ from: '', to: '', callerName: '' }),
  requestUuid: '',
  parentLeg: null,
  parentRequestUuid: '',
  headers: {},
  sourceAddress: null,
  trunk: null,
  callbacks: null,
  areDigitsSent: false,
  rate: { perMinute: 0, initialSeconds: 60, incrementSeconds: 60 },
  phase: 'offered',
  initiatedAt: 0,
  answeredAt: null,
  endedAt: null,
  end: null,
  wantedEnd: null,
  quality: null,
  pressedKeys: [],
};
