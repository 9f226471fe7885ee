import type { Read, Write } from '@jackfield/ports';
import { sql } from 'kysely';

/** How many things an account sees, kept beside them: the plain list has nothing to count. */
export interface AccountTotals {
  /** Undefined where it never had any. */
  of(account: string): Promise<number | undefined>;
  /** For the owner of a thing, and for its main account, which sees what its subaccounts have. */
  change(
    write: Write,
    owner: { readonly account: string; readonly main_account: string },
    by: number,
  ): Promise<void>;
  /** For this account alone. */
  changeOne(write: Write, account: string, by: number): Promise<void>;
  /** Removes the totals of a subaccount that has nothing any more; its main account has counted the things all along. */
  forget(write: Write, subaccount: string): Promise<void>;
}

/** Columns that each table of totals has. */
type TotalsTables = {
  totals: { account: string; kind: string; total: number };
};

/**
 * Totals in the table of this name; those of one `kind` where it counts several. Reads see the last commit; writes run in the
 * caller's transaction.
 */
export function createAccountTotals(read: Read, name: string, kind?: string): AccountTotals {
  // One name stands for all: the columns are the same everywhere.
  const table = name as 'totals';
  const tablesOf = (from: Read) => from.withTables<TotalsTables>();

  async function changeOne(write: Write, account: string, by: number): Promise<void> {
    await tablesOf(write)
      .insertInto(table)
      .values(
        (kind === undefined
          ? { account, total: by }
          : { account, kind, total: by }) as TotalsTables['totals'],
      )
      .onConflict((on) =>
        on
          .columns(kind === undefined ? ['account'] : ['account', 'kind'])
          .doUpdateSet({ total: sql<number>`${sql.ref(`${name}.total`)} + excluded.total` }),
      )
      .execute();
  }

  return {
    async of(account) {
      let rows = tablesOf(read).selectFrom(table).select('total').where('account', '=', account);
      if (kind !== undefined) rows = rows.where('kind', '=', kind);
      return (await rows.executeTakeFirst())?.total;
    },
    async change(write, { account, main_account: main }, by) {
      // The main account always comes first: no two transactions wait for each other.
      await changeOne(write, main, by);
      if (account !== main) await changeOne(write, account, by);
    },
    changeOne,
    async forget(write, subaccount) {
      let rows = tablesOf(write).deleteFrom(table).where('account', '=', subaccount);
      if (kind !== undefined) rows = rows.where('kind', '=', kind);
      await rows.execute();
    },
  };
}
