import type { Database, DatabaseMember, Logger, Write } from '@jackfield/ports';
import { sql } from 'kysely';
import { createCopiedDatabase } from './migrated-files.ts';

/** One embedded database that several nodes of this process share, as they share PostgreSQL. */
export interface SharedFiles {
  /** For one process of a node; its `close` leaves the data to the others. */
  open(): Database;
  close(): Promise<void>;
}

class IncarnationEndedError extends Error {
  readonly code = 'incarnation-ended';

  constructor() {
    super('another process has ended this incarnation');
    this.name = 'IncarnationEndedError';
  }
}

/** Units of all nodes run one after another: nothing of one node is between two statements of another. The fence holds as on PostgreSQL. */
export function createSharedFiles(options: {
  readonly directory: string;
  readonly log: Logger;
}): SharedFiles {
  const files = createCopiedDatabase(options);
  return {
    open() {
      let member: DatabaseMember | undefined;
      let hasEnded = false;

      async function checkFence(write: Write): Promise<void> {
        if (member === undefined) return;
        const { rows } = await sql`
          SELECT 1 FROM incarnation_lanes WHERE incarnation = ${member.incarnation} LIMIT 1`.execute(write);
        if (rows.length > 0) return;
        if (!hasEnded) member.onEnded();
        hasEnded = true;
        throw new IncarnationEndedError();
      }

      const transact: Database['transact'] = (work, unit) =>
        files.transact(async (write) => {
          await checkFence(write);
          return work(write);
        }, unit);
      return Object.create(files, {
        isShared: { value: true },
        transact: { value: transact },
        join: {
          value(joining: DatabaseMember) {
            member = joining;
          },
        },
        close: { value: async () => {} },
      });
    },
    close: () => files.close(),
  };
}
