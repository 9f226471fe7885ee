import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from '@jackfield/adapters/secrets';
import type { Database, Migration, UnitOptions } from '@jackfield/ports';
import { onTwoNodes } from '@jackfield/testkit';
import { sql } from 'kysely';
import type { AccountResources } from '../../feature.ts';
import { ownerNow, requireOwner } from './access/owner.ts';
import { createSubaccount, removeSubaccount } from './commands.ts';
import { accountsTable } from './migrations/0001-accounts.ts';

const main = 'MA000000000000000000';
const asMain = { authId: main, main, isSubaccount: false } as Parameters<typeof createSubaccount>[1];
const things: Migration = { name: 'test/0001-things', sql: 'CREATE TABLE things (account TEXT NOT NULL)' };
const codes: Migration = {
  name: 'test/0003-codes',
  sql: 'CREATE TABLE codes (account TEXT NOT NULL, recipient TEXT NOT NULL, UNIQUE (account, recipient))',
};
const endpoints: Migration = { name: 'test/0002-endpoints', sql: 'CREATE TABLE sip_endpoints (id TEXT)' };

const resources: AccountResources = {
  async remove(write, account) {
    await sql`DELETE FROM things WHERE account = ${account}`.execute(write);
  },
  async passOn(write, account, to) {
    await sql`UPDATE things SET account = ${to} WHERE account = ${account}`.execute(write);
    await sql`UPDATE codes SET account = ${to} WHERE account = ${account} AND NOT EXISTS
      (SELECT 1 FROM codes other WHERE other.account = ${to} AND other.recipient = codes.recipient)`.execute(
      write,
    );
  },
};

const depsOn = (database: Database) => ({
  database,
  secrets: createSecrets(Buffer.alloc(32, 1)),
  resources: [resources],
  forget: () => {},
  removed: async () => {},
});

async function prepare(database: Database): Promise<string> {
  const created = await createSubaccount(depsOn(database), asMain, { name: 'sub' }, 0);
  assert.ok(created.ok);
  return created.value.authId;
}

const unit: UnitOptions = { isolation: 'read-committed' };

/** As the record of a call does. */
const begin = (database: Database, account: string) =>
  database.transact(async (write) => {
    await requireOwner(write, account, main);
    await sql`INSERT INTO things VALUES (${account})`.execute(write);
  }, unit);

/** As the record of a recording does. */
const record = (database: Database, account: string) =>
  database.transact(async (write) => {
    await sql`INSERT INTO things VALUES (${await ownerNow(write, account, main)})`.execute(write);
  }, unit);

onTwoNodes('a subaccount that is removed', [accountsTable, things, endpoints, codes], ({ race }) => {
  async function check(
    database: Database,
    account: string,
    outcome: { readonly rival: boolean; readonly unit: boolean },
  ) {
    const owned = await sql`SELECT 1 FROM things WHERE account = ${account}`.execute(database.read);
    assert.equal(owned.rows.length, 0);
    const { rows } = await sql`SELECT 1 FROM accounts WHERE auth_id = ${account}`.execute(database.read);
    assert.equal(rows.length, 0);
    assert.ok(outcome.rival || outcome.unit);
  }

  for (const cascade of [true, false]) {
    const remove = (database: Database, account: string) =>
      removeSubaccount(depsOn(database), asMain, account, cascade);
    const how = cascade ? 'with what it owns' : 'and passes on what it owns';

    test(`${how} owns nothing that begins meanwhile`, async () => {
      await race({ prepare, unit: begin, rival: remove, check });
      await race({ prepare, unit: remove, rival: begin, check });
    });

    test(`${how} owns no record that is written meanwhile`, async () => {
      await race({ prepare, unit: record, rival: remove, check });
      await race({ prepare, unit: remove, rival: record, check });
    });
  }

  test('is removed although its main account begins what only one of them may pass on', async () => {
    /** The account is the recipient too, so that each run has one of its own. */
    const verify = (database: Database, account: string, recipient: string) =>
      database.transact(async (write) => {
        await requireOwner(write, account, main);
        await sql`INSERT INTO codes VALUES (${account}, ${recipient})`.execute(write);
      }, unit);
    await race({
      prepare: async (database) => {
        const account = await prepare(database);
        await verify(database, account, account);
        return account;
      },
      unit: async (database, account) =>
        assert.ok((await removeSubaccount(depsOn(database), asMain, account, false)).ok),
      rival: (database, account) => verify(database, main, account),
      // Behind the passing on it is the main account that is refused: it repeats its request.
      check: async (database, account, { unit: removed, rival, at }) => {
        assert.ok(removed, `behind answer ${at}`);
        await check(database, account, { unit: removed, rival });
      },
    });
  });
});
