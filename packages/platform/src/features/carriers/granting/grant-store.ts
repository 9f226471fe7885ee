import type { Database, Instant, Read, UnitOptions, Write } from '@jackfield/ports';
import { type Kysely, sql } from 'kysely';
import { createKeyedQueue } from '../../../kernel/keyed-queue.ts';
import type { Carrier } from '../domain/carrier.ts';
import type { CallCost } from '../domain/grant-book.ts';
import {
  type Budget,
  type BudgetRequest,
  grantOf,
  type StartTokens,
  type TakenBudget,
  takeStarts,
} from '../domain/grants.ts';
import type { CarrierCallRow } from '../store.ts';

// A type, not an interface: withTables asks for a record.
type GrantTables = {
  readonly carrier_grants: {
    readonly carrier: string;
    readonly incarnation: number;
    readonly calls: number;
    readonly units: number;
    /** The number of the last request that was carried out. */
    readonly request: number;
  };
  readonly carrier_starts: {
    readonly carrier: string;
    readonly tokens: number;
    readonly refilled_at: Instant;
  };
  readonly carrier_spend: { readonly carrier: string; readonly minute: number; readonly units: number };
  readonly carrier_calls: CarrierCallRow;
};

/** The budgets of all nodes on one database. */
export interface GrantStore {
  /** Records the costs and decides about the budget, in one transaction. Rejects when a later request was carried out before. */
  request(request: NodeRequest, now: Instant): Promise<{ readonly budget: Budget; readonly starts: number }>;
  /** Before the INVITE. */
  reserve(
    call: Pick<CarrierCallRow, 'leg' | 'carrier' | 'number' | 'reserved_at' | 'worst_case'>,
  ): Promise<void>;
  /** Calls of an incarnation whose cost is not known. */
  unsettledOf(incarnation: number): Promise<readonly CarrierCallRow[]>;
  /** The carriers at which an incarnation holds a budget. */
  carriersOf(incarnation: number): Promise<readonly string[]>;
  /** What a process alone has spent counts for all nodes; in the rows of its calls they do not see it. */
  moveSpendOfProcessAlone(now: Instant): Promise<void>;
  /** Records the costs of an ended incarnation and returns its budget at a carrier, in one transaction. */
  end(incarnation: number, carrier: string, costs: readonly CallCost[], now: Instant): Promise<void>;
}

export interface NodeRequest {
  readonly carrier: Pick<Carrier, 'name' | 'caps'>;
  readonly number: number;
  readonly request: BudgetRequest;
  readonly costs: readonly CallCost[];
}

/** Behind a request of the same node that was carried out before; the node repeats it under a new number. */
class OvertakenRequestError extends Error {
  constructor(carrier: string) {
    super(`a later request for a budget at carrier ${carrier} was carried out before this one`);
    this.name = 'OvertakenRequestError';
  }
}

const minuteMs = 60_000;
/** The whole minute an hour ago counts: the window is up to a minute longer than an hour, never shorter. */
const windowMinutes = 60;
/** Takes turns on the row of the carrier. */
const unit: UnitOptions = { isolation: 'read-committed', key: 'carrier-grants' };

/** Decides how much a node gets; another decision is for tests that show what it prevents. */
export function createGrantStore(database: Database, incarnation: number, decide = grantOf): GrantStore {
  // Two requests in one transaction would lock the rows of two carriers, in any order.
  const queue = createKeyedQueue();
  const { read } = database;
  return {
    request: (asked, now) =>
      queue.run('requests', () =>
        database.transact((write) => carryOut(write, database, { ...asked, incarnation }, now, decide), unit),
      ),
    reserve: (call) =>
      database.transact(
        async (write) => {
          const row = { ...call, settled_at: null, cost: null, incarnation };
          await tablesOf(write).insertInto('carrier_calls').values(row).execute();
        },
        { isolation: 'read-committed' },
      ),
    unsettledOf: (ended) =>
      tablesOf(read)
        .selectFrom('carrier_calls')
        .selectAll()
        .where('settled_at', 'is', null)
        .where('incarnation', '=', ended)
        .execute(),
    async carriersOf(ended) {
      const rows = await tablesOf(read)
        .selectFrom('carrier_grants')
        .select('carrier')
        .where('incarnation', '=', ended)
        .execute();
      return rows.map(({ carrier }) => carrier);
    },
    async moveSpendOfProcessAlone(now) {
      const settled = await tablesOf(read)
        .selectFrom('carrier_calls')
        .select('carrier')
        .distinct()
        .where('settled_at', 'is not', null)
        .execute();
      for (const { carrier } of settled)
        await queue.run('requests', () =>
          database.transact(
            async (write) => moveSpend(write, carrier, await databaseTime(write, database, now)),
            unit,
          ),
        );
    },
    end: (ended, carrier, costs, now) =>
      queue.run('requests', () =>
        database.transact(async (write) => {
          await recordCosts(write, carrier, costs, await databaseTime(write, database, now));
          await tablesOf(write)
            .deleteFrom('carrier_grants')
            .where('carrier', '=', carrier)
            .where('incarnation', '=', ended)
            .execute();
        }, unit),
      ),
  };
}

