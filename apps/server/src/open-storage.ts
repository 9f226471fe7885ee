import { createSqliteDatabase } from '@jackfield/adapters/database-sqlite';
import { createSecrets, openSecretKey } from '@jackfield/adapters/secrets';
import type { Database, Logger } from '@jackfield/ports';
import type { Config } from './config.ts';
import { openDataDirectory } from './data-directory.ts';
import { explainDirectory, explained, explainPostgres } from './start-failure.ts';

/** Opens the database first: until it is locked, another process may be using it and the data directory. */
export async function openStorage(config: Config, log: Logger, onFatal: (error: Error) => void) {
  const { dataDir, secretKey } = config;
  const database = await openDatabase(config, log, onFatal);
  try {
    const mayMake = secretKey === undefined && (await explained(explainPostgres, () => database.isNew()));
    const secrets = await explained(explainDirectory(dataDir), () => {
      openDataDirectory(dataDir, log);
      return createSecrets(secretKey ?? openSecretKey(dataDir, mayMake));
    });
    return { secrets, database };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openDatabase(
  { dataDir, databaseUrl: url, cluster }: Config,
  log: Logger,
  onTaken: (error: Error) => void,
): Promise<Database> {
  if (url === undefined)
    return explained(explainDirectory(dataDir), () => {
      openDataDirectory(dataDir, log);
      return createSqliteDatabase({ directory: dataDir, log });
    });
  const { createPostgresDatabase, takeProcessLock } = await import('@jackfield/adapters/database-postgres');
  const own = cluster === undefined ? {} : { node: cluster.node };
  const lock = await explained(explainPostgres, () => takeProcessLock({ url, log, onTaken, ...own }));
  return createPostgresDatabase({ url, log, lock, isShared: cluster !== undefined });
}
