import { createSecrets } from '@jackfield/adapters/secrets';
import type { Clock, Database, Sms, SmsOrder, SmsOutcome, SmsReceipt } from '@jackfield/ports';
import {
  assertDocumentedEvents,
  type OpenDatabase,
  type VirtualClock,
  watchDatabase,
} from '@jackfield/testkit';
import { type ApiAnswer, type ApiWorld, type Caller, openApi } from '../../../http/testing/api-world.ts';
import { createSessionRunner } from '../../../kernel/create-session-runner.ts';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { SessionRunner } from '../../../kernel/session-runner.ts';
import type { CallEnd, OutboundLeg, OwnedLegNotice } from '../../calls/index.ts';
import { createSandboxMessages } from '../../sandbox-messages/index.ts';
import type { PlayNotice, PlayOrder } from '../../sounds/index.ts';
import { createVerify, type Limiter, type SendLimits, type VerifyFeature } from '../index.ts';

/** A gateway whose answers and receipts the test controls. */
export interface ScriptedGateway {
  readonly sms: Sms;
  readonly orders: SmsOrder[];
  /** Answers to the next orders; without one, an order is accepted as `m-<n>`. */
  readonly outcomes: (SmsOutcome | Promise<SmsOutcome>)[];
  receipt(receipt: SmsReceipt): void;
}

export function createScriptedGateway(): ScriptedGateway {
  let tell = (_: SmsReceipt): void => {};
  const orders: SmsOrder[] = [];
  const outcomes: (SmsOutcome | Promise<SmsOutcome>)[] = [];
  return {
    orders,
    outcomes,
    receipt: (receipt) => tell(receipt),
    sms: {
      async send(order) {
        orders.push(order);
        return (await outcomes.shift()) ?? { accepted: true, message: `m-${orders.length}` };
      },
      listen(listener) {
        tell = listener;
      },
    },
  };
}

export interface VerifyWorld {
  readonly api: ApiWorld;
  readonly clock: VirtualClock;
  readonly database: Database;
  readonly runner: SessionRunner;
  readonly feature: VerifyFeature;
  readonly gateway: ScriptedGateway | undefined;
  /** Of events that carry it, newest last. */
  readonly events: OutboxEvent[];
  readonly dialled: OutboundLeg[];
  readonly hungUp: (readonly [string, CallEnd])[];
  readonly plays: PlayOrder[];
  readonly stopped: string[];
  /** Commands to start or stop voice reports, with their legs. */
  readonly listened: string[];
  notice(leg: string, notice: OwnedLegNotice): Promise<void>;
  played(order: PlayOrder, because: 'finished' | 'stopped'): Promise<void>;
  start(body?: object, as?: Caller): Promise<ApiAnswer>;
  /** Starts a session that must succeed; resolves with its UUID. */
  begin(body?: object, as?: Caller): Promise<string>;
  check(session: string, otp: string | number, as?: Caller): Promise<ApiAnswer>;
  get(path: string, as?: Caller): Promise<ApiAnswer>;
  /** The code in the newest message to a number. */
  codeFor(to?: string): Promise<string>;
  settle(): Promise<void>;
  crash(): Promise<VerifyWorld>;
}

export const recipient = '+14155552671';

export interface WorldOptions {
  readonly gateway?: ScriptedGateway;
  readonly sendLimits?: Partial<SendLimits>;
  readonly limiter?: Limiter;
}

export async function openVerifyWorld(open: OpenDatabase, options: WorldOptions = {}): Promise<VerifyWorld> {
  return worldOn(await open(), open, options);
}

