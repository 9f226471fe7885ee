import type { Database, EndpointCredential, Promised } from '@jackfield/ports';
import { type CredentialRow, registrarQueries } from '../bindings-store.ts';

/** Credentials of endpoints, in memory where no other process changes the database. */
export interface KnownCredentials {
  /** As the last commit has it. */
  credentialOf(user: string): Promised<EndpointCredential | undefined>;
  /** Called in each transaction that creates, changes or deletes endpoints, after its statement. */
  changed(usernames: readonly string[]): void;
}

/** 40 MB. With more endpoints all credentials are read from the database. */
const maxRemembered = 100_000;
/** Credentials that one look-up adds to the memory, in about a millisecond. */
const pageRows = 500;
// As `createEndpoint` makes them: a letter, up to 24 letters and digits, and 12 digits. Any other text names no endpoint.
const usernameShape = /^[A-Za-z][A-Za-z0-9]{12,36}$/;

/**
 * The memory has the credentials of all endpoints, or is not used: an answer from it for known users alone would reveal by its time who is
 * known. While a change is not committed, each look-up reads the database.
 */
export function createKnownCredentials(
  database: Database,
  limits: { readonly maxRemembered: number } = { maxRemembered },
): KnownCredentials {
  const queries = registrarQueries(database.read, false);
  const remembered = new Map<string, EndpointCredential>();
  // One process owns the embedded database and sees every change.
  const mayRemember = database.dialect === 'sqlite' && !database.isShared;
  let state: 'filling' | 'complete' | 'off' = mayRemember ? 'filling' : 'off';
  let lastPosition = 0;
  let changes = 0;
  let uncommitted = 0;

  async function read(user: string): Promise<EndpointCredential | undefined> {
    const row = (await database.read.executeQuery(queries.credential(user))).rows[0];
    return row === undefined ? undefined : credentialIn(row);
  }

  async function fill(): Promise<void> {
    const before = changes;
    const { rows } = await database.read.executeQuery(queries.credentialsAfter(lastPosition, pageRows));
    // Another look-up has added this page, or its rows may be older than a change.
    if (state !== 'filling' || before !== changes || uncommitted > 0) return;
    if (rows.length > 0 && rows[0]!.position <= lastPosition) return;
    for (const row of rows) remembered.set(row.username, credentialIn(row));
    lastPosition = rows.at(-1)?.position ?? lastPosition;
    if (rows.length < pageRows) state = 'complete';
    if (remembered.size > limits.maxRemembered) stop();
  }

  function stop(): void {
    state = 'off';
    remembered.clear();
  }

  /** The only function that invalidates: a cluster would call it for the writes of other nodes. */
  async function update(usernames: readonly string[]): Promise<void> {
    try {
      // Units commit in their order: when this one is over, the change is committed or rolled back.
      await database.transact(async () => {});
      for (const username of usernames) {
        const credential = await read(username);
        if (credential === undefined) remembered.delete(username);
        else remembered.set(username, credential);
      }
      if (remembered.size > limits.maxRemembered) stop();
    } catch {
      // The database is unavailable or closed, so its present content is unknown.
      stop();
    } finally {
      changes += 1;
      uncommitted -= 1;
    }
  }

  return {
    credentialOf(user) {
      if (!usernameShape.test(user)) return undefined;
      if (uncommitted === 0) {
        if (state === 'complete') return remembered.get(user);
        if (state === 'filling') return fill().then(() => read(user));
      }
      return read(user);
    },
    changed(usernames) {
      if (state === 'off' || usernames.length === 0) return;
      changes += 1;
      uncommitted += 1;
      void update(usernames);
    },
  };
}

function credentialIn({
  account,
  endpoint_id,
  username,
  ha1_md5,
  ha1_sha256,
}: CredentialRow): EndpointCredential {
  return { account, endpoint: endpoint_id, username, ha1: { md5: ha1_md5, sha256: ha1_sha256 } };
}
