import type { Write } from '@jackfield/ports';
import type { Kysely } from 'kysely';
import type { RequestAccount } from '../../http/index.ts';
import { viewOf } from '../accounts/index.ts';
import type { SipEndpointsTables } from './tables.ts';

export interface EndpointRemoval {
  /** With its registrations. False when the account sees no such endpoint. */
  remove(write: Write, account: RequestAccount, endpointId: string): Promise<boolean>;
  /** Removes the endpoints with this application that the account sees. */
  removeAttached(write: Write, account: RequestAccount, applicationId: string): Promise<void>;
  /** Gives all endpoints with one of these applications another one, or none. */
  reattach(write: Write, applicationIds: readonly string[], to: string | null): Promise<void>;
  /** Removes all endpoints of a subaccount. */
  removeAll(write: Write, subaccount: string): Promise<void>;
  passOn(write: Write, subaccount: string, main: string): Promise<void>;
}

/** Changes the totals of the main account and of the owner. */
type ChangeTotals = (write: Write, main: string, account: string, change: number) => Promise<void>;

export function tablesOf(write: Write): Kysely<SipEndpointsTables> {
  return write.withTables<SipEndpointsTables>();
}

/** Called with the usernames after each statement that creates, changes or deletes endpoints, and with the identifiers of deleted ones. */
export type EndpointsChanged = (usernames: readonly string[], deleted?: readonly string[]) => void;

/** Endpoints that lose their application or their account, or are deleted with bindings and instances. */
export function endpointRemoval(changeTotals: ChangeTotals, changed: EndpointsChanged): EndpointRemoval {
  return {
    async remove(write, account, endpointId) {
      const tables = tablesOf(write);
      const deleted = await tables
        .deleteFrom('sip_endpoints')
        .where('endpoint_id', '=', endpointId)
        .where(viewOf(account), '=', account.authId)
        .returning(['account', 'main_account', 'username'])
        .executeTakeFirst();
      if (deleted === undefined) return false;
      changed([deleted.username], [endpointId]);
      await tables.deleteFrom('sip_bindings').where('endpoint_id', '=', endpointId).execute();
      await tables.deleteFrom('sip_instances').where('endpoint_id', '=', endpointId).execute();
      await changeTotals(write, deleted.main_account, deleted.account, -1);
      return true;
    },
    async removeAttached(write, account, applicationId) {
      const tables = tablesOf(write);
      const attached = tables
        .selectFrom('sip_endpoints')
        .select('endpoint_id')
        .where('application_id', '=', applicationId)
        .where(viewOf(account), '=', account.authId);
      await tables.deleteFrom('sip_bindings').where('endpoint_id', 'in', attached).execute();
      await tables.deleteFrom('sip_instances').where('endpoint_id', 'in', attached).execute();
      const deleted = await tables
        .deleteFrom('sip_endpoints')
        .where('endpoint_id', 'in', attached)
        .returning(['account', 'endpoint_id', 'username'])
        .execute();
      changed(...namesOf(deleted));
      const perOwner = new Map<string, number>();
      for (const { account: owner } of deleted) perOwner.set(owner, (perOwner.get(owner) ?? 0) + 1);
      for (const [owner, count] of perOwner) await changeTotals(write, account.main, owner, -count);
    },
    async reattach(write, applicationIds, to) {
      await tablesOf(write)
        .updateTable('sip_endpoints')
        .set({ application_id: to })
        .where('application_id', 'in', applicationIds)
        .execute();
    },
    async removeAll(write, subaccount) {
      const tables = tablesOf(write);
      const owned = tables
        .selectFrom('sip_endpoints')
        .select('endpoint_id')
        .where('account', '=', subaccount);
      await tables.deleteFrom('sip_bindings').where('endpoint_id', 'in', owned).execute();
      await tables.deleteFrom('sip_instances').where('endpoint_id', 'in', owned).execute();
      const deleted = await tables
        .deleteFrom('sip_endpoints')
        .where('account', '=', subaccount)
        .returning(['main_account', 'endpoint_id', 'username'])
        .execute();
      changed(...namesOf(deleted));
      const main = deleted[0]?.main_account;
      if (main !== undefined) await changeTotals(write, main, main, -deleted.length);
      await forgetTotal(write, subaccount);
    },
    async passOn(write, subaccount, main) {
      // The total of the main account includes them already.
      const passed = await tablesOf(write)
        .updateTable('sip_endpoints')
        .set({ account: main })
        .where('account', '=', subaccount)
        .returning('username')
        .execute();
      changed(passed.map(({ username }) => username));
      await forgetTotal(write, subaccount);
    },
  };
}

function namesOf(deleted: readonly { readonly username: string; readonly endpoint_id: string }[]) {
  return [deleted.map(({ username }) => username), deleted.map(({ endpoint_id }) => endpoint_id)] as const;
}

async function forgetTotal(write: Write, subaccount: string): Promise<void> {
  await tablesOf(write).deleteFrom('sip_endpoint_totals').where('account', '=', subaccount).execute();
}
