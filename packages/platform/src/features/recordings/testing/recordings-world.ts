import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { createFileTranscription } from '@jackfield/adapters/speech-recognition';
import type { LiveEvent } from '@jackfield/contract';
import type { SpeechEngine } from '@jackfield/ports';
import {
  basic,
  type Caller,
  createFailingCommits,
  createRecordedFiles,
  eventStreamOf,
  type FailingCommits,
  type OpenDatabase,
  openSimulatedWorld,
  type RecordedFiles,
  type SimulatedWorld,
  type SimulatedWorldOptions,
} from '@jackfield/testkit';
import type { NewRecording, RecordingNotice } from '../index.ts';

/** The address of the HTTP interface in a simulated world. */
export const publicUrl = 'https://api.example.com';

export interface WorldOptions extends Pick<SimulatedWorldOptions, 'loggedErrors'> {
  readonly keepRecordingsMs?: number;
  /** Transcribes the files; no transcripts when absent. */
  readonly engine?: SpeechEngine;
}

export type RecordingsWorld = Awaited<ReturnType<typeof openRecordingsWorld>>;

/** Looks again and again until it is so; the test runner's limit ends it otherwise. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** A simulated world with the real recorder and its files, for an owner of recordings. */
export async function openRecordingsWorld(open: OpenDatabase, options: WorldOptions = {}) {
  const { engine, keepRecordingsMs, loggedErrors } = options;
  const files = createRecordedFiles();
  const transcribing = { engine };
  const transcription =
    engine && createFileTranscription({ engine: current(transcribing), files: files.files, answerMs: 150 });
  let failing: FailingCommits | undefined;
  const world = await openSimulatedWorld({
    database: open,
    phones: 'none',
    recorder: files,
    settings: {
      ...(keepRecordingsMs === undefined ? {} : { keepRecordingsMs }),
      ...(transcription === undefined ? {} : { transcription }),
    },
    interpose(database) {
      failing = createFailingCommits(database);
      return failing.database;
    },
    ...(loggedErrors === undefined ? {} : { loggedErrors }),
  });
  open.beforeClose(() => files.close());
  const notices: (readonly [string, RecordingNotice])[] = [];
  const follow = () =>
    world.node.platform.recordings.ownedBy('test', (owner, notice) => notices.push([owner, notice]));
  follow();

  return {
    ...recordingWords(world, files, notices),
    world,
    call: world.call,
    main: world.main,
    files,
    notices,
    /** Recordings of the process that runs. */
    get recordings() {
      return world.node.platform.recordings;
    },
    /** Sessions of recordings that live. */
    live: () => world.node.platform.runner.census().recording?.sessions ?? 0,
    /** The next so many commits fail, as with a full disk. */
    failCommits: (count: number) => failing?.fail(count),
    /** Another process on the data as they are now; the old one ends without notice. */
    async crash(again: Pick<WorldOptions, 'engine'> = {}) {
      transcribing.engine = again.engine ?? transcribing.engine;
      await world.restart();
      follow();
    },
  };
}

/** The engine may change between two processes. */
function current(of: { readonly engine: SpeechEngine | undefined }): SpeechEngine {
  return {
    open: (...order) => (of.engine ?? assert.fail('no engine')).open(...order),
    close: () => of.engine?.close(),
  };
}

/** What a test does with recordings. */
function recordingWords(
  world: SimulatedWorld,
  files: RecordedFiles,
  notices: readonly (readonly [string, RecordingNotice])[],
) {
  const isOver = (recording: string) =>
    notices.some(([, each]) => each.type === 'recording-over' && each.recording === recording);
  return {
    hear: files.hear,
    /** So much audio arrives for it. */
    say(recording: string, ms: number, tracks = 1): void {
      const tone = Int16Array.from({ length: 8 * ms * tracks }, (_, i) => 10_000 * Math.sin(i / 3));
      files.hear(recording, tone, tracks);
    },
    /** Starts one for the main account; resolves with its name when it records. */
    async record(over: Partial<NewRecording> = {}): Promise<string> {
      const recording = over.recording ?? randomUUID();
      await world.node.platform.recordings.start({
        recording,
        account: world.main.authId,
        mainAccount: world.main.authId,
        owner: { kind: 'test', id: 'owner-1' },
        type: 'normal',
        callUuid: randomUUID(),
        from: '+12025550199',
        to: '+12025550100',
        format: 'wav',
        tracks: [{ said: ['leg'], heard: [] }],
        maxSeconds: 3600,
        ...over,
      });
      await until(() => notices.some(([, notice]) => notice.recording === recording));
      return recording;
    },
    async stop(recording: string): Promise<void> {
      world.node.platform.recordings.stop(recording);
      await until(() => isOver(recording));
    },
    /** The answer to a request for a file, or for any path. */
    async file(
      name: string,
      headers: Readonly<Record<string, string>> = {},
      method: 'GET' | 'HEAD' = 'GET',
      as: Caller = world.main,
    ) {
      const url = name.startsWith('/') ? name : `/v1/Account/${as.authId}/Recording/${name}`;
      const { http } = world.node.platform;
      const answer = await http.inject({ method, url, headers: { authorization: basic(as), ...headers } });
      assert.notEqual(answer.statusCode, 500, answer.body);
      return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload };
    },
    /** Events of recordings, the oldest first. */
    async events(): Promise<readonly LiveEvent[]> {
      return (await eventStreamOf(world)).filter(({ type }) => /recording/i.test(type));
    },
    /** Bytes of a file so far. */
    sizeOf: (name: string) => statSync(join(files.directory, name)).size,
  };
}
