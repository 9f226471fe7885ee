import type { Database, Read, Write } from '@jackfield/ports';
import { sql } from 'kysely';
import { ownerNow } from '../accounts/index.ts';
import type {
  FaultCode,
  RecordedChannel,
  Recording,
  RecordingAnnouncement,
  RecordingCallback,
} from './domain/recording.ts';
import { isOver } from './domain/recording.ts';
import { removePeaks } from './peaks-store.ts';
import { type RecordingRow, reading, writing } from './tables.ts';
import { insertTranscript, removeTranscripts } from './transcripts/transcripts-store.ts';

/** The process that writes a live recording, and its store of complete files. */
export interface RecordingProcess {
  /** A complete file is moved to a store. */
  readonly areKeptElsewhere: boolean;
  readonly incarnation: number;
  /** The machine of the file. */
  readonly node: string;
}

/**
 * Writes the change of a step. The end of a deleted recording removes it; any other end lists the file for its store, where
 * files are kept elsewhere.
 */
export async function saveRecording(
  write: Write,
  before: Recording | undefined,
  after: Recording,
  { areKeptElsewhere, incarnation, node }: RecordingProcess,
): Promise<void> {
  if (before === undefined) {
    const account = await ownerNow(write, after.account, after.mainAccount);
    await writing(write)
      .insertInto('recordings')
      .values({ ...rowOf(after), account, incarnation })
      .execute();
    if (after.transcript !== null) await insertTranscript(write, after.uuid, after.transcript, node);
  } else if (isOver(after) && after.isDiscarded) {
    await removeRecordings(write, [after.uuid], node);
  } else {
    await writing(write)
      .updateTable('recordings')
      .set(changing(after))
      .where('recording_id', '=', after.uuid)
      .execute();
    if (isOver(after) && after.bytes > 0 && areKeptElsewhere) {
      await writing(write)
        .insertInto('recording_files_to_keep')
        .values({ file_name: fileNameOf(after), attempts: 0, next_at: after.closedAt ?? 0, node })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }
}

/** The live recordings of an ended incarnation. */
export async function leftRecordings(read: Read, ended: number): Promise<readonly Recording[]> {
  const rows = await reading(read)
    .selectFrom('recordings')
    .selectAll()
    .where('closed_at', 'is', null)
    .where('incarnation', '=', ended)
    .execute();
  return rows.map(recordingOf);
}

/** From now on what `leftRecordings` has given lives in this incarnation. */
export async function claimLeftRecordings(write: Write, ended: number, incarnation: number): Promise<void> {
  await writing(write)
    .updateTable('recordings')
    .set({ incarnation })
    .where('closed_at', 'is', null)
    .where('incarnation', '=', ended)
    .execute();
}

function fileNameOf({ uuid, format }: Recording): string {
  return `${uuid}.${format}`;
}

/**
 * Removes the records and lists their files for removal after the commit. A file that waits for its store is removed by its machine;
 * others by `node`, or by any machine.
 */
export async function removeRecordings(write: Write, ids: readonly string[], node = ''): Promise<void> {
  if (ids.length === 0) return;
  const tables = writing(write);
  await tables
    .insertInto('recording_files_to_remove')
    .columns(['file_name', 'node'])
    .expression((query) =>
      query
        .selectFrom('recordings')
        .leftJoin('recording_files_to_keep as kept', (on) =>
          on.on(sql`kept.file_name`, '=', sql`recording_id || '.' || format`),
        )
        .select([
          sql<string>`recording_id || '.' || format`.as('file_name'),
          sql<string>`coalesce(kept.node, ${node})`.as('node'),
        ])
        .where('recording_id', 'in', ids),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tables
    .deleteFrom('recording_files_to_keep')
    .where(
      'file_name',
      'in',
      ids.flatMap((id) => [`${id}.mp3`, `${id}.wav`]),
    )
    .execute();
  await removePeaks(write, ids);
  await removeTranscripts(write, ids);
  await tables.deleteFrom('recordings').where('recording_id', 'in', ids).execute();
}

/** Ended recordings of an account, or closed before an instant; the oldest first. */
export async function findOver(
  write: Write,
  which: { readonly account: string } | { readonly closedBefore: number },
  limit: number,
): Promise<readonly string[]> {
  let found = writing(write).selectFrom('recordings').select('recording_id');
  found =
    'account' in which
      ? found.where('account', '=', which.account).where('closed_at', 'is not', null)
      : found.where('closed_at', '<', which.closedBefore).orderBy('closed_at');
  const rows = await found.limit(limit).execute();
  return rows.map((row) => row.recording_id);
}

export async function liveOf(read: Read, account: string): Promise<readonly string[]> {
  const rows = await reading(read)
    .selectFrom('recordings')
    .select('recording_id')
    .where('account', '=', account)
    .where('closed_at', 'is', null)
    .execute();
  return rows.map((row) => row.recording_id);
}

export async function passOnRecordings(write: Write, account: string, main: string): Promise<void> {
  await writing(write)
    .updateTable('recordings')
    .set({ account: main })
    .where('account', '=', account)
    .execute();
}

/** Names of files whose records are gone and which this machine may remove, after `last` in their order. */
export async function filesToRemove(
  database: Database,
  node: string,
  last: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await reading(database.read)
    .selectFrom('recording_files_to_remove')
    .select('file_name')
    .where('file_name', '>', last)
    .$if(database.isShared, (files) => files.where('node', 'in', ['', node]))
    .orderBy('file_name')
    .limit(limit)
    .execute();
  return rows.map((row) => row.file_name);
}

export async function forgetFiles(database: Database, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await database.transact((write) =>
    writing(write).deleteFrom('recording_files_to_remove').where('file_name', 'in', names).execute(),
  );
}

/** Files of this machine whose move to the store is due, the longest due first. */
export async function filesToKeep(
  database: Database,
  node: string,
  now: number,
  limit: number,
): Promise<readonly { readonly file_name: string; readonly attempts: number }[]> {
  return reading(database.read)
    .selectFrom('recording_files_to_keep')
    .select(['file_name', 'attempts'])
    .where('next_at', '<=', now)
    .$if(database.isShared, (files) => files.where('node', '=', node))
    .orderBy('next_at')
    .limit(limit)
    .execute();
}

/** When the next move is due; undefined when there is none. */
export async function nextToKeep(database: Database, node: string): Promise<number | undefined> {
  const row = await reading(database.read)
    .selectFrom('recording_files_to_keep')
    .select('next_at')
    .$if(database.isShared, (files) => files.where('node', '=', node))
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_at;
}

export async function fileKept(database: Database, name: string): Promise<void> {
  await database.transact((write) =>
    writing(write).deleteFrom('recording_files_to_keep').where('file_name', '=', name).execute(),
  );
}

/** After a restart all of this machine are due: the store may answer again. The only process on a database has all files. */
export async function keepAllAgain(database: Database, node: string, now: number): Promise<void> {
  await database.transact((write) =>
    writing(write)
      .updateTable('recording_files_to_keep')
      .set({ attempts: 0, next_at: now, node })
      .where((on) =>
        database.isShared
          ? on.and([on('next_at', '>', now), on('node', '=', node)])
          : on.or([on('next_at', '>', now), on('node', '<>', node)]),
      )
      .execute(),
  );
}

export async function keepAgain(
  database: Database,
  name: string,
  attempts: number,
  at: number,
): Promise<void> {
  await database.transact((write) =>
    writing(write)
      .updateTable('recording_files_to_keep')
      .set({ attempts, next_at: at })
      .where('file_name', '=', name)
      .execute(),
  );
}

function rowOf(recording: Recording): Omit<RecordingRow, 'incarnation'> {
  return {
    recording_id: recording.uuid,
    account: recording.account,
    main_account: recording.mainAccount,
    owner_kind: recording.owner.kind,
    owner_id: recording.owner.id,
    recording_type: recording.type,
    call_uuid: recording.callUuid,
    mpc_uuid: recording.mpc?.uuid ?? null,
    mpc_name: recording.mpc?.name ?? null,
    from_number: recording.from,
    to_number: recording.to,
    format: recording.format,
    max_seconds: recording.maxSeconds,
    callback: recording.callback === null ? null : JSON.stringify(recording.callback),
    announcement: recording.announcement === null ? null : JSON.stringify(recording.announcement),
    member_id: recording.memberId,
    track_type: recording.trackType,
    created_at: recording.createdAt,
    ...changing(recording),
  };
}

function changing(recording: Recording) {
  return {
    status: recording.status,
    started_at: recording.startedAt,
    ended_at: recording.endedAt,
    closed_at: recording.closedAt,
    end_reason: recording.because,
    duration_ms: recording.durationMs,
    bytes: recording.bytes,
    failure: recording.fault?.sentence ?? null,
    failure_code: recording.fault?.code ?? null,
    is_discarded: recording.isDiscarded ? 1 : 0,
    sequence: recording.sequence,
    channels: recording.channels === null ? null : JSON.stringify(recording.channels),
  };
}

/** From its row; the time it had run is not stored, because its file has it. */
function recordingOf(row: RecordingRow): Recording {
  return {
    uuid: row.recording_id,
    account: row.account,
    mainAccount: row.main_account,
    owner: { kind: row.owner_kind, id: row.owner_id },
    type: row.recording_type,
    callUuid: row.call_uuid,
    mpc: row.mpc_uuid === null ? null : { uuid: row.mpc_uuid, name: row.mpc_name ?? '' },
    from: row.from_number,
    to: row.to_number,
    format: row.format,
    maxSeconds: row.max_seconds,
    callback: row.callback === null ? null : (JSON.parse(row.callback) as RecordingCallback),
    announcement: row.announcement === null ? null : (JSON.parse(row.announcement) as RecordingAnnouncement),
    transcript: null,
    sequence: row.sequence,
    memberId: row.member_id,
    trackType: row.track_type,
    channels: channelsOf(row),
    status: row.status,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    closedAt: row.closed_at,
    because: row.end_reason,
    durationMs: row.duration_ms,
    bytes: row.bytes,
    pauseAsked: false,
    stopAsked: false,
    tracksAsked: null,
    runningSince: null,
    recordedMs: 0,
    isDiscarded: row.is_discarded === 1,
    fault: row.failure === null ? null : { code: row.failure_code ?? 'internal', sentence: row.failure },
  };
}

/** Records from before the codes have a sentence alone. */
export function failureCodeOf({ failure, failure_code: code }: RecordingRow): FaultCode | null {
  return failure === null ? null : (code ?? 'internal');
}

export function channelsOf({ channels }: Pick<RecordingRow, 'channels'>): readonly RecordedChannel[] | null {
  return channels === null ? null : (JSON.parse(channels) as readonly RecordedChannel[]);
}
