import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaptureMessage } from '@jackfield/media';
import type { RecordingFailure, RecordingFormat } from '@jackfield/ports';
import { createDiskGate } from './disk-gate.ts';
import { createPeakMeter, type PeakMeter } from './peak-meter.ts';
import type { FromRecorderThread, RecorderLimits, RecorderStats } from './recorder-messages.ts';
import { failureOf } from './recording-error.ts';
import { beginRecordingFile, type RecordingFile, type WritableFile } from './recording-file.ts';
import { recordingFileName } from './recording-file-name.ts';
import { loadMp3Encoders, plainSamples } from './sound-encoder.ts';

/** All open recordings: which audio goes into which file, and when each file is complete. */
export interface OpenRecordings {
  open(recording: string, format: RecordingFormat, channels: number): void;
  finish(recording: string, waitMs: number): void;
  /** Accepts a message of the media thread. */
  take(message: CaptureMessage): void;
  stats(): Omit<RecorderStats, 'cpuMs'>;
}

export interface OpenRecordingsDeps {
  readonly directory: string;
  readonly limits: RecorderLimits;
  readonly report: (message: FromRecorderThread) => void;
  /** Creates the file; an existing file is never overwritten. */
  readonly createFile?: (path: string) => Promise<WritableFile>;
}

interface Open {
  readonly file: RecordingFile;
  readonly meter: PeakMeter;
  hasEnded: boolean;
  /** The callback for the end of the capture, with its time limit. */
  whenEnded: (() => void) | undefined;
  isFinishing: boolean;
}

/** Two of the four file threads of the process. */
const gateWidth = 2;

export async function createOpenRecordings(deps: OpenRecordingsDeps): Promise<OpenRecordings> {
  const { limits, report } = deps;
  const begin = await createFileOpener(deps);
  /** Undefined while a file is being opened. */
  const recordings = new Map<string, Open | undefined>();
  let writtenBytes = 0;
  let droppedPortions = 0;

  function forget(recording: string): void {
    writtenBytes += recordings.get(recording)?.file.writtenBytes ?? 0;
    recordings.delete(recording);
  }

  /** Reports a broken recording, unless it is being completed: `complete` then reports the failure. */
  function broken(recording: string, failure: RecordingFailure): void {
    if (recordings.get(recording)?.isFinishing !== false) return;
    forget(recording);
    report({ type: 'failed', recording, ...failure });
  }

  async function complete(recording: string, each: Open): Promise<void> {
    if (each.isFinishing) return;
    each.isFinishing = true;
    try {
      const file = await each.file.finish();
      forget(recording);
      const peaks = each.meter.peaks();
      report({ type: 'finished', recording, file: peaks === undefined ? file : { ...file, peaks } });
    } catch (error) {
      forget(recording);
      report({ type: 'failed', recording, ...failureOf(error) });
    }
  }

  return {
    open(recording, format, channels) {
      if (recordings.has(recording) || recordings.size >= limits.openRecordings) {
        const failure: RecordingFailure = recordings.has(recording)
          ? { code: 'internal', sentence: 'this recording is already open' }
          : {
              code: 'too-many-recordings',
              sentence: `${limits.openRecordings} recordings are open, which is the limit`,
            };
        report({ type: 'failed', recording, ...failure });
        return;
      }
      recordings.set(recording, undefined);
      begin(recording, format, channels, (failure) => broken(recording, failure)).then(
        (file) => {
          const meter = createPeakMeter(channels);
          const open: Open = { file, meter, hasEnded: false, whenEnded: undefined, isFinishing: false };
          recordings.set(recording, open);
          report({ type: 'opened', recording });
        },
        (error: unknown) => {
          recordings.delete(recording);
          report({ type: 'failed', recording, ...failureOf(error) });
        },
      );
    },
    finish(recording, waitMs) {
      const each = recordings.get(recording);
      // A failed recording has already reported its failure.
      if (each === undefined || each.isFinishing) return;
      if (each.hasEnded) {
        void complete(recording, each);
        return;
      }
      const limit = setTimeout(() => void complete(recording, each), waitMs);
      each.whenEnded = () => {
        clearTimeout(limit);
        void complete(recording, each);
      };
    },
    take(message) {
      const each = recordings.get(message.capture);
      if (message.type === 'ended') {
        if (each === undefined) return;
        each.hasEnded = true;
        each.whenEnded?.();
        return;
      }
      const { samples, tracks, sampleRate } = message;
      const isTaken = each !== undefined && !each.isFinishing && each.file.take(samples, tracks, sampleRate);
      if (isTaken) each.meter.take(samples, sampleRate);
      else droppedPortions++;
    },
    stats() {
      const files = [...recordings.values()].flatMap((each) => (each === undefined ? [] : [each.file]));
      return {
        open: recordings.size,
        waitingBytes: files.reduce((sum, file) => sum + file.waitingBytes, 0),
        writtenBytes: files.reduce((sum, file) => sum + file.writtenBytes, writtenBytes),
        droppedPortions,
      };
    },
  };
}

type OpenFile = (
  recording: string,
  format: RecordingFormat,
  channels: number,
  onFailure: (failure: RecordingFailure) => void,
) => Promise<RecordingFile>;

async function createFileOpener(deps: OpenRecordingsDeps): Promise<OpenFile> {
  const { directory, limits, createFile = (path) => open(path, 'wx', 0o600) } = deps;
  const mp3Encoders = await loadMp3Encoders();
  const gate = createDiskGate(gateWidth);
  return async (recording, format, channels, onFailure) => {
    const isMp3 = format === 'mp3';
    const path = join(directory, recordingFileName(`${recording}.${format}`));
    const file = await gate.pass(() => createFile(path));
    try {
      return await beginRecordingFile({
        file,
        channels,
        hasHeader: !isMp3,
        encoder: isMp3 ? await mp3Encoders.open() : plainSamples,
        gate,
        maxBytes: limits.bytesPerFile,
        maxWaitingBytes: limits.waitingBytes,
        onFailure,
      });
    } catch (error) {
      await file.close().catch(() => {});
      throw error;
    }
  };
}
