import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '@jackfield/ports';
import { sql } from 'kysely';

/** Resolves when each callback was delivered or given up: no event of a node that is dead reports it. */
export async function untilDelivered({ read }: Database): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      SELECT 1 FROM outbox WHERE delivered_at IS NULL AND abandoned_at IS NULL LIMIT 1`.execute(read);
    if (rows.length === 0) return;
    await pause(50);
  }
}
