import type { Database, Instant, Write } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import { viewOf } from '../accounts/index.ts';
import { type DeviceRow, devicesOf } from './device-queries.ts';
import { endpointQueries, type ShownRow } from './endpoint-queries.ts';
import { type EndpointRemoval, type EndpointsChanged, endpointRemoval, tablesOf } from './removal-store.ts';
import type { EndpointRow } from './tables.ts';

/** SQL of the endpoints. Reads see the last commit; writes belong to the given transaction. */
export interface EndpointStore extends EndpointRemoval {
  /** With its newest live binding. */
  find(account: RequestAccount, endpointId: string, now: Instant): Promise<ShownRow | undefined>;
  /** The live registrations, newest first; undefined without the endpoint. */
  devices(
    account: RequestAccount,
    endpointId: string,
    now: Instant,
  ): Promise<readonly DeviceRow[] | undefined>;
  /** In the order of creation, each with its newest live binding. */
  list(account: RequestAccount, page: Page, now: Instant): Promise<readonly ShownRow[]>;
  total(account: RequestAccount): Promise<number>;
  /**
   * First in the transaction that creates an endpoint: its row locks serialise the creations of an account, so that they do
   * not compete for a stamp.
   */
  countNew(write: Write, account: RequestAccount): Promise<void>;
  /** The latest stamp of this base name. */
  lastStamp(write: Write, baseName: string): Promise<number | undefined>;
  insert(write: Write, row: EndpointRow): Promise<void>;
  usernameOf(write: Write, account: RequestAccount, endpointId: string): Promise<string | undefined>;
  change(write: Write, endpointId: string, changes: Partial<EndpointRow>): Promise<void>;
}

export function createEndpointStore(
  { read }: Pick<Database, 'read'>,
  changed: EndpointsChanged,
): EndpointStore {
  const queries = endpointQueries(read);

  // The main account first in every transaction: no deadlock.
  async function changeTotals(write: Write, main: string, account: string, change: number): Promise<void> {
    await write.executeQuery(queries.changeTotal(main, change));
    if (account !== main) await write.executeQuery(queries.changeTotal(account, change));
  }

  return {
    async find(account, endpointId, now) {
      return (await read.executeQuery(queries.one(account, endpointId, now))).rows[0];
    },
    devices: (account, endpointId, now) => devicesOf(read, account, endpointId, now),
    async list(account, page, now) {
      const { rows } = await read.executeQuery(queries.page(account, page, now));
      // The rows of one endpoint are adjacent, its newest binding first.
      return rows.filter((row, at) => row.endpoint_id !== rows[at - 1]?.endpoint_id);
    },
    async total(account) {
      return (await read.executeQuery(queries.total(account.authId))).rows[0]?.total ?? 0;
    },
    countNew: (write, account) => changeTotals(write, account.main, account.authId, 1),
    async lastStamp(write, baseName) {
      return (await write.executeQuery(queries.lastStamp(baseName))).rows[0]?.stamp;
    },
    async insert(write, row) {
      await write.executeQuery(queries.insert(row));
      changed([row.username]);
    },
    async usernameOf(write, account, endpointId) {
      const row = await tablesOf(write)
        .selectFrom('sip_endpoints')
        .select('username')
        .where('endpoint_id', '=', endpointId)
        .where(viewOf(account), '=', account.authId)
        .executeTakeFirst();
      return row?.username;
    },
    async change(write, endpointId, changes) {
      const rows = await tablesOf(write)
        .updateTable('sip_endpoints')
        .set(changes)
        .where('endpoint_id', '=', endpointId)
        .returning('username')
        .execute();
      changed(rows.map(({ username }) => username));
    },
    ...endpointRemoval(changeTotals, changed),
  };
}
