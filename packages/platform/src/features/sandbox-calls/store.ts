import type { Database, Write } from '@jackfield/ports';

// A type, not an interface: withTables asks for a record.
type Tables = {
  sandbox_call_recordings: {
    readonly sandbox_call_uuid: string;
    readonly created_at: number;
    readonly incarnation: number;
  };
};

const writing = (write: Write) => write.withTables<Tables>();

export type SandboxCallStore = ReturnType<typeof createSandboxCallStore>;

/** Files of recordings that must be removed, also after a crash of this process. */
export function createSandboxCallStore(database: Database, incarnation = 0) {
  return {
    add: (call: string, now: number): Promise<void> =>
      database.transact(async (write) => {
        await writing(write)
          .insertInto('sandbox_call_recordings')
          .values({ sandbox_call_uuid: call, created_at: now, incarnation })
          .execute();
      }),

    remove: (call: string): Promise<void> =>
      database.transact(async (write) => {
        await writing(write)
          .deleteFrom('sandbox_call_recordings')
          .where('sandbox_call_uuid', '=', call)
          .execute();
      }),

    async ofIncarnation(ended: number): Promise<readonly string[]> {
      const rows = await database.read
        .withTables<Tables>()
        .selectFrom('sandbox_call_recordings')
        .select('sandbox_call_uuid')
        .where('incarnation', '=', ended)
        .execute();
      return rows.map((row) => row.sandbox_call_uuid);
    },
  };
}
