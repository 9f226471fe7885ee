import type { Database } from '@jackfield/ports';
import { writing } from '../tables.ts';

/** Numbers reserved with one commit; unused numbers of a process are never used later. */
const blockSize = 20;

/** Allocates member ids: small, rising and unique, also after a crash and across nodes. */
export function createMemberIds(database: Database): { next(): Promise<number> } {
  let next = 1;
  let last = 0;
  let reserving: Promise<void> | undefined;

  async function reserve(): Promise<void> {
    const reserved = await database.transact(
      (write) =>
        writing(write)
          .updateTable('multiparty_member_ids')
          .set((columns) => ({ last_reserved: columns('last_reserved', '+', blockSize) }))
          .where('only_row', '=', 1)
          .returning('last_reserved')
          .executeTakeFirstOrThrow(),
      { isolation: 'read-committed', key: 'member-ids' },
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
