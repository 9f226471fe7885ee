import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import type { Database, Logger, Migration } from '@jackfield/ports';
import type { NewDatabase, PostgresServer } from './postgres-server.ts';

/** Databases of one PostgreSQL server. The second one with the same migrations, and each further one, is a copy of a migrated template. */
export interface MigratedCopies {
  /** A database that its first `migrate` creates. */
  newDatabase(): { open(): Database };
}

interface Migrated {
  databases: number;
  template?: Promise<string>;
}

export function createMigratedCopies(server: PostgresServer, log: Logger): MigratedCopies {
  /** By the text of the migrations. */
  const known = new Map<string, Migrated>();

  async function migratedTemplate(migrations: readonly Migration[]): Promise<string> {
    const { name, url, create } = server.newDatabase();
    await create();
    const database = createPostgresDatabase({ url, log });
    try {
      await database.migrate(migrations);
    } finally {
      await database.close();
    }
    return name;
  }

  /** A template pays from the second database on. */
  function templateOf(migrations: readonly Migration[]): Promise<string> | undefined {
    const key = JSON.stringify(migrations);
    const migrated = known.get(key) ?? { databases: 0 };
    known.set(key, migrated);
    if (migrated.databases++ > 0) migrated.template ??= migratedTemplate(migrations);
    return migrated.template;
  }

  async function createFor(created: NewDatabase, migrations: readonly Migration[]): Promise<void> {
    await created.create(await templateOf(migrations));
  }

  return {
    newDatabase() {
      const own = server.newDatabase();
      let creating: Promise<void> | undefined;
      return {
        open() {
          const database = createPostgresDatabase({ url: own.url, log });
          return {
            ...database,
            async migrate(migrations, areAll) {
              creating ??= createFor(own, migrations);
              await creating;
              await database.migrate(migrations, areAll);
            },
          };
        },
      };
    },
  };
}
