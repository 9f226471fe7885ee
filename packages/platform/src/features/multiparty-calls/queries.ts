import type { Database } from '@jackfield/ports';
import type { RequestAccount } from '../../http/index.ts';
import type { Page } from '../../kernel/pagination.ts';
import type { TimeRange } from '../../kernel/time-range.ts';
import { viewOf } from '../accounts/index.ts';
import type { CallReference } from './domain/call-reference.ts';
import { isFriendlyName } from './domain/friendly-name.ts';
import type { TerminationCode } from './domain/termination.ts';
import { type MultipartyCallRow, type ParticipantRow, reading } from './tables.ts';

/** The account in the path of a request: a main account sees the calls of its subaccounts too. */
export type Viewer = Pick<RequestAccount, 'authId' | 'isSubaccount' | 'main'>;

export interface CallFilters {
  readonly name?: string | undefined;
  readonly status?: MultipartyCallRow['status'] | undefined;
  readonly terminationCode?: number | undefined;
  readonly subaccount?: string | undefined;
  readonly created?: TimeRange | undefined;
  readonly ended?: TimeRange | undefined;
}

export type MultipartyCallQueries = ReturnType<typeof createQueries>;

/** Reads for the API. Records are written with each step, so they also show live calls. */
export function createQueries(database: Database) {
  const tables = reading(database.read);

  /** Names belong to one account: those of subaccounts do not collide with each other or with the parent's. */
  function live(account: string, name: string): Promise<MultipartyCallRow | undefined> {
    if (!isFriendlyName(name)) return Promise.resolve(undefined);
    return tables
      .selectFrom('multiparty_calls')
      .selectAll()
      .where('account', '=', account)
      .where('friendly_name', '=', name)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
  }

  function findByUuid(viewer: Viewer, uuid: string): Promise<MultipartyCallRow | undefined> {
    return callsOf(tables, viewer).selectAll().where('mpc_uuid', '=', uuid).executeTakeFirst();
  }

  return {
    live,
    findByUuid,

    /** The call that a path names: by name only while it is live. */
    async find(viewer: Viewer, reference: CallReference): Promise<MultipartyCallRow | undefined> {
      const { uuid, name } = reference;
      const byUuid = uuid === undefined ? undefined : await findByUuid(viewer, uuid);
      return byUuid ?? (name === undefined ? undefined : live(viewer.authId, name));
    },

    /** Newest first; the UUID decides between calls of one millisecond. */
    async list(
      viewer: Viewer,
      filters: CallFilters,
      page: Page,
    ): Promise<{ readonly total: number; readonly rows: readonly MultipartyCallRow[] }> {
      const matching = filtered(callsOf(tables, viewer), filters);
      const [counted, rows] = await Promise.all([
        matching.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
        matching
          .selectAll()
          .orderBy('created_at', 'desc')
          .orderBy('mpc_uuid', 'desc')
          .limit(page.limit)
          .offset(page.offset)
          .execute(),
      ]);
      return { total: Number(counted.total), rows };
    },

    /**
     * In the order of adding. Of a live call the participants dialled or present, of an ended call all; with `members` exactly
     * these, even after they left.
     */
    async participants(
      call: MultipartyCallRow,
      filters: { readonly callUuid?: string | undefined; readonly members?: readonly number[] },
      page: Page,
    ): Promise<{ readonly total: number; readonly rows: readonly ParticipantRow[] }> {
      let matching = tables.selectFrom('multiparty_participants').where('mpc_uuid', '=', call.mpc_uuid);
      if (filters.members !== undefined) matching = matching.where('member_id', 'in', filters.members);
      else if (call.ended_at === null) matching = matching.where('exited_at', 'is', null);
      if (filters.callUuid !== undefined) matching = matching.where('call_uuid', '=', filters.callUuid);
      const [counted, rows] = await Promise.all([
        matching.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
        matching.selectAll().orderBy('member_id').limit(page.limit).offset(page.offset).execute(),
      ]);
      return { total: Number(counted.total), rows };
    },

    present(call: MultipartyCallRow): Promise<readonly ParticipantRow[]> {
      return tables
        .selectFrom('multiparty_participants')
        .selectAll()
        .where('mpc_uuid', '=', call.mpc_uuid)
        .where('phase', '=', 'joined')
        .orderBy('member_id')
        .execute();
    },
  };
}

type Tables = ReturnType<typeof reading>;
type Calls = ReturnType<typeof callsOf>;

function callsOf(tables: Tables, viewer: Viewer) {
  return tables.selectFrom('multiparty_calls').where(viewOf(viewer), '=', viewer.authId);
}

function filtered(calls: Calls, filters: CallFilters): Calls {
  const { name, status, terminationCode, subaccount, created, ended } = filters;
  let matching = calls;
  if (name !== undefined) matching = matching.where('friendly_name', '=', name);
  if (status !== undefined) matching = matching.where('status', '=', status);
  if (terminationCode !== undefined) {
    matching = matching.where('termination_code', '=', terminationCode as TerminationCode);
  }
  if (subaccount !== undefined) matching = matching.where('account', '=', subaccount);
  if (created?.from !== undefined) matching = matching.where('created_at', '>=', created.from);
  if (created?.before !== undefined) matching = matching.where('created_at', '<', created.before);
  if (ended?.from !== undefined) matching = matching.where('ended_at', '>=', ended.from);
  if (ended?.before !== undefined) matching = matching.where('ended_at', '<', ended.before);
  return matching;
}
