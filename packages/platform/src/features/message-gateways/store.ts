import type { Database, Instant, Read, UnitOptions, Write } from '@jackfield/ports';
import { type Kysely, sql } from 'kysely';

type MessageSpendTables = {
  readonly message_spend: { gateway: string; minute: number; units: number };
};

/** The spend on messages in the last hour. */
export interface SpendStore {
  /** Counts the worst case before the message goes; false, and nothing counted, when it would exceed the cap. Rejects when it cannot count. */
  reserve(gateway: string, units: number, cap: number, now: Instant): Promise<boolean>;
  /** Returns the cost of a refused message. */
  giveBack(gateway: string, units: number, reservedAt: Instant): Promise<void>;
}

const minuteMs = 60_000;
/** The whole of the minute that is an hour ago counts: the window is up to a minute longer than an hour, never shorter. */
const windowMinutes = 60;
const lockMinute = 0;

const unitOf = (gateway: string): UnitOptions => ({
  isolation: 'read-committed',
  key: `message-spend/${gateway}`,
});

class CapReached extends Error {}

export function createSpendStore(database: Database): SpendStore {
  return {
    async reserve(gateway, units, cap, now) {
      const minute = Math.floor(now / minuteMs);
      try {
        await database.transact(async (write) => {
          // The lock: two units that count concurrently serialise here, and the sum is read after it.
          await add(write, gateway, lockMinute, 0);
          await add(write, gateway, minute, units);
          const row = await tablesOf(write)
            .selectFrom('message_spend')
            .select(({ fn }) => fn.sum<number>('units').as('spent'))
            .where('gateway', '=', gateway)
            .where('minute', '>=', minute - windowMinutes)
            .executeTakeFirstOrThrow();
          if (Number(row.spent) > cap) throw new CapReached();
          await tablesOf(write)
            .deleteFrom('message_spend')
            .where('gateway', '=', gateway)
            .where('minute', '>', lockMinute)
            .where('minute', '<', minute - windowMinutes)
            .execute();
        }, unitOf(gateway));
        return true;
      } catch (error) {
        if (error instanceof CapReached) return false;
        throw error;
      }
    },
    giveBack: (gateway, units, reservedAt) =>
      database.transact(async (write) => {
        await tablesOf(write)
          .updateTable('message_spend')
          .set({ units: sql<number>`units - ${units}` })
          .where('gateway', '=', gateway)
          .where('minute', '=', Math.floor(reservedAt / minuteMs))
          .execute();
      }, unitOf(gateway)),
  };
}

function add(write: Write, gateway: string, minute: number, units: number) {
  return tablesOf(write)
    .insertInto('message_spend')
    .values({ gateway, minute, units })
    .onConflict((on) =>
      on.columns(['gateway', 'minute']).doUpdateSet({ units: sql<number>`message_spend.units + ${units}` }),
    )
    .execute();
}

function tablesOf(read: Read): Kysely<MessageSpendTables> {
  return read.withTables<MessageSpendTables>();
}
