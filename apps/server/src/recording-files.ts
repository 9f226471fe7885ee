import { createDiskRecordings } from '@jackfield/adapters/recorder';
import { createS3Bucket, createS3Recordings } from '@jackfield/adapters/recordings-s3';
import type { Logger, RecordingFiles } from '@jackfield/ports';
import type { RecordingsStore } from './config.ts';

/** Where recordings lie: in the directory, and in a store where one is configured. What is wrong with that is logged. */
export function openRecordingFiles(
  directory: string,
  store: RecordingsStore | undefined,
  log: Logger,
): { readonly files: RecordingFiles; close(): void } {
  const disk = createDiskRecordings({ directory });
  if (store === undefined) return { files: disk, close() {} };
  const bucket = createS3Bucket(store);
  // It may be out of reach now and there later: calls do not wait for it, recordings stay in the directory until then.
  void bucket.fault().then((fault) => {
    if (fault === undefined) return;
    log.error({ url: store.url, bucket: store.bucket, fault }, 'The store of recordings cannot be used.');
  });
  return { files: createS3Recordings(disk, bucket), close: () => bucket.close() };
}
