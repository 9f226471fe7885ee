import type { Database, Instant, Read, UnitOptions } from '@jackfield/ports';
import type { Kysely } from 'kysely';

type CarrierCallsTables = {
  readonly carrier_calls: CarrierCallRow;
};

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

/** The window of the spend cap is never longer than this. */
const rememberedMs = 61 * 60_000;

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
  };
}

function tablesOf(read: Read): Kysely<CarrierCallsTables> {
  return read.withTables<CarrierCallsTables>();
}
