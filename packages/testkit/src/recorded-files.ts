import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { createDiskRecordings, createRecorder, type DiskRecorder } from '@jackfield/adapters/recorder';
import type { MixCommand, Recorder, RecordingFiles } from '@jackfield/ports';
import type { Settling } from './settling.ts';

/** The real recorder with its thread, and the files that it writes: each process of a world has those that the one before it left. */
export interface RecordedFiles {
  /** For the next process of the world. */
  open(settling: Pick<Settling, 'during'>): Promise<RecorderPorts>;
  /** Those of the process that runs. */
  readonly files: RecordingFiles;
  readonly recorder: DiskRecorder;
  readonly directory: string;
  /** The names of the files, sorted. */
  names(): readonly string[];
  /** What the recorder of the process that runs has ordered of the media engine. */
  readonly commands: readonly MixCommand[];
  /** These samples of 8,000 Hz arrive for a recording, interleaved by track. */
  hear(recording: string, samples: Int16Array, tracks?: number): void;
  /** Ends all threads and removes all files. */
  close(): Promise<void>;
}

export interface RecorderPorts {
  readonly recorder: Recorder;
  readonly recordingFiles: RecordingFiles;
}

interface Opened {
  readonly directory: string;
  readonly recorder: DiskRecorder;
  readonly files: RecordingFiles;
  readonly media: CapturingMedia;
}

/** Tests hand over minutes of audio at once. */
const limits = { waitingBytes: 16_000_000 };

export function createRecordedFiles(): RecordedFiles {
  const opened: Opened[] = [];
  const current = () => opened.at(-1) ?? assert.fail('no process has started');
  return {
    async open(settling) {
      const directory = mkdtempSync(join(tmpdir(), 'jackfield-recordings-'));
      const before = opened.at(-1);
      if (before !== undefined) cpSync(before.directory, directory, { recursive: true });
      const media = createCapturingMedia();
      const recorder = await createRecorder({ directory, media, endOfCaptureMs: 200, limits });
      const files = createDiskRecordings({ directory });
      opened.push({ directory, recorder, media, files });
      return whileDiskWorks(recorder, files, settling);
    },
    files: {
      size: (name) => current().files.size(name),
      read: (...range) => current().files.read(...range),
      remove: (name) => current().files.remove(name),
      repair: (...file) => current().files.repair(...file),
    },
    get recorder() {
      return current().recorder;
    },
    get directory() {
      return current().directory;
    },
    names: () => readdirSync(current().directory).sort(),
    get commands() {
      return current().media.commands;
    },
    hear: (...audio) => current().media.hear(...audio),
    async close() {
      for (const { recorder, media, directory } of opened.splice(0)) {
        await recorder.close();
        media.close();
        rmSync(directory, { recursive: true, force: true });
      }
    },
  };
}

/** Time stands still while the recorder and its disk work. */
function whileDiskWorks(
  recorder: Recorder,
  files: RecordingFiles,
  { during }: Pick<Settling, 'during'>,
): RecorderPorts {
  return {
    recorder: {
      start: (order) => during(() => recorder.start(order)),
      retrack: (...order) => recorder.retrack(...order),
      pause: (recording) => recorder.pause(recording),
      resume: (recording) => recorder.resume(recording),
      stop: (recording) => during(() => recorder.stop(recording)),
      subscribe: (listener) => recorder.subscribe(listener),
    },
    recordingFiles: {
      ...files,
      size: (name) => during(() => files.size(name)),
      remove: (name) => during(() => files.remove(name)),
      repair: (...file) => during(() => files.repair(...file)),
    },
  };
}

type CapturingMedia = ReturnType<typeof createCapturingMedia>;

/** The media engine, in the hands of the test: it keeps commands, and sends the audio that the test hands over. */
function createCapturingMedia() {
  const commands: MixCommand[] = [];
  let port: MessagePort | undefined;
  return {
    commands,
    send(command: MixCommand) {
      commands.push(command);
      if (command.do === 'end-capture') port?.postMessage({ type: 'ended', capture: command.capture });
    },
    sendCapturesTo(openPort: () => MessagePort) {
      port = openPort();
    },
    hear(capture: string, samples: Int16Array, tracks = 1) {
      port?.postMessage({ type: 'audio', capture, tracks, sampleRate: 8000, samples });
    },
    close: () => port?.close(),
  };
}
