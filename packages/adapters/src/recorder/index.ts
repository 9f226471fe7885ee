export { createDiskRecordings, type DiskRecordingsOptions } from './disk-recordings.ts';
export {
  type CaptureSource,
  createRecorder,
  type DiskRecorder,
  type RecorderOptions,
} from './recorder.ts';
export type { RecorderLimits, RecorderStats } from './recorder-messages.ts';
