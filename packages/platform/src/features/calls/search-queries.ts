import type { Database } from '@jackfield/ports';
import type { Search } from '../../feature.ts';
import type { RequestAccount } from '../../http/index.ts';
import { spellingsOf } from '../../kernel/number-spellings.ts';
import type { FoundRecord } from '../../kernel/search-term.ts';
import { viewOf } from '../accounts/index.ts';
import { pageOfCalls } from './queries.ts';
import { type CallRow, tablesOf } from './tables.ts';

/** Live calls are in no index by number: a search looks at so many of an account. */
const liveLookedAt = 1_000;

/** Calls by UUID, or by one of their two parties. */
export function searchCalls(database: Pick<Database, 'read'>): Search {
  const tables = tablesOf(database.read);

  async function byUuid(viewer: RequestAccount, uuid: string): Promise<readonly CallRow[]> {
    return tables
      .selectFrom('calls')
      .selectAll()
      .where('call_uuid', '=', uuid)
      .where(viewOf(viewer), '=', viewer.authId)
      .execute();
  }

  async function liveByParty(viewer: RequestAccount, parties: readonly string[], limit: number) {
    const live = tables
      .selectFrom('calls')
      .selectAll()
      .where(viewOf(viewer), '=', viewer.authId)
      .where('ended_at', 'is', null)
      .limit(liveLookedAt);
    return tables
      .selectFrom(live.as('live'))
      .selectAll()
      .where(({ eb, or }) => or([eb('from_number', 'in', parties), eb('to_number', 'in', parties)]))
      .limit(limit)
      .execute();
  }

  return async (viewer, term, limit) => {
    if (term.uuid !== undefined) return (await byUuid(viewer, term.uuid)).map(foundOf);
    const party = term.number ?? term.text;
    const page = { limit, offset: 0 };
    const found = await Promise.all([
      liveByParty(viewer, spellingsOf(party), limit),
      pageOfCalls(tables, viewer, { from: party }, page).execute(),
      pageOfCalls(tables, viewer, { to: party }, page).execute(),
    ]);
    const once = new Map(found.flat().map((row) => [row.call_uuid, row]));
    return [...once.values()].map(foundOf);
  };
}

function foundOf({ call_uuid, from_number, to_number, initiated_at }: CallRow): FoundRecord {
  return {
    kind: 'call',
    id: call_uuid,
    title: `${from_number} → ${to_number}`,
    at: initiated_at,
    path: `Call/${call_uuid}/`,
  };
}
