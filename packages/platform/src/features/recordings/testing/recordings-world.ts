import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import type { MessagePort } from 'node:worker_threads';
import { createDiskRecordings, createRecorder, type DiskRecorder } from '@jackfield/adapters/recorder';
import { createFileTranscription } from '@jackfield/adapters/speech-recognition';
import type { Database, MixCommand, SpeechEngine } from '@jackfield/ports';
import {
  assertDocumentedEvents,
  createFailingCommits,
  createVirtualClock,
  type OpenDatabase,
  type VirtualClock,
} from '@jackfield/testkit';
import { type ApiWorld, basic, type Caller, openApi } from '../../../http/testing/api-world.ts';
import { createSessionRunner } from '../../../kernel/create-session-runner.ts';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { SessionRunner } from '../../../kernel/session-runner.ts';
import {
  createRecordings,
  type NewRecording,
  type RecordingNotice,
  type RecordingsFeature,
} from '../index.ts';
import { recordingsTables } from '../migrations/0001-recordings.ts';
import { multipartyRecordings } from '../migrations/0002-multiparty-recordings.ts';
import { indexesOfFilters } from '../migrations/0003-indexes-of-filters.ts';
import { recordingFailureCodes } from '../migrations/0004-failure-codes.ts';
import { recordingIncarnation } from '../migrations/0005-incarnation.ts';
import { filesOfANode } from '../migrations/0006-files-of-a-node.ts';
import { recordingPeaks } from '../migrations/0007-peaks.ts';
import { recordingTranscripts } from '../migrations/0008-transcripts.ts';

export const publicUrl = 'https://calls.example.com';

export interface RecordingsWorld {
  readonly api: ApiWorld;
  readonly clock: VirtualClock;
  readonly database: Database;
  readonly feature: RecordingsFeature;
  readonly recorder: DiskRecorder;
  readonly runner: SessionRunner;
  readonly events: readonly OutboxEvent[];
  /** Notices to owners of kind `test`: owner and notice. */
  readonly notices: readonly (readonly [string, RecordingNotice])[];
  readonly commands: readonly MixCommand[];
  readonly directory: string;
  /** Starts one for the main account; resolves with its name when it records. */
  record(over?: Partial<NewRecording>): Promise<string>;
  /** So much audio arrives for it. */
  say(recording: string, ms: number, tracks?: number): void;
  /** These samples of 8,000 Hz arrive for it. */
  hear(recording: string, samples: Int16Array, tracks?: number): void;
  stop(recording: string): Promise<void>;
  file(
    recording: string,
    headers?: Record<string, string>,
    method?: 'GET' | 'HEAD',
    as?: Caller,
  ): Promise<FileAnswer>;
  files(): readonly string[];
  /** Bytes of a file so far. */
  sizeOf(name: string): number;
  /** The next so many commits of sessions fail, as with a full disk. */
  failCommits(count: number): void;
  /** Another process on the data as they are now; the old one ends without notice. */
  crash(options?: WorldOptions): Promise<RecordingsWorld>;
}

export interface FileAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

export interface WorldOptions {
  readonly keepRecordingsMs?: number;
  readonly pruneEveryMs?: number;
  /** Transcribes the files; no transcripts when absent. */
  readonly engine?: SpeechEngine;
}

/** Tests hand over minutes of audio at once. */
const limits = { waitingBytes: 16_000_000 };

const opened: (() => Promise<void>)[] = [];

/** Files, threads and databases of a test go with it. */
export function closeWorldsAfterEach(): void {
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });
}

/** Looks again and again until it is so; the test runner's limit ends it otherwise. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Recordings behind the real HTTP interface, on a real database, written to real files by the real recorder thread. */
export async function openRecordingsWorld(
  open: OpenDatabase,
  options: WorldOptions = {},
): Promise<RecordingsWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'jackfield-recordings-'));
  return worldOn(
    await open([
      recordingsTables,
      multipartyRecordings,
      indexesOfFilters,
      recordingFailureCodes,
      recordingIncarnation,
      filesOfANode,
      recordingPeaks,
      recordingTranscripts,
    ]),
    open,
    directory,
    options,
  );
}

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

