import type { Database, Instant, Read, UnitOptions } from '@jackfield/ports';
import type { Kysely } from 'kysely';

type CarrierCallsTables = {
  readonly carrier_calls: CarrierCallRow;
  // Written by granting/grant-store.ts.
  readonly carrier_grants: { readonly incarnation: number };
  readonly carrier_spend: SpendOfNodes;
};

type SpendOfNodes = { readonly carrier: string; readonly minute: number; readonly units: number };

export type CarrierCallRow = {
  readonly leg: string;
  readonly carrier: string;
  readonly number: string;
  readonly reserved_at: Instant;
  /** 1e-5 units, as all costs. */
  readonly worst_case: number;
  readonly settled_at: Instant | null;
  readonly cost: number | null;
  /** In which it was reserved. */
  readonly incarnation: number;
};

const minuteMs = 60_000;
/** The window of the spend cap is never longer than this. */
const rememberedMs = 61 * minuteMs;

/** Writes its own row; old rows are removed by one lane. */
const unit: UnitOptions = { isolation: 'read-committed', key: 'carrier-calls' };

/** Keeps the spend for a restart. */
export interface CarrierStore {
  /** Before the INVITE. */
  reserve(call: Omit<CarrierCallRow, 'settled_at' | 'cost' | 'incarnation'>): Promise<void>;
  settle(leg: string, carrier: string, cost: number, now: Instant): Promise<void>;
  /** Calls of an incarnation that are not settled. */
  unsettledOf(incarnation: number): Promise<readonly CarrierCallRow[]>;
  /** Calls that were settled in the last hour. */
  settledRecently(now: Instant): Promise<readonly CarrierCallRow[]>;
  /** The spend of the nodes that used the database before this process, by minutes of the last hour. */
  spentByNodes(now: Instant): Promise<readonly SpendOfNodes[]>;
  /** An ended node uses its budgets no more. */
  removeGrants(incarnation: number): Promise<void>;
}

export function createCarrierStore(database: Database, incarnation = 0): CarrierStore {
  return {
    reserve: (call) =>
      database.transact(async (write) => {
        const row = { ...call, settled_at: null, cost: null, incarnation };
        await tablesOf(write).insertInto('carrier_calls').values(row).execute();
      }, unit),
    settle: (leg, carrier, cost, now) =>
      database.transact(async (write) => {
        const tables = tablesOf(write);
        // A free call needs no row; each settled call also removes old rows.
        if (cost === 0) {
          await tables
            .deleteFrom('carrier_calls')
            .where('leg', '=', leg)
            .where('carrier', '=', carrier)
            .execute();
          return;
        }
        await tables
          .updateTable('carrier_calls')
          .set({ settled_at: now, cost })
          .where('leg', '=', leg)
          .where('carrier', '=', carrier)
          .execute();
        await tables
          .deleteFrom('carrier_calls')
          .where('settled_at', '<', now - rememberedMs)
          .execute();
      }, unit),
    unsettledOf: (ended) =>
      tablesOf(database.read)
        .selectFrom('carrier_calls')
        .selectAll()
        .where('settled_at', 'is', null)
        .where('incarnation', '=', ended)
        .execute(),
    settledRecently: (now) =>
      tablesOf(database.read)
        .selectFrom('carrier_calls')
        .selectAll()
        .where('settled_at', '>=', now - rememberedMs)
        .execute(),
    spentByNodes: (now) =>
      tablesOf(database.read)
        .selectFrom('carrier_spend')
        .selectAll()
        .where('minute', '>=', Math.floor((now - rememberedMs) / minuteMs))
        .execute(),
    removeGrants: (ended) =>
      database.transact(async (write) => {
        await tablesOf(write).deleteFrom('carrier_grants').where('incarnation', '=', ended).execute();
      }, unit),
  };
}

function tablesOf(read: Read): Kysely<CarrierCallsTables> {
  return read.withTables<CarrierCallsTables>();
}
