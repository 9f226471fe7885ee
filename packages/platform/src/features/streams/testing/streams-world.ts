import type { CheckedAddresses, Clock, Database, EgressProblem } from '@jackfield/ports';
import {
  createSimulatedStreams,
  type OpenDatabase,
  type SimulatedStreams,
  type VirtualClock,
} from '@jackfield/testkit';
import { type ApiAnswer, type ApiWorld, type Caller, openApi } from '../../../http/testing/api-world.ts';
import { createSessionRunner } from '../../../kernel/create-session-runner.ts';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { SessionRunner } from '../../../kernel/session-runner.ts';
import type { LiveLeg } from '../../calls/index.ts';
import type { PlayOrder } from '../../sounds/index.ts';
import { createUsage, type RateTable } from '../../usage/index.ts';
import { createStreams, type StreamLifeNotice, type StreamsFeature } from '../index.ts';
import { streamsTable } from '../migrations/0001-streams.ts';
import { streamsOfSubaccounts } from '../migrations/0002-streams-of-subaccounts.ts';
import { streamFailureCodes } from '../migrations/0003-failure-codes.ts';

export const botUrl = 'wss://bot.example/audio?room=1';

/** The streams feature behind the real HTTP interface on a real database, with legs and servers that a test moves. */
export interface StreamsWorld {
  readonly api: ApiWorld;
  readonly clock: VirtualClock;
  readonly database: Database;
  readonly runner: SessionRunner;
  readonly feature: StreamsFeature;
  readonly sockets: SimulatedStreams;
  readonly events: readonly OutboxEvent[];
  /** Notices to owners of kind `test`. */
  readonly notices: readonly (readonly [string, StreamLifeNotice])[];
  /** Hold audio that is heard, by the names of the plays. */
  readonly playing: ReadonlyMap<string, PlayOrder>;
  /** A live leg of the main account; gives its call UUID. */
  leg(fields?: Partial<LiveLeg>): string;
  hangUp(leg: string): Promise<void>;
  /** What becomes of look-ups of this host from now on. */
  place(host: string, found: CheckedAddresses | { readonly problem: EgressProblem }): void;
  pass(ms: number): Promise<void>;
  post(path: string, body?: object, as?: Caller): Promise<ApiAnswer>;
  get(path: string, as?: Caller): Promise<ApiAnswer>;
  remove(path: string, as?: Caller): Promise<ApiAnswer>;
  /** Another process on the data as they are now; the old one ends without notice. */
  crash(): Promise<StreamsWorld>;
}

const rates: RateTable = {
  currency: 'USD',
  rates: [{ prefix: 'stream', direction: 'both', perMinute: 300, initialSeconds: 60, incrementSeconds: 60 }],
};

export async function openStreamsWorld(open: OpenDatabase): Promise<StreamsWorld> {
  return worldOn(await open([streamsTable, streamsOfSubaccounts, streamFailureCodes]), open, 0);
}

async function worldOn(database: Database, open: OpenDatabase, startAt: number): Promise<StreamsWorld> {
  // The clock comes with the HTTP interface, which wants the routes first.
  const clock: Clock = {
    now: () => api.clock.now(),
    wallNow: () => api.clock.wallNow(),
    startTimer: (at, fire) => api.clock.startTimer(at, fire),
  };
  const events: OutboxEvent[] = [];
  const notices: (readonly [string, StreamLifeNotice])[] = [];
  const playing = new Map<string, PlayOrder>();
  const owners = new Set<string>();
  const legs = new Map<string, LiveLeg>();
  const ended = new Set<string>();
  const over: ((leg: string) => void)[] = [];
  const places = new Map<string, CheckedAddresses | { readonly problem: EgressProblem }>();
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  let lastUuid = 0;
  const newUuid = () => `00000000-0000-4000-8000-${String(++lastUuid).padStart(12, '0')}`;
  const runner = createSessionRunner({
    database,
    clock,
    log,
    appendEvents: async (_write, appended) => {
      events.push(...appended);
    },
  });
  const sockets = createSimulatedStreams(clock);
  const feature = createStreams({
    runner,
    database,
    clock,
    log,
    newUuid,
    audioStreams: sockets,
    egress: {
      resolve: async (url) => places.get(new URL(url).hostname) ?? { addresses: ['192.0.2.80'], port: 443 },
    },
    sounds: {
      ownedBy: (kind) => void owners.add(kind),
      play(order) {
        if (!owners.has(order.owner.kind))
          throw new Error(`no owner is registered for plays of '${order.owner.kind}'`);
        playing.set(order.play, order);
      },
      stop: (play) => void playing.delete(play),
    },
    usage: createUsage(rates),
    calls: {
      peek: (leg) => legs.get(leg),
      whenOver: (tell) => over.push(tell),
      isKnown: async (_viewer, call) => legs.has(call) || ended.has(call),
    },
    secrets: {
      sign: (key, text) => `${key.slice(0, 2)}<${text.replace(/[.]\d{20}$/, '')}>`,
      randomBytes: (length) => new Uint8Array(length).fill(7),
    },
    authTokenOf: async (authId) => authId,
    signaturePrefixes: ['X-Service-', 'X-Other-'],
  });
  feature.ownedBy('test', (owner, notice) => notices.push([owner, notice]));
  const opened: OpenDatabase = Object.assign(async () => database, open);
  const api: ApiWorld = await openApi(opened, { routes: feature.routes });
  if (startAt > 0) await api.clock.advance(startAt - api.clock.now());

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(setImmediate);
      await runner.idle();
    }
  }

  const world: StreamsWorld = {
    api,
    clock: api.clock,
    database,
    runner,
    feature,
    sockets,
    events,
    notices,
    playing,
    leg(fields = {}) {
      const leg = fields.leg ?? newUuid();
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
      ended.add(leg);
      for (const tell of over) tell(leg);
      await settle();
    },
    place: (host, found) => void places.set(host, found),
    async pass(ms) {
      await settle();
      await api.clock.advance(ms);
      await settle();
    },
    async post(path, body = {}, as = api.main) {
      const answer = await api.call('POST', path, { body, as });
      await settle();
      return answer;
    },
    get: (path, as = api.main) => api.call('GET', path, { as }),
    async remove(path, as = api.main) {
      const answer = await api.call('DELETE', path, { as });
      await settle();
      return answer;
    },
    async crash() {
      const now = api.clock.now();
      await api.app.close();
      await runner.close();
      sockets.stop();
      return worldOn(await open.again(database), open, now);
    },
  };
  return world;
}
