import type { Clock, MixCommand } from '@jackfield/ports';
import { createSimulatedCustomer, type OpenDatabase, type SimulatedCustomer } from '@jackfield/testkit';
import { type ApiAnswer, type ApiWorld, type Caller, openApi } from '../../../http/testing/api-world.ts';
import { createSessionRunner } from '../../../kernel/create-session-runner.ts';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import { problem } from '../../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../../kernel/result.ts';
import type { SessionRunner } from '../../../kernel/session-runner.ts';
import type { NewRecording, RecordingNotice } from '../../recordings/index.ts';
import type { PlayNotice, PlayOrder } from '../../sounds/index.ts';
import type { NewStream, StreamLifeNotice } from '../../streams/index.ts';
import { type AnsweringApplication, createCallInstructions, type MultipartyJoin } from '../index.ts';
import { createPhones, type Phones } from './phones.ts';

type JoinOrder = Parameters<MultipartyJoin['join']>[0];

export interface DocumentWorld {
  readonly api: ApiWorld;
  readonly runner: SessionRunner;
  readonly phones: Phones;
  /** The customer's server; it answers a few milliseconds later. */
  readonly customer: SimulatedCustomer;
  /** Plays that go on, by their names. */
  readonly playing: ReadonlyMap<string, PlayOrder>;
  /** Recordings that go on, by their names. */
  readonly recording: ReadonlyMap<string, NewRecording>;
  readonly sent: readonly MixCommand[];
  readonly events: readonly OutboxEvent[];
  readonly joins: readonly JoinOrder[];
  /** Streams that live, by their names, and with which word the document has stopped some. */
  readonly streaming: ReadonlyMap<string, NewStream>;
  readonly streamStops: readonly string[];
  refuseStreams(sentence: string): void;
  /** The servers of all streams are done. */
  finishStreams(): Promise<void>;
  /** What answers calls from now on; none when undefined. */
  attach(application: AnsweringApplication | undefined): void;
  /** What the next MultiPartyCall is answered. */
  joinWith(result: Result<unknown>): void;
  finishPlays(...sentences: readonly string[]): Promise<void>;
  finishRecordings(): Promise<void>;
  /** Everything that is to happen within this time has happened. */
  pass(ms: number): Promise<void>;
  post(path: string, body: object, as?: Caller): Promise<ApiAnswer>;
  /** Documents that run. */
  readonly runs: number;
  drain(): void;
}

export const answer = 'https://example.com/answer';
export const answering: AnsweringApplication = {
  answer: { url: answer, method: 'POST' },
  fallback: null,
  hangup: { url: 'https://example.com/hangup', method: 'POST' },
};

