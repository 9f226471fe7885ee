import type { Database, Instant, Read, Write } from '@jackfield/ports';
import { ownerNow } from '../accounts/index.ts';
import type { Rate } from '../usage/index.ts';
import { newStream, type Stream, type StreamSettings } from './domain/stream.ts';
import { reading, type StreamRow, writing } from './tables.ts';

/** Writes the change of a step. */
export async function saveStream(
  write: Write,
  before: Stream | undefined,
  after: Stream,
  rate: Rate,
  incarnation: number,
): Promise<void> {
  if (before === undefined) {
    const account = await ownerNow(write, after.order.account, after.order.mainAccount);
    await writing(write)
      .insertInto('streams')
      .values({ ...rowOf(after, rate), account, incarnation })
      .execute();
    return;
  }
  const ends = after.endedAt !== null && before.endedAt === null;
  await writing(write)
    .updateTable('streams')
    .set({
      ...changing(after),
      // A live stream stays when its subaccount is removed.
      ...(ends ? { account: await ownerNow(write, after.order.account, after.order.mainAccount) } : {}),
    })
    .where('stream_id', '=', after.order.stream)
    .execute();
}

/** Attempts to connect and middle events are not part of the record. */
export function isRecorded(before: Stream, after: Stream): boolean {
  return (
    before.startedAt !== after.startedAt ||
    before.endedAt !== after.endedAt ||
    before.statistics !== after.statistics
  );
}

/** The live streams of an ended incarnation. */
export async function leftStreams(read: Read, ended: number): Promise<readonly Stream[]> {
  const rows = await reading(read)
    .selectFrom('streams')
    .selectAll()
    .where('ended_at', 'is', null)
    .where('incarnation', '=', ended)
    .execute();
  return rows.map(streamOf);
}

/** From now on what `leftStreams` has given lives in this incarnation. */
export async function claimLeftStreams(write: Write, ended: number, incarnation: number): Promise<void> {
  await writing(write)
    .updateTable('streams')
    .set({ incarnation })
    .where('ended_at', 'is', null)
    .where('incarnation', '=', ended)
    .execute();
}

/** Live streams of a subaccount. */
export async function liveOf(write: Write, account: string): Promise<readonly string[]> {
  const rows = await writing(write)
    .selectFrom('streams')
    .select('stream_id')
    .where('account', '=', account)
    .whereRef('account', '<>', 'main_account')
    .where('ended_at', 'is', null)
    .execute();
  return rows.map((row) => row.stream_id);
}

/** Removes ended streams of a subaccount; live streams stay until their end, and pass to the main account. */
export async function removeStreams(write: Write, account: string): Promise<void> {
  await writing(write)
    .deleteFrom('streams')
    .where('account', '=', account)
    .whereRef('account', '<>', 'main_account')
    .where('ended_at', 'is not', null)
    .execute();
}

/** Streams of calls, or of multiparty calls; the oldest first. Resolves with the number removed. */
export function removeEndedStreams(
  database: Database,
  of: 'calls' | 'rooms',
  endedBefore: Instant,
  limit: number,
): Promise<number> {
  return database.transact(async (write) => {
    const old = await endedStreams(write, of, endedBefore, limit).execute();
    if (old.length === 0) return 0;
    const ids = old.map(({ stream_id }) => stream_id);
    await writing(write).deleteFrom('streams').where('stream_id', 'in', ids).execute();
    return old.length;
  });
}

export function endedStreams(read: Read, of: 'calls' | 'rooms', endedBefore: Instant, limit: number) {
  return reading(read)
    .selectFrom('streams')
    .select('stream_id')
    .where('mpc_uuid', of === 'calls' ? 'is' : 'is not', null)
    .where('ended_at', 'is not', null)
    .where('ended_at', '<', endedBefore)
    .orderBy('ended_at')
    .limit(limit);
}

export async function passOnStreams(write: Write, account: string, main: string): Promise<void> {
  await writing(write)
    .updateTable('streams')
    .set({ account: main })
    .where('account', '=', account)
    .whereRef('account', '<>', 'main_account')
    .execute();
}

function rowOf(stream: Stream, rate: Rate): Omit<StreamRow, 'incarnation'> {
  const { order, createdAt } = stream;
  return {
    stream_id: order.stream,
    account: order.account,
    main_account: order.mainAccount,
    call_uuid: order.callUuid,
    mpc_uuid: order.mpc?.uuid ?? null,
    service_url: order.serviceUrl,
    audio_track: order.audioTrack,
    bidirectional: order.bidirectional ? 1 : 0,
    settings: JSON.stringify(order),
    created_at: createdAt,
    rate_per_minute: rate.perMinute,
    rate_initial_seconds: rate.initialSeconds,
    rate_increment_seconds: rate.incrementSeconds,
    ...changing(stream),
  };
}

function changing({ startedAt, endedAt, end, statistics }: Stream) {
  return {
    started_at: startedAt,
    ended_at: endedAt,
    outcome: end?.outcome ?? null,
    end_reason: end?.reason ?? null,
    failure: end?.fault?.sentence ?? null,
    failure_code: end?.fault?.code ?? null,
    statistics: statistics === null ? null : JSON.stringify(statistics),
  };
}

/** A live stream from its row. */
function streamOf(row: StreamRow): Stream {
  const stream = newStream(settingsOf(row), row.created_at);
  return {
    ...stream,
    phase: row.started_at === null ? 'connecting' : 'streaming',
    startedAt: row.started_at,
  };
}

export function settingsOf(row: StreamRow): StreamSettings {
  return JSON.parse(row.settings) as StreamSettings;
}