async function carryOut(
  write: Write,
  database: Database,
  { incarnation, carrier, number, request, costs }: NodeRequest & { readonly incarnation: number },
  nodeTime: Instant,
  decide: typeof grantOf,
) {
  const { name, caps } = carrier;
  const tables = tablesOf(write);
  const before = await lockCarrier(write, name);
  const now = await databaseTime(write, database, nodeTime);
  const own = await tables
    .selectFrom('carrier_grants')
    .select('request')
    .where('carrier', '=', name)
    .where('incarnation', '=', incarnation)
    .executeTakeFirst();
  if (own !== undefined && own.request >= number) throw new OvertakenRequestError(name);
  await recordCosts(write, name, costs, now);
  const budget = decide(caps, await takenBy(write, name, incarnation, now), request);
  await tables
    .insertInto('carrier_grants')
    .values({ carrier: name, incarnation, ...budget, request: number })
    .onConflict((on) => on.columns(['carrier', 'incarnation']).doUpdateSet({ ...budget, request: number }))
    .execute();
  const { starts, tokens, refilledAt } = takeStarts(caps, before, request.starts, now);
  if (caps.callsPerSecond !== undefined)
    await tables
      .updateTable('carrier_starts')
      .set({ tokens, refilled_at: refilledAt })
      .where('carrier', '=', name)
      .execute();
  return { budget, starts };
}

/** Serializes the transactions about a carrier; undefined before the first start. */
async function lockCarrier(write: Write, carrier: string): Promise<StartTokens | undefined> {
  const tables = tablesOf(write);
  const locked = tables
    .selectFrom('carrier_starts')
    .select(['tokens', 'refilled_at'])
    .where('carrier', '=', carrier)
    .forUpdate();
  let row = await locked.executeTakeFirst();
  if (row === undefined) {
    await tables
      .insertInto('carrier_starts')
      .values({ carrier, tokens: 0, refilled_at: 0 })
      .onConflict((on) => on.doNothing())
      .execute();
    row = await locked.executeTakeFirst();
  }
  return row === undefined || row.refilled_at === 0
    ? undefined
    : { tokens: row.tokens, refilledAt: row.refilled_at };
}

/** Once for each call: a repeated report finds no reservation. */
async function recordCosts(
  write: Write,
  carrier: string,
  costs: readonly CallCost[],
  now: Instant,
): Promise<void> {
  if (costs.length === 0) return;
  const costOf = new Map(costs.map(({ leg, cost }) => [leg, cost]));
  const settled = await tablesOf(write)
    .deleteFrom('carrier_calls')
    .where('carrier', '=', carrier)
    .where('leg', 'in', [...costOf.keys()])
    .returning('leg')
    .execute();
  const units = settled.reduce((sum, { leg }) => sum + (costOf.get(leg) ?? 0), 0);
  const minute = Math.floor(now / minuteMs);
  if (units > 0) await addSpend(write, { carrier, minute, units });
  await tablesOf(write)
    .deleteFrom('carrier_spend')
    .where('carrier', '=', carrier)
    .where('minute', '<', minute - 2 * windowMinutes)
    .execute();
}

/** Of several nodes that start together one finds the rows. */
async function moveSpend(write: Write, carrier: string, now: Instant): Promise<void> {
  await lockCarrier(write, carrier);
  const calls = await tablesOf(write)
    .deleteFrom('carrier_calls')
    .where('carrier', '=', carrier)
    .where('settled_at', 'is not', null)
    .returning(['settled_at', 'cost'])
    .execute();
  const spent = new Map<number, number>();
  for (const { settled_at, cost } of calls) {
    const minute = Math.floor(settled_at! / minuteMs);
    spent.set(minute, (spent.get(minute) ?? 0) + (cost ?? 0));
  }
  const oldest = Math.floor(now / minuteMs) - windowMinutes;
  for (const [minute, units] of spent)
    if (minute >= oldest) await addSpend(write, { carrier, minute, units });
}

async function addSpend(write: Write, spend: GrantTables['carrier_spend']): Promise<void> {
  await tablesOf(write)
    .insertInto('carrier_spend')
    .values(spend)
    .onConflict((on) =>
      on
        .columns(['carrier', 'minute'])
        .doUpdateSet({ units: sql<number>`carrier_spend.units + excluded.units` }),
    )
    .execute();
}

/** One statement, so one snapshot: the end of an incarnation moves units from its budget to the spend. */
async function takenBy(
  write: Write,
  carrier: string,
  incarnation: number,
  now: Instant,
): Promise<TakenBudget> {
  const oldest = Math.floor(now / minuteMs) - windowMinutes;
  const { rows } = await sql<Record<'calls' | 'units' | 'spent', number | string | null>>`
    SELECT sum(calls) AS calls, sum(units) AS units,
      (SELECT sum(units) FROM carrier_spend WHERE carrier = ${carrier} AND minute >= ${oldest}) AS spent
    FROM carrier_grants WHERE carrier = ${carrier} AND incarnation <> ${incarnation}`.execute(write);
  const { calls, units, spent } = rows[0]!;
  return { held: { calls: Number(calls ?? 0), units: Number(units ?? 0) }, spent: Number(spent ?? 0) };
}

/** Minutes and starts of all nodes are those of one clock. */
async function databaseTime(write: Write, { dialect }: Database, nodeTime: Instant): Promise<Instant> {
  if (dialect !== 'postgres') return nodeTime;
  const { rows } = await sql<{ now: number | string }>`
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::BIGINT AS now`.execute(write);
  return Number(rows[0]!.now);
}

function tablesOf(read: Read): Kysely<GrantTables> {
  return read.withTables<GrantTables>();
}