/** Call instructions behind the real HTTP interface, with phones, sounds and recordings that a test can look into. */
export async function openDocumentWorld(open: OpenDatabase): Promise<DocumentWorld> {
  const database = await open();
  // The clock comes with the HTTP interface, which wants the routes first.
  const clock: Clock = {
    now: () => api.clock.now(),
    wallNow: () => api.clock.wallNow(),
    startTimer: (at, fire) => api.clock.startTimer(at, fire),
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const events: OutboxEvent[] = [];
  const runner = createSessionRunner({
    database,
    clock,
    log,
    appendEvents: async (_write, appended) => {
      events.push(...appended);
    },
  });
  const phones = createPhones(() => api.main.authId);
  const customer = createSimulatedCustomer(clock, () => {});
  const playing = new Map<string, PlayOrder>();
  const recording = new Map<string, NewRecording>();
  const sent: MixCommand[] = [];
  const joins: JoinOrder[] = [];
  let tellOfPlay: (owner: string, notice: PlayNotice) => void = () => {};
  let tellOfRecording: (owner: string, notice: RecordingNotice) => void = () => {};
  let application: AnsweringApplication | undefined = answering;
  let joined: Result<unknown> = accepted({});
  let isDraining = false;
  let tellOfStream: (owner: string, notice: StreamLifeNotice) => void = () => {};
  let streamRefusal: string | undefined;
  const streaming = new Map<string, NewStream>();
  const streamStops: string[] = [];
  let lastUuid = 0;

  function playIsOver(play: string, because: 'finished' | 'stopped', sentences: readonly string[]): void {
    const order = playing.get(play);
    if (order === undefined) return;
    playing.delete(play);
    const problems = sentences.map((sentence) => ({ item: 0, code: 'unreachable' as const, sentence }));
    queueMicrotask(() => tellOfPlay(order.owner.id, { type: 'play-over', play, because, problems }));
  }

  function streamIsOver(stream: string): void {
    const order = streaming.get(stream);
    if (order === undefined) return;
    streaming.delete(stream);
    queueMicrotask(() => tellOfStream(order.owner.id, { type: 'stream-ended', stream, outcome: 'stopped' }));
  }

  const urlOf = ({ recording: name, format }: Pick<NewRecording, 'recording' | 'format'>) =>
    `https://files.example/${name}.${format}`;

  function recordingIsOver(name: string): void {
    const order = recording.get(name);
    if (order === undefined) return;
    recording.delete(name);
    queueMicrotask(() =>
      tellOfRecording(order.owner.id, {
        type: 'recording-over',
        recording: name,
        url: urlOf(order),
        outcome: 'completed',
        because: 'stopped',
        durationMs: 2_400,
        startedAt: 1_000,
        endedAt: 3_400,
      }),
    );
  }

  const feature = createCallInstructions({
    runner,
    clock,
    log,
    calls: phones,
    media: { send: (command) => sent.push(command), subscribe: () => () => {} },
    egress: customer,
    newUuid: () => `00000000-0000-4000-8000-${String(++lastUuid).padStart(12, '0')}`,
    sounds: {
      ownedBy: (_kind, tell) => {
        tellOfPlay = tell;
      },
      play(order) {
        if (playing.has(order.play)) throw new Error(`${order.play} plays already`);
        playing.set(order.play, order);
      },
      stop: (play) => playIsOver(play, 'stopped', []),
    },
    recordings: {
      ownedBy: (_kind, tell) => {
        tellOfRecording = tell;
      },
      urlOf,
      start: async (order) => void recording.set(order.recording, order),
      tellMembers() {},
      retrack() {},
      pause() {},
      resume() {},
      stop: recordingIsOver,
    },
    exitDocuments: { runBy() {} },
    multiparty: {
      async join(order) {
        joins.push(order);
        return joined;
      },
    },
    streams: {
      ownedBy: (_kind, tell) => {
        tellOfStream = tell;
      },
      async start(order) {
        if (streamRefusal !== undefined) return refused(problem('limit-reached', streamRefusal));
        streaming.set(order.stream, order);
        return accepted(undefined);
      },
      stop(stream, reason) {
        if (streaming.has(stream)) streamStops.push(reason);
        streamIsOver(stream);
      },
    },
    applicationOf: async () => application,
    settingsOf: (url) => ({
      url: url.split('#')[0] ?? '',
      connectMs: 2_000,
      readMs: 40_000,
      totalMs: 55_000,
      retries: 1,
      retryOn: new Set(['ct', 'rt']),
    }),
    sign: async ({ url, method, fields, account }) => {
      const form = new URLSearchParams({ ...fields, SignedFor: account }).toString();
      return method === 'POST'
        ? { url, headers: {}, body: form }
        : { url: `${url}?${form}`, headers: {}, body: '' };
    },
    isDraining: () => isDraining,
  });
  const opened: OpenDatabase = Object.assign(async () => database, open);
  const api: ApiWorld = await openApi(opened, { routes: feature.routes });

  async function settle(): Promise<void> {
    await new Promise(setImmediate);
    await runner.idle();
    await new Promise(setImmediate);
    await runner.idle();
  }

  return {
    api,
    runner,
    phones,
    customer,
    playing,
    recording,
    sent,
    events,
    joins,
    streaming,
    streamStops,
    refuseStreams(sentence) {
      streamRefusal = sentence;
    },
    async finishStreams() {
      for (const stream of [...streaming.keys()]) streamIsOver(stream);
      await settle();
    },
    attach(next) {
      application = next;
    },
    joinWith(result) {
      joined = result;
    },
    async finishPlays(...sentences) {
      for (const play of [...playing.keys()]) playIsOver(play, 'finished', sentences);
      await settle();
    },
    async finishRecordings() {
      for (const name of [...recording.keys()]) recordingIsOver(name);
      await settle();
    },
    async pass(ms) {
      await settle();
      await api.clock.advance(ms);
      await settle();
    },
    async post(path, body, as = api.main) {
      const answered = await api.call('POST', path, { body, as });
      await settle();
      return answered;
    },
    get runs() {
      return runner.census().document?.sessions ?? 0;
    },
    drain() {
      isDraining = true;
    },
  };
}

/** An answer document with these elements. */
export function response(...elements: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${elements.join('')}</Response>`;
}
