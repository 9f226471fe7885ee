import type { Clock, MixCommand } from '@jackfield/ports';
import type { OpenDatabase } from '@jackfield/testkit';
import { type ApiAnswer, type ApiWorld, type Caller, openApi } from '../../../http/testing/api-world.ts';
import { createSessionRunner } from '../../../kernel/create-session-runner.ts';
import type { SessionRunner } from '../../../kernel/session-runner.ts';
import type { LiveLeg } from '../../calls/index.ts';
import type { NewRecording, RecordingNotice } from '../../recordings/index.ts';
import type { PlayNotice, PlayOrder } from '../../sounds/index.ts';
import { callActionRoutes } from '../routes.ts';
import { defineSessions, type LegSessions, ownerKind, type SessionDeps } from '../sessions.ts';

/** The call actions behind the real HTTP interface, with legs, sounds and recordings that a test can look into. */
export interface ActionWorld {
  readonly api: ApiWorld;
  readonly runner: SessionRunner;
  readonly sessions: LegSessions;
  /** Plays that go on, by their names. */
  readonly playing: ReadonlyMap<string, PlayOrder>;
  /** Recordings that go on, by their names. */
  readonly recording: ReadonlyMap<string, NewRecording>;
  readonly sent: readonly MixCommand[];
  /** A live leg of the main account; gives its call UUID. */
  leg(fields?: Partial<LiveLeg>): string;
  /** The phone hangs up. */
  hangUp(leg: string): Promise<void>;
  /** The file is over, or the time limit reached. */
  finishPlay(play: string): Promise<void>;
  finishRecording(recording: string): Promise<void>;
  /** Runs before the next recording is written down, or breaks it. */
  beforeRecording(work: () => Promise<void>): void;
  post(path: string, body?: object, as?: Caller): Promise<ApiAnswer>;
  remove(path: string, options?: { readonly body?: object; readonly as?: Caller }): Promise<ApiAnswer>;
}

export async function openActionWorld(open: OpenDatabase): Promise<ActionWorld> {
  const database = await open();
  // The clock comes with the HTTP interface, which wants the routes first.
  const clock: Clock = {
    now: () => api.clock.now(),
    wallNow: () => api.clock.wallNow(),
    startTimer: (at, fire) => api.clock.startTimer(at, fire),
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const runner = createSessionRunner({ database, clock, log, appendEvents: async () => {} });
  const legs = new Map<string, LiveLeg>();
  const playing = new Map<string, PlayOrder>();
  const recording = new Map<string, NewRecording>();
  const sent: MixCommand[] = [];
  const over: ((leg: string) => void)[] = [];
  let tellOfPlay: (owner: string, notice: PlayNotice) => void = () => {};
  let tellOfRecording: (owner: string, notice: RecordingNotice) => void = () => {};
  let beforeRecording = async () => {};
  let lastUuid = 0;
  const newUuid = () => `00000000-0000-4000-8000-${String(++lastUuid).padStart(12, '0')}`;

  function playIsOver(play: string, because: 'finished' | 'stopped'): void {
    const order = playing.get(play);
    if (order === undefined || order.owner.kind !== ownerKind) return;
    playing.delete(play);
    // Notified later, as by the real ones.
    queueMicrotask(() => tellOfPlay(order.owner.id, { type: 'play-over', play, because, problems: [] }));
  }

  function recordingIsOver(name: string, because: 'stopped' | 'max-length'): void {
    const order = recording.get(name);
    if (order === undefined || order.owner.kind !== ownerKind) return;
    recording.delete(name);
    const rest = { url: '', outcome: 'completed', durationMs: 0, startedAt: 0, endedAt: 0 } as const;
    queueMicrotask(() =>
      tellOfRecording(order.owner.id, { type: 'recording-over', recording: name, because, ...rest }),
    );
  }

  const deps: SessionDeps = {
    runner,
    calls: {
      peek: (leg) => legs.get(leg),
      partnerOf: (leg) =>
        legs.get(leg)?.parentLeg ?? [...legs.values()].find(({ parentLeg }) => parentLeg === leg)?.leg,
      whenOver: (tell) => over.push(tell),
      parametersOf: ({ leg, from, to }) => ({ CallUUID: leg, From: from, To: to }),
    },
    sounds: {
      ownedBy: (_kind, tell) => {
        tellOfPlay = tell;
      },
      play(order) {
        if (playing.has(order.play)) throw new Error(`${order.play} plays already`);
        playing.set(order.play, order);
      },
      stop: (play) => playIsOver(play, 'stopped'),
    },
    recordings: {
      ownedBy: (_kind, tell) => {
        tellOfRecording = tell;
      },
      urlOf: ({ recording: name, account, format }) =>
        `https://media.example/v1/Account/${account}/Recording/${name}.${format}`,
      async start(order) {
        const work = beforeRecording;
        beforeRecording = async () => {};
        await work();
        recording.set(order.recording, order);
      },
      tellMembers() {},
      retrack() {},
      pause() {},
      resume() {},
      stop: (name) => recordingIsOver(name, 'stopped'),
    },
  };
  const sessions = defineSessions(deps);
  const { calls, recordings } = deps;
  const media = { send: (command: MixCommand) => void sent.push(command) };
  const routes = callActionRoutes({ sessions, calls, recordings, media, newUuid });
  const opened: OpenDatabase = Object.assign(async () => database, open);
  const api: ApiWorld = await openApi(opened, { routes: [routes] });

  return {
    api,
    runner,
    sessions,
    playing,
    recording,
    sent,
    leg(fields = {}) {
      const leg = newUuid();
      legs.set(leg, {
        leg,
        account: api.main.authId,
        mainAccount: api.main.authId,
        direction: 'inbound',
        owner: { kind: 'document', id: leg },
        from: 'alice',
        to: '+12025550100',
        callerName: 'Alice',
        phase: 'answered',
        initiatedAt: 0,
        answeredAt: 0,
        requestUuid: leg,
        parentLeg: null,
        headers: {},
        isPrivate: false,
        ...fields,
      });
      return leg;
    },
    async hangUp(leg) {
      legs.delete(leg);
      for (const tell of over) tell(leg);
      await runner.idle();
    },
    async finishPlay(play) {
      playIsOver(play, 'finished');
      await new Promise(setImmediate);
      await runner.idle();
    },
    async finishRecording(name) {
      recordingIsOver(name, 'max-length');
      await new Promise(setImmediate);
      await runner.idle();
    },
    beforeRecording(work) {
      beforeRecording = work;
    },
    post: (path, body = {}, as = api.main) => api.call('POST', path, { body, as }),
    remove: (path, { body, as = api.main } = {}) =>
      api.call('DELETE', path, { as, ...(body === undefined ? {} : { body }) }),
  };
}