async function worldOn(
  opened: Database,
  open: OpenDatabase,
  options: WorldOptions,
  startAt?: number,
): Promise<VerifyWorld> {
  const { gateway } = options;
  const { database, pending } = watchDatabase(opened);
  const events: OutboxEvent[] = [];
  const dialled: OutboundLeg[] = [];
  const hungUp: (readonly [string, CallEnd])[] = [];
  const plays: PlayOrder[] = [];
  const stopped: string[] = [];
  const listened: string[] = [];
  let tellLeg = (_: string, __: OwnedLegNotice): void => {};
  let tellPlay = (_: string, __: PlayNotice): void => {};
  // The clock comes with the HTTP interface, which wants the routes first.
  const clock: Clock = {
    now: () => api.clock.now(),
    wallNow: () => api.clock.wallNow(),
    startTimer: (at, fire) => api.clock.startTimer(at, fire),
  };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const appendEvents = async (_: unknown, appended: readonly OutboxEvent[]) => {
    assertDocumentedEvents(appended);
    events.push(...appended);
  };
  const runner = createSessionRunner({ database, clock, log, appendEvents });
  const inbox = createSandboxMessages({ database, clock, log });
  const feature = createVerify({
    database,
    clock,
    log,
    runner,
    secrets: createSecrets(new Uint8Array(32).fill(7)),
    metrics: { count() {} },
    publicUrl: 'https://jackfield.example',
    outbox: { appendEvents, wake() {} },
    sms: gateway?.sms ?? inbox.sms,
    calls: {
      ownedBy(_, tell) {
        tellLeg = tell;
      },
      async dial(leg) {
        dialled.push(leg);
      },
      hangUp: (leg, end) => void hungUp.push([leg, end]),
    },
    media: {
      send(command) {
        if (command.do !== 'watch-voice') throw new Error(`${command.do} is not expected here`);
        listened.push(`${command.leg} ${command.watched}`);
      },
    },
    sounds: {
      ownedBy(_, tell) {
        tellPlay = tell;
      },
      play: (order) => void plays.push(order),
      stop: (play) => void stopped.push(play),
    },
    ...(options.sendLimits === undefined ? {} : { sendLimits: options.sendLimits }),
    ...(options.limiter === undefined ? {} : { limiter: options.limiter }),
  });
  await database.migrate([...feature.migrations, ...inbox.migrations]);
  const opening: OpenDatabase = Object.assign(async () => opened, open);
  const api: ApiWorld = await openApi(opening, { routes: [...feature.routes, ...inbox.routes] });
  if (startAt !== undefined) await api.clock.advance(startAt - api.clock.now());
  await feature.restore();
  await inbox.restore();

  /** A commit or read may cause another. */
  const settle = async () => {
    for (let quiet = 0; quiet < 3; quiet = pending() === 0 ? quiet + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve));
      await runner.idle();
    }
  };

  const world: VerifyWorld = {
    api,
    clock: api.clock,
    database,
    runner,
    feature,
    gateway,
    events,
    dialled,
    hungUp,
    plays,
    stopped,
    listened,
    async notice(leg, notice) {
      tellLeg(dialled.find((each) => each.leg === leg)!.owner.id, notice);
      await settle();
    },
    async played({ play, owner }, because) {
      tellPlay(owner.id, { type: 'play-over', play, because, problems: [] });
      await settle();
    },
    async start(body = {}, as = api.main) {
      const answer = await api.call('POST', 'Verify/Session/', { body: { recipient, ...body }, as });
      await settle();
      return answer;
    },
    async begin(body, as) {
      const answer = await world.start(body, as);
      if (answer.status !== 202) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body.session_uuid;
    },
    async check(session, otp, as = api.main) {
      const answer = await api.call('POST', `Verify/Session/${session}/`, { body: { otp }, as });
      await settle();
      return answer;
    },
    get: (path, as = api.main) => api.call('GET', path, { as }),
    async codeFor(to = recipient) {
      const text =
        gateway === undefined
          ? (await world.get(`Sandbox/Message/?to=${encodeURIComponent(to)}`)).body.objects[0]?.text
          : gateway.orders.findLast((order) => order.to === to)?.text;
      return /\d{4,8}/.exec(text ?? '')?.[0] ?? '';
    },
    settle,
    async crash() {
      const now = api.clock.now();
      await api.app.close();
      await runner.close();
      inbox.close();
      feature.close();
      return worldOn(await open.again(opened), open, options, now);
    },
  };
  return world;
}
