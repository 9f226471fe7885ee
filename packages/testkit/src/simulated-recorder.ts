import type { RecordedFile, Recorder, RecordingFiles } from '@jackfield/ports';
import type { SimulatedMedia } from './simulated-media.ts';

/** Recordings in memory: the captured audio with the recording's name is its file. */
export interface SimulatedRecorder extends Recorder {
  readonly files: RecordingFiles;
  /** Recordings that have not been stopped. */
  readonly running: number;
}

/** Bytes per sample of a track. */
const bytesPerSample = 2;

export function createSimulatedRecorder(media: SimulatedMedia): SimulatedRecorder {
  const running = new Set<string>();
  const removed = new Set<string>();

  function fileOf(recording: string): RecordedFile {
    const captured = media.capturedOf(recording);
    if (captured === undefined) return { durationMs: 0, bytes: 0 };
    const samples = captured.samples[0]?.length ?? 0;
    return {
      durationMs: Math.round((samples * 1000) / captured.sampleRate),
      bytes: samples * captured.tracks * bytesPerSample,
    };
  }

  const recordingOf = (name: string): string => name.slice(0, name.lastIndexOf('.'));

  return {
    async start({ recording, tracks }) {
      running.add(recording);
      media.send({ do: 'capture', capture: recording, tracks });
    },
    retrack: (recording, tracks) => media.send({ do: 'capture', capture: recording, tracks }),
    pause: (recording) => media.send({ do: 'pause-capture', capture: recording, paused: true }),
    resume: (recording) => media.send({ do: 'pause-capture', capture: recording, paused: false }),
    async stop(recording) {
      if (!running.delete(recording)) throw new Error(`recording ${recording} does not run`);
      media.send({ do: 'end-capture', capture: recording });
      return fileOf(recording);
    },
    subscribe: () => () => {},
    get running() {
      return running.size;
    },
    files: {
      async size(name) {
        return removed.has(name) ? undefined : fileOf(recordingOf(name)).bytes;
      },
      async read(name, from, to) {
        const samples = media.capturedOf(recordingOf(name))?.samples[0] ?? new Int16Array();
        const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength).slice(
          from,
          to + 1,
        );
        return (async function* () {
          yield bytes;
        })();
      },
      async remove(name) {
        removed.add(name);
      },
      async repair(name) {
        return removed.has(name) ? undefined : fileOf(recordingOf(name));
      },
    },
  };
}
