import { createDiskRecordings } from '@jackfield/adapters/recorder';
import type { Logger, RecordingFiles } from '@jackfield/ports';
import type { RecordingsStore } from './config.ts';

/** The storage of recordings: the directory, and a store where one is configured. Faults of the store are logged. */
export async function openRecordingFiles(
  directory: string,
  store: RecordingsStore | undefined,
  log: Logger,
): Promise<{ readonly files: RecordingFiles; close(): void }> {
  const disk = createDiskRecordings({ directory });
  if (store === undefined) return { files: disk, close() {} };
  const { createS3Bucket, createS3Recordings } = await import('@jackfield/adapters/recordings-s3');
  const bucket = createS3Bucket(store);
  // The store may become reachable later: calls do not wait for it, and recordings stay in the directory until then.
  void bucket.fault().then((fault) => {
    if (fault === undefined) return;
    log.error({ url: store.url, bucket: store.bucket, fault }, 'recordings store cannot be used');
  });
  return { files: createS3Recordings(disk, bucket), close: () => bucket.close() };
}
