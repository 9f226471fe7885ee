import type { Database, Secrets } from '@jackfield/ports';
import type { CompiledQuery } from 'kysely';
import type { AccountsTables } from '../store.ts';

/** Look-ups of accounts for every call and every delivery. */
export interface KnownAccounts {
  /** True when `account` is `owner` or a subaccount of it. */
  isWithin(account: string, owner: string): Promise<boolean>;
  /** The account itself, or the main account of a subaccount; undefined for an unknown account. */
  mainAccountOf(authId: string): Promise<string | undefined>;
  /** The token with which requests for the account are signed; undefined for an unknown account. */
  authTokenOf(authId: string): Promise<string | undefined>;
}

type Row = Pick<AccountsTables['accounts'], 'parent' | 'token_sealed'>;

export function createKnownAccounts(
  { read }: Pick<Database, 'read'>,
  secrets: Pick<Secrets, 'decrypt'>,
): KnownAccounts {
  // Building the query costs more than running it.
  const compiled = read
    .withTables<AccountsTables>()
    .selectFrom('accounts')
    .select(['parent', 'token_sealed'])
    .where('auth_id', '=', '')
    .compile();

  async function find(authId: string): Promise<Row | undefined> {
    const query: CompiledQuery<Row> = { ...compiled, parameters: [authId] };
    return (await read.executeQuery(query)).rows[0];
  }

  return {
    async isWithin(account, owner) {
      return account === owner || (await find(account))?.parent === owner;
    },
    async mainAccountOf(authId) {
      const row = await find(authId);
      return row && (row.parent ?? authId);
    },
    async authTokenOf(authId) {
      const row = await find(authId);
      return row && secrets.decrypt(row.token_sealed);
    },
  };
}
