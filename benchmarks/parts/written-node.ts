import { emptyLeg } from '@jackfield/platform/call-records';
import type { Database } from '@jackfield/ports';
import { sql } from 'kysely';

/** What the benches of writing to PostgreSQL give a node, which has no platform around it. */
export const log = {
  debug() {},
  info() {},
  warn() {},
  error: (...what: unknown[]) => console.error(...what),
};

/** Calls cost nothing. */
export const usage = {
  currency: 'USD',
  rateOf: () => emptyLeg.rate,
  isPriced: () => true,
  rateOfStreams: () => emptyLeg.rate,
  amountOf: () => ({ billedSeconds: 0, units: 0, amount: '0.00000' }),
};

/** Joins the cluster of a migrated database as the node of this seat; gives its incarnation. */
export async function joinAs(database: Database, seat: number, lanes: number): Promise<number> {
  const incarnation = seat + 1;
  await database.transact(async (write) => {
    for (let lane = 0; lane <= lanes; lane++)
      await sql`INSERT INTO incarnation_lanes (incarnation, lane) VALUES (${incarnation}, ${lane})`.execute(
        write,
      );
  });
  database.join({ incarnation, seat, onEnded: () => {} });
  return incarnation;
}
