import type { Clock, Logger, Recorder, RecordingFiles } from '@jackfield/ports';
import type { SandboxCallStore } from '../store.ts';
import type { SandboxCall } from './sandbox-call.ts';

export interface HeardRecordingsDeps {
  readonly store: SandboxCallStore;
  readonly recorder: Recorder;
  readonly recordingFiles: RecordingFiles;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The audio that calling phones of the sandbox hear, one WAV file a call. */
export interface HeardRecordings {
  /** Opens the file; recording begins with `resume`. */
  prepare(call: SandboxCall): Promise<void>;
  resume(call: SandboxCall): void;
  /** Completes the file; without `keep` it is removed. */
  finish(call: SandboxCall, keep: boolean): Promise<void>;
  remove(call: SandboxCall): Promise<void>;
  /** Removes the files of an incarnation that has ended. */
  removeOf(ended: number): Promise<void>;
}

export function createHeardRecordings(deps: HeardRecordingsDeps): HeardRecordings {
  const { store, recorder, recordingFiles, clock, log } = deps;

  async function removeFile(call: string): Promise<void> {
    try {
      await recordingFiles.remove(fileNameOf(call));
      await store.remove(call);
    } catch (err) {
      log.warn({ call, err }, 'recording of a sandbox call not removed; the next start tries again');
    }
  }

  return {
    async prepare(call) {
      try {
        await store.add(call.uuid, clock.now());
        await recorder.start({
          recording: call.uuid,
          format: 'wav',
          // The engine's leg is the phone's own: it receives the audio that the phone hears.
          tracks: [{ said: [call.uuid], heard: [] }],
        });
        recorder.pause(call.uuid);
        call.recording = 'running';
      } catch (err) {
        call.recording = 'failed';
        log.warn({ call: call.uuid, err }, 'sandbox call not recorded');
        await removeFile(call.uuid);
      }
    },
    resume: (call) => {
      if (call.recording === 'running') recorder.resume(call.uuid);
    },
    async finish(call, keep) {
      if (call.recording !== 'running') return;
      try {
        call.file = await recorder.stop(call.uuid);
        call.recording = keep ? 'complete' : 'none';
      } catch (err) {
        call.recording = 'failed';
        log.warn({ call: call.uuid, err }, 'recording of a sandbox call broke');
      }
      if (call.recording !== 'complete') await removeFile(call.uuid);
    },
    async remove(call) {
      if (call.recording !== 'complete') return;
      call.recording = 'removed';
      await removeFile(call.uuid);
    },
    async removeOf(ended) {
      for (const call of await store.ofIncarnation(ended)) await removeFile(call);
    },
  };
}

export function fileNameOf(call: string): string {
  return `${call}.wav`;
}
