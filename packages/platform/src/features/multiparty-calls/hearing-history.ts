import type { Page } from '../../kernel/pagination.ts';
import type { TimeRange } from '../../kernel/time-range.ts';
import type { Database, Write } from '../../ports/database.ts';
import type { HearingChange } from './domain/hearing-history.ts';
import type { Role } from './domain/participant.ts';
import { type HearingRow, reading, writing } from './tables.ts';

export interface HearingFilters {
  readonly listener?: number | undefined;
  readonly speaker?: number | undefined;
  readonly listenerRole?: Role | undefined;
  readonly speakerRole?: Role | undefined;
  readonly isCoach?: boolean | undefined;
  /** Those that were at some moment of this time. */
  readonly at?: TimeRange | undefined;
}

/** A row, with who they were. */
export interface NamedHearing extends HearingRow {
  readonly listener_role: Role;
  readonly listener_call: string;
  readonly speaker_role: Role;
  readonly speaker_call: string;
}

/** In the transaction of the step that changed it. */
export async function saveHearing(
  write: Write,
  mpcUuid: string,
  { at, opened, closed }: HearingChange,
): Promise<void> {
  const tables = writing(write);
  if (closed.length > 0) {
    await tables
      .updateTable('multiparty_hearing')
      .set({ to_at: at })
      .where('mpc_uuid', '=', mpcUuid)
      .where('to_at', 'is', null)
      .where((where) =>
        where.or(
          closed.map(({ listener, speaker, isCoach }) =>
            where.and({ listener, speaker, is_coach: isCoach ? 1 : 0 }),
          ),
        ),
      )
      .execute();
  }
  if (opened.length > 0) {
    await tables
      .insertInto('multiparty_hearing')
      .values(
        opened.map(({ listener, speaker, isCoach }) => ({
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

/** In the order in which they began. */
export async function listHearing(
  database: Database,
  mpcUuid: string,
  filters: HearingFilters,
  page: Page,
): Promise<{ readonly total: number; readonly rows: readonly NamedHearing[] }> {
  const { listener, speaker, listenerRole, speakerRole, isCoach, at } = filters;
  let wanted = reading(database.read)
    .selectFrom('multiparty_hearing as hearing')
    .innerJoin('multiparty_participants as listening', 'listening.member_id', 'hearing.listener')
    .innerJoin('multiparty_participants as speaking', 'speaking.member_id', 'hearing.speaker')
    .where('hearing.mpc_uuid', '=', mpcUuid);
  if (listener !== undefined) wanted = wanted.where('hearing.listener', '=', listener);
  if (speaker !== undefined) wanted = wanted.where('hearing.speaker', '=', speaker);
  if (listenerRole !== undefined) wanted = wanted.where('listening.role', '=', listenerRole);
  if (speakerRole !== undefined) wanted = wanted.where('speaking.role', '=', speakerRole);
  if (isCoach !== undefined) wanted = wanted.where('hearing.is_coach', '=', isCoach ? 1 : 0);
  if (at?.before !== undefined) wanted = wanted.where('hearing.from_at', '<', at.before);
  const { from } = at ?? {};
  if (from !== undefined) {
    wanted = wanted.where((where) =>
      where.or([
        where('hearing.to_at', 'is', null),
        where('hearing.to_at', '>', from),
        // One that was over in the millisecond of its beginning.
        where.and([where('hearing.to_at', '=', from), where('hearing.from_at', '=', from)]),
      ]),
    );
  }
  const [counted, rows] = await Promise.all([
    wanted.select((columns) => columns.fn.countAll().as('total')).executeTakeFirstOrThrow(),
    wanted
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
