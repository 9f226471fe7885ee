import type { Database, TranscribedWords, Write } from '@jackfield/ports';
import type { TranscriptRequest } from '../domain/transcript-request.ts';
import { reading, type TranscriptRow, writing } from '../tables.ts';
import type { Transcript } from './transcript.ts';

/** In the transaction that begins its recording. */
export async function insertTranscript(
  write: Write,
  recording: string,
  { language, redactsDigits, callback }: TranscriptRequest,
  node: string,
): Promise<void> {
  await writing(write)
    .insertInto('recording_transcripts')
    .values({
      recording_id: recording,
      language,
      redacts_digits: redactsDigits ? 1 : 0,
      callback: callback === null ? null : JSON.stringify(callback),
      state: 'in-progress',
      positions: '[]',
      node,
    })
    .execute();
}

export async function removeTranscripts(write: Write, recordings: readonly string[]): Promise<void> {
  const tables = writing(write);
  await tables.deleteFrom('recording_words').where('recording_id', 'in', recordings).execute();
  await tables.deleteFrom('recording_transcripts').where('recording_id', 'in', recordings).execute();
}

export async function findTranscript(
  database: Pick<Database, 'read'>,
  recording: string,
): Promise<Transcript | undefined> {
  const row = await reading(database.read)
    .selectFrom('recording_transcripts')
    .selectAll()
    .where('recording_id', '=', recording)
    .executeTakeFirst();
  return row === undefined ? undefined : transcriptOf(row);
}

/** Of this machine, or all of a database without others; after `last` in their order. */
export async function pendingTranscripts(
  database: Database,
  node: string,
  last: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await reading(database.read)
    .selectFrom('recording_transcripts')
    .select('recording_id')
    .where('state', '=', 'in-progress')
    .where('recording_id', '>', last)
    .$if(database.isShared, (pending) => pending.where('node', '=', node))
    .orderBy('recording_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.recording_id);
}

/** Words in order of time: all, or a page of them. */
export async function findWords(
  database: Pick<Database, 'read'>,
  recording: string,
  page?: { readonly limit: number; readonly offset: number },
): Promise<readonly TranscribedWords[]> {
  let found = reading(database.read)
    .selectFrom('recording_words')
    .selectAll()
    .where('recording_id', '=', recording)
    .orderBy('from_ms')
    .orderBy('channel')
    .orderBy('number');
  if (page !== undefined) found = found.limit(page.limit).offset(page.offset);
  const rows = await found.execute();
  return rows.map((row) => ({
    channel: row.channel,
    text: row.text,
    confidence: row.confidence,
    fromMs: row.from_ms,
    toMs: row.to_ms,
  }));
}

export async function countWords(database: Pick<Database, 'read'>, recording: string): Promise<number> {
  const { total } = await reading(database.read)
    .selectFrom('recording_words')
    .select((columns) => columns.fn.countAll().as('total'))
    .where('recording_id', '=', recording)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** False when the transcript is gone, or another process has gone further. */
export async function saveProgress(write: Write, before: Transcript, after: Transcript): Promise<boolean> {
  const { numUpdatedRows } = await writing(write)
    .updateTable('recording_transcripts')
    .set({
      state: after.state,
      positions: JSON.stringify(after.positions),
      failure: after.failure?.sentence ?? null,
      failure_code: after.failure?.code ?? null,
    })
    .where('recording_id', '=', before.recording)
    .where('state', '=', 'in-progress')
    .where('positions', '=', JSON.stringify(before.positions))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export async function saveWords(
  write: Write,
  recording: string,
  words: readonly TranscribedWords[],
): Promise<void> {
  if (words.length === 0) return;
  await writing(write)
    .insertInto('recording_words')
    .values(
      words.map(({ channel, fromMs, toMs, text, confidence }, number) => ({
        recording_id: recording,
        channel,
        from_ms: fromMs,
        to_ms: toMs,
        text,
        confidence,
        number,
      })),
    )
    .execute();
}

function transcriptOf(row: TranscriptRow): Transcript {
  return {
    recording: row.recording_id,
    language: row.language,
    redactsDigits: row.redacts_digits === 1,
    callback: row.callback === null ? null : (JSON.parse(row.callback) as Transcript['callback']),
    state: row.state,
    positions: JSON.parse(row.positions) as readonly number[],
    failure:
      row.failure === null || row.failure_code === null
        ? null
        : { code: row.failure_code, sentence: row.failure },
  };
}