async function worldOn(
  database: Database,
  open: OpenDatabase,
  directory: string,
  options: WorldOptions,
  startAt?: number,
): Promise<RecordingsWorld> {
  const events: OutboxEvent[] = [];
  const notices: (readonly [string, RecordingNotice])[] = [];
  const media = createCapturingMedia();
  const recorder = await createRecorder({ directory, media, endOfCaptureMs: 200, limits });
  const clock = createVirtualClock();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const failing = createFailingCommits(database);
  const appendEvents = async (_write: unknown, appended: readonly OutboxEvent[]) => {
    assertDocumentedEvents(appended);
    events.push(...appended);
  };
  const runner = createSessionRunner({
    database: failing.database,
    clock,
    log,
    appendEvents,
  });
  const recordingFiles = createDiskRecordings({ directory });
  const outbox = { appendEvents, wake() {} };
  const its = { runner, recorder, recordingFiles, log, database, clock, outbox, publicUrl: `${publicUrl}/` };
  const { engine, ...limited } = options;
  const transcription = engine && createFileTranscription({ engine, files: recordingFiles, answerMs: 150 });
  const feature = createRecordings({ ...its, ...limited, ...(transcription && { transcription }) });
  feature.ownedBy('test', (owner, notice) => notices.push([owner, notice]));
  const opening: OpenDatabase = Object.assign(async () => database, open);
  const api: ApiWorld = await openApi(opening, { routes: feature.routes, clock });
  if (startAt !== undefined) await api.clock.advance(startAt - api.clock.now());
  opened.push(async () => {
    await recorder.close();
    await runner.close();
    media.close();
    await api.app.close();
    rmSync(directory, { recursive: true, force: true });
  });

  return {
    ...recordingWords(feature, api, notices),
    api,
    clock: api.clock,
    database,
    feature,
    recorder,
    runner,
    events,
    notices,
    commands: media.commands,
    directory,
    hear: media.hear,
    say(recording, ms, tracks = 1) {
      const tone = Int16Array.from({ length: 8 * ms * tracks }, (_, i) => 10_000 * Math.sin(i / 3));
      media.hear(recording, tone, tracks);
    },
    files: () => readdirSync(directory).sort(),
    sizeOf: (name) => statSync(join(directory, name)).size,
    failCommits: failing.fail,
    async crash(again = {}) {
      const left = mkdtempSync(join(tmpdir(), 'jackfield-recordings-'));
      cpSync(directory, left, { recursive: true });
      const now = api.clock.now();
      await api.app.close();
      await runner.close();
      return worldOn(await open.again(database), open, left, again, now);
    },
  };
}

/** What a test does with recordings. */
function recordingWords(
  feature: RecordingsFeature,
  api: ApiWorld,
  notices: RecordingsWorld['notices'],
): Pick<RecordingsWorld, 'record' | 'stop' | 'file'> {
  return {
    async record(over = {}) {
      const recording = over.recording ?? randomUUID();
      await feature.start({
        recording,
        account: api.main.authId,
        mainAccount: api.main.authId,
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
    async stop(recording) {
      feature.stop(recording);
      await until(() =>
        notices.some(([, each]) => each.type === 'recording-over' && each.recording === recording),
      );
    },
    async file(recording, headers = {}, method = 'GET', as = api.main) {
      const url = recording.startsWith('/') ? recording : `/v1/Account/${as.authId}/Recording/${recording}`;
      const answer = await api.app.inject({ method, url, headers: { authorization: basic(as), ...headers } });
      assert.notEqual(answer.statusCode, 500, answer.body);
      return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload };
    },
  };
}
