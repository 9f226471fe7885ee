import type { Database, RecordedPeaks, Write } from '@jackfield/ports';
import { reading, writing } from './tables.ts';

/** Written before the end of the recording, so that its removal finds them. */
export async function savePeaks(
  database: Pick<Database, 'transact'>,
  recording: string,
  { pairMs, channels }: RecordedPeaks,
): Promise<void> {
  const written = channels.map((pairs) => Buffer.from(pairs.buffer, pairs.byteOffset, pairs.length));
  await database.transact((write) =>
    writing(write)
      .insertInto('recording_peaks')
      .values({
        recording_id: recording,
        pair_ms: pairMs,
        channels: JSON.stringify(written.map((bytes) => bytes.toString('base64'))),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}

export async function findPeaks(
  database: Pick<Database, 'read'>,
  recording: string,
): Promise<RecordedPeaks | undefined> {
  const row = await reading(database.read)
    .selectFrom('recording_peaks')
    .select(['pair_ms', 'channels'])
    .where('recording_id', '=', recording)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const channels = (JSON.parse(row.channels) as readonly string[]).map((text) =>
    Int8Array.from(Buffer.from(text, 'base64')),
  );
  return { pairMs: row.pair_ms, channels };
}

export async function removePeaks(write: Write, recordings: readonly string[]): Promise<void> {
  await writing(write).deleteFrom('recording_peaks').where('recording_id', 'in', recordings).execute();
}
