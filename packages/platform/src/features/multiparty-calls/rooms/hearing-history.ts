import type { Database, Write } from '@jackfield/ports';
import type { Page } from '../../../kernel/pagination.ts';
import type { TimeRange } from '../../../kernel/time-range.ts';
import type { HearingChange, HearingEdge } from '../domain/hearing-change.ts';
import type { Role } from '../domain/participant.ts';
import { type HearingRow, reading, writing } from '../tables.ts';

export interface HearingFilters {
  readonly listener?: number | undefined;
  readonly speaker?: number | undefined;
  readonly listenerRole?: Role | undefined;
  readonly speakerRole?: Role | undefined;
  readonly isCoach?: boolean | undefined;
  /** Edges that were open at some moment of this time. */
  readonly at?: TimeRange | undefined;
}

/** A row, with roles and calls of both participants. */
export interface NamedHearing extends HearingRow {
  readonly listener_role: Role;
  readonly listener_call: string;
  readonly speaker_role: Role;
  readonly speaker_call: string;
}

/** Runs in the transaction of the step that changed the edges. */
export async function saveHearing(
  write: Write,
  mpcUuid: string,
  { at, opened, closed }: HearingChange,
): Promise<void> {
  const tables = writing(write);
  for (const [fixed, edges] of groupsOf(closed)) {
    const other = fixed === 'listener' ? 'speaker' : 'listener';
    const { isCoach } = edges[0];
    await tables
      .updateTable('multiparty_hearing')
      // A process that was killed is known alive until `at`, and may have opened an edge later.
      .set(({ eb, ref }) => ({
        to_at: eb.case().when('from_at', '>', at).then(ref('from_at')).else(at).end(),
      }))
      .where('mpc_uuid', '=', mpcUuid)
      .where('to_at', 'is', null)
      .where(fixed, '=', edges[0][fixed])
      .where(
        other,
        'in',
        edges.map((edge) => edge[other]),
      )
      .where('is_coach', '=', isCoach ? 1 : 0)
      .execute();
  }
  for (const edges of portions(opened)) {
    await tables
      .insertInto('multiparty_hearing')
      .values(
        edges.map(({ listener, speaker, isCoach }) => ({
          mpc_uuid: mpcUuid,
          listener,
          speaker,
          is_coach: isCoach ? 1 : 0,
          from_at: at,
          to_at: null,
        })),
      )
      .execute();
  }
}

type Side = 'listener' | 'speaker';
type Edges = [HearingEdge, ...HearingEdge[]];

/**
 * Groups each edge by its listener or by its speaker, whichever has more: two groups when one of many leaves, one for each
 * participant when all leave. One condition for each edge would nest deeper than databases allow.
 */
function groupsOf(closed: readonly HearingEdge[]): Iterable<readonly [Side, Edges]> {
  const sizes = new Map<string, number>();
  const keyOf = (side: Side, edge: HearingEdge) => `${side}/${edge[side]}/${edge.isCoach}`;
  for (const edge of closed) {
    for (const key of [keyOf('listener', edge), keyOf('speaker', edge)]) {
      sizes.set(key, (sizes.get(key) ?? 0) + 1);
    }
  }
  const groups = new Map<string, readonly [Side, Edges]>();
  for (const edge of closed) {
    const [listening, speaking] = [keyOf('listener', edge), keyOf('speaker', edge)];
    const isOfSpeaker = (sizes.get(speaking) ?? 0) > (sizes.get(listening) ?? 0);
    const key = isOfSpeaker ? speaking : listening;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [isOfSpeaker ? 'speaker' : 'listener', [edge]]);
    else group[1].push(edge);
  }
  return groups.values();
}

/** SQLite binds 32,766 values at most in one statement, and a row has six. */
const edgesAtOnce = 5_000;

/** A large call has as many edges as the square of its participants. */
function* portions(edges: readonly HearingEdge[]): Generator<readonly HearingEdge[]> {
  for (let from = 0; from < edges.length; from += edgesAtOnce) yield edges.slice(from, from + edgesAtOnce);
}

/** In the order of their beginning. */
export async function listHearing(
  database: Database,
  mpcUuid: string,
  filters: HearingFilters,
  page: Page,
): Promise<{ readonly total: number; readonly rows: readonly NamedHearing[] }> {
  const { listener, speaker, listenerRole, speakerRole, isCoach, at } = filters;
  let matching = reading(database.read)
    .selectFrom('multiparty_hearing as hearing')
    .innerJoin('multiparty_participants as listening', 'listening.member_id', 'hearing.listener')
    .innerJoin('multiparty_participants as speaking', 'speaking.member_id', 'hearing.speaker')
    .where('hearing.mpc_uuid', '=', mpcUuid);
  if (listener !== undefined) matching = matching.where('hearing.listener', '=', listener);
  if (speaker !== undefined) matching = matching.where('hearing.speaker', '=', speaker);
  if (listenerRole !== undefined) matching = matching.where('listening.role', '=', listenerRole);
  if (speakerRole !== undefined) matching = matching.where('speaking.role', '=', speakerRole);
  if (isCoach !== undefined) matching = matching.where('hearing.is_coach', '=', isCoach ? 1 : 0);
  if (at?.before !== undefined) matching = matching.where('hearing.from_at', '<', at.before);
  const { from } = at ?? {};
  if (from !== undefined) {
    matching = matching.where((where) =>
      where.or([
        where('hearing.to_at', 'is', null),
        where('hearing.to_at', '>', from),
        // An edge that closed in the millisecond of its beginning.
        where.and([where('hearing.to_at', '=', from), where('hearing.from_at', '=', from)]),
      ]),
    );
  }
  const [counted, rows] = await Promise.all([
    matching.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
    matching
      .selectAll('hearing')
      .select([
        'listening.role as listener_role',
        'listening.call_uuid as listener_call',
        'speaking.role as speaker_role',
        'speaking.call_uuid as speaker_call',
      ])
      .orderBy('hearing.from_at')
      .orderBy('hearing.listener')
      .orderBy('hearing.speaker')
      .orderBy('hearing.is_coach')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
  ]);
  return { total: Number(counted.total), rows };
}
