import type { Database } from '@jackfield/ports';
import { writing } from '../tables.ts';

/** Numbers reserved with one commit; those unused when the process ends are never given out. */
const blockSize = 20;

/** Gives out member ids: small, rising, and never twice, not even after a crash or by two nodes. */
export function createMemberIds(database: Database): { next(): Promise<number> } {
  let next = 1;
  let last = 0;
  let reserving: Promise<void> | undefined;

  async function reserve(): Promise<void> {
    const reserved = await database.transact((write) =>
      writing(write)
        .updateTable('multiparty_member_ids')
        .set((columns) => ({ last_reserved: columns('last_reserved', '+', blockSize) }))
        .where('only_row', '=', 1)
        .returning('last_reserved')
        .executeTakeFirstOrThrow(),
    );
    last = reserved.last_reserved;
    next = last - blockSize + 1;
  }

  return {
    async next() {
      while (next > last) {
        reserving ??= reserve().finally(() => {
          reserving = undefined;
        });
        await reserving;
      }
      return next++;
    },
  };
}
