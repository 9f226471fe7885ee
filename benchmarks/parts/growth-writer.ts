import { createSystemClock } from '@jackfield/adapters/clock';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import { createSecrets } from '@jackfield/adapters/secrets';
import { callMigrations, createCallStore, emptyLeg } from '@jackfield/platform/call-records';
import { createCallbacks, pruneCallbacks } from '@jackfield/platform/callbacks';
import {
  createOutbox,
  createTimePartitions,
  incarnationMigrations,
  outboxMigrations,
} from '@jackfield/platform/kernel';
import { createSipEndpoints } from '@jackfield/platform/sip-endpoints';
import type { Database, Egress, Write } from '@jackfield/ports';
import { DEFAULT_REGISTRATION_LIMITS, decideRegistration } from '@jackfield/sip';
import { account } from '../growth/filled.ts';
import { type PacedOutcome, PacedUnits } from '../growth/paced.ts';
import { quantile } from '../measure.ts';
import { servePart } from '../part.ts';
import { joinAs, log, usage } from './written-node.ts';

export interface GrowthWriterStart {
  readonly url: string;
  readonly lanes: number;
  /** From 0; the first process removes old rows. */
  readonly seat: number;
  readonly processes: number;
  /** Of a registration: how many times longer it is stored than it is granted. */
  readonly slack: number;
  readonly grantedSeconds: number;
  readonly phones: number;
  /** Events that are kept. */
  readonly keepEvents: number;
  /** Ended legs and callbacks are kept for so long. */
  readonly keepMs: number;
}

/** What this process does a second. */
export interface GrowthRates {
  readonly registers: number;
  readonly calls: number;
}

export interface GrowthRun {
  readonly rates: GrowthRates;
  readonly seconds: number;
  /** Ended legs and callbacks that are older are removed at the beginning, by the wall clock. */
  readonly removeBefore: number;
  /** How much further that moves in a second: as much as the rows of a second span. */
  readonly removedMsPerSecond: number;
}

export type GrowthKind = 'registers' | 'steps' | 'deliveries';

export type GrowthOutcome = Readonly<Record<GrowthKind, PacedOutcome>> & {
  /** Legs and callbacks. */
  readonly removed: number;
};

type Leg = typeof emptyLeg;

const legsOfCall = 2;
/** One leg of each call has callbacks, for each of its three events. */
const callbacksOfCall = 3;
const legsOfRemoval = 200;
const callbacksOfRemoval = 1_000;
/** Between two full portions. */
const removalPauseMs = 100;
/** The platform looks once a minute; a run has seconds. */
const removeEveryMs = 1_000;
/** A timer of Node has a grain of a millisecond, and a burst of units shares a commit as a burst of datagrams does. */
const paceMs = 5;

const clock = createSystemClock();
const secrets = createSecrets(new Uint8Array(32).fill(7));
/** More than one host: each has few slots. */
const receivers = 100;
/** Receivers that answer at once: HTTP has benches of its own. */
const egress: Egress = { send: async () => ({ status: 200, headers: {}, body: new Uint8Array(0) }) };

let setting: GrowthWriterStart;
let database: Database;
let store: ReturnType<typeof createCallStore>;
let outbox: ReturnType<typeof createOutbox>;
let callbacks: ReturnType<typeof createCallbacks>;
let endpoints: ReturnType<typeof createSipEndpoints>;
/** The oldest first. */
const unanswered: Leg[] = [];
const live: Leg[] = [];
let delivered: number[] = [];
/** Names of live legs whose events have callbacks. */
const withCallbacks = new Set<string>();
let begun = 0;
let nextPhone = 0;

servePart({
  async start(start: GrowthWriterStart): Promise<void> {
    setting = start;
    const incarnation = start.seat + 1;
    database = createPostgresDatabase({ url: start.url, writers: start.lanes, isShared: true, log });
    outbox = createOutbox({
      database,
      clock,
      log,
      newEventId: secrets.randomUuid,
      incarnation,
      limits: { concurrency: 256, keepNumber: start.keepEvents, pruneEveryMs: removeEveryMs },
      mayPrune: () => start.seat === 0,
    });
    const authTokenOf = async () => 'YmVuY2htYXJrYmVuY2htYXJrYmVuY2htYXJr';
    callbacks = createCallbacks({ database, clock, log, secrets, egress, outbox, authTokenOf });
    endpoints = createSipEndpoints({
      database,
      clock,
      secrets,
      domains: ['sip.localhost'],
      applications: {
        exists: async () => false,
        defaultOf: async () => undefined,
        seenAmong: async () => new Set(),
      },
      outbox,
      roles: { take() {}, holds: () => start.seat === 0 },
    });
    await database.migrate([
      ...outboxMigrations,
      ...incarnationMigrations,
      ...callMigrations,
      ...callbacks.migrations,
      ...endpoints.migrations,
    ]);
    await joinAs(database, start.seat, start.lanes);
    store = createCallStore(database, usage);
    outbox.start(countingConsumer());
  },
  /** Begins legs, and ends the first of them. */
  async hold(legs: number): Promise<void> {
    for (let count = 0; count <= legs; count += 100) {
      await Promise.all(Array.from({ length: Math.min(100, legs + 1 - count) }, beginLeg));
      await Promise.all(unanswered.splice(0).map(answerLeg));
    }
    await endLeg(live.shift()!);
    await outbox.idle();
  },
  run,
  async stop() {
    await endpoints?.release();
    await callbacks?.release();
    await database?.close();
  },
});

/** The consumer of the platform; a delivery ends when its outcome is recorded. */
function countingConsumer(): typeof callbacks.deliver {
  const { admit, deliver } = callbacks.deliver;
  return {
    ...(admit === undefined ? {} : { admit }),
    async deliver(event) {
      const outcome = await deliver(event);
      if (typeof outcome !== 'object' || !('finished' in outcome)) return outcome;
      return {
        ...outcome,
        async save(write: Write) {
          await outcome.save(write);
          delivered.push(clock.wallNow() - event.createdAt);
        },
      };
    },
  };
}

async function run({ rates, seconds, removeBefore, removedMsPerSecond }: GrowthRun): Promise<GrowthOutcome> {
  delivered = [];
  const legs = rates.calls * legsOfCall;
  // A leg is written three times: a call answers within seconds, and ends as the oldest of all that are up.
  const kinds = {
    registers: new PacedUnits(rates.registers, register),
    begins: new PacedUnits(legs, beginLeg),
    answers: new PacedUnits(legs, () => stepOf(unanswered, answerLeg)),
    ends: new PacedUnits(legs, () => stepOf(live, endLeg)),
  };
  const began = performance.now();
  const elapsed = () => performance.now() - began;
  const removals = removing(
    () => Math.floor(removeBefore + (elapsed() / 1000) * removedMsPerSecond),
    () => elapsed() < seconds * 1000,
  );
  while (elapsed() < seconds * 1000) {
    for (const kind of Object.values(kinds)) kind.advance(began, Math.min(elapsed(), seconds * 1000));
    await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
  const outcomes = { registers: kinds.registers.outcome, steps: stepsOf(kinds) };
  const deliveries = deliveriesOf(rates.calls * callbacksOfCall * seconds);
  await Promise.all(Object.values(kinds).map((kind) => kind.settled()));
  const removed = await removals;
  await outbox.idle();
  return { ...outcomes, deliveries, removed };
}

function stepsOf(kinds: Readonly<Record<'begins' | 'answers' | 'ends', PacedUnits>>): PacedOutcome {
  const all = [kinds.begins.outcome, kinds.answers.outcome, kinds.ends.outcome];
  const sum = (of: (outcome: PacedOutcome) => number) => all.reduce((total, each) => total + of(each), 0);
  return {
    due: sum(({ due }) => due),
    reached: sum(({ reached }) => reached),
    failures: sum(({ failures }) => failures),
    p50Ms: Math.max(...all.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...all.map(({ p99Ms }) => p99Ms)),
  };
}

function deliveriesOf(due: number): PacedOutcome {
  const sorted = Float64Array.from(delivered).sort();
  const times = { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
  return { due: Math.floor(due), reached: sorted.length, failures: 0, ...times };
}

/** Old legs and callbacks, in portions as large as those of the platform and with its pauses. */
async function removing(before: () => number, isOn: () => boolean): Promise<number> {
  if (setting.seat > 0) return 0;
  const partitions = createTimePartitions(
    { database, clock: { ...clock, wallNow: () => before() + setting.keepMs }, log },
    { name: 'callbacks', since: 'created_at', keepMs: setting.keepMs },
  );
  const [legs, rows] = await Promise.all([
    repeating(isOn, legsOfRemoval, () => store.removeEnded(before(), legsOfRemoval)),
    repeating(isOn, callbacksOfRemoval, async () => {
      let removed = 0;
      for (const table of await partitions.maintain())
        removed += await pruneCallbacks(database, before(), callbacksOfRemoval, table);
      return removed;
    }),
  ]);
  return legs + rows;
}

async function repeating(
  isOn: () => boolean,
  portion: number,
  remove: () => Promise<number>,
): Promise<number> {
  let removed = 0;
  while (isOn()) {
    const rows = await remove();
    removed += rows;
    await new Promise((resolve) => setTimeout(resolve, rows === portion ? removalPauseMs : removeEveryMs));
  }
  return removed;
}

/** Refreshes the registration of the next phone of this process. */
async function register(): Promise<void> {
  const { seat, processes, phones, slack, grantedSeconds } = setting;
  const number = (seat + processes * nextPhone++) % phones;
  const cseq = 2 + Math.floor((processes * nextPhone) / phones);
  const limits = { ...DEFAULT_REGISTRATION_LIMITS, maxExpires: grantedSeconds, slack };
  const request = {
    contacts: [`<sip:phone${number}@192.0.2.1:5062>`],
    expiresHeader: String(grantedSeconds),
    callId: `call-of-phone${number}`,
    cseq,
    userAgent: 'Phone 1.0',
    flow: 'udp-192.0.2.1-5062',
    transport: 'UDP',
    source: '192.0.2.1:5062',
  };
  const now = clock.now();
  const { status } = await endpoints.registrations.update(
    `phone${number}`,
    (current) => {
      const decided = decideRegistration(request, current, now, limits);
      return { bindings: decided.status === 200 ? decided.bindings : current, result: decided };
    },
    { mostlySame: slack !== 1 },
  );
  if (status !== 200) throw new Error(`a REGISTER was answered with ${status}`);
}

async function stepOf(from: Leg[], step: (leg: Leg) => Promise<void>): Promise<void> {
  const leg = from.shift();
  if (leg !== undefined) await step(leg);
}

async function beginLeg(): Promise<void> {
  const leg: Leg = {
    ...emptyLeg,
    leg: secrets.randomUuid(),
    account,
    mainAccount: account,
    requestUuid: secrets.randomUuid(),
    initiatedAt: clock.now(),
  };
  const hasCallbacks = begun++ % legsOfCall === 0;
  if (hasCallbacks) withCallbacks.add(leg.leg);
  await writeStep(undefined, leg, hasCallbacks);
  unanswered.push(leg);
}

async function answerLeg(leg: Leg): Promise<void> {
  const answered: Leg = { ...leg, phase: 'answered', answeredAt: clock.now() };
  await writeStep(leg, answered, withCallbacks.has(leg.leg));
  live.push(answered);
}

async function endLeg(leg: Leg): Promise<void> {
  const end = { code: 4000, name: 'Normal Hangup', source: 'Caller' } as NonNullable<Leg['end']>;
  await writeStep(leg, { ...leg, phase: 'ended', endedAt: clock.now(), end }, withCallbacks.delete(leg.leg));
}

function receiverOf(leg: string): string {
  return `https://receiver${Number.parseInt(leg.slice(-4), 16) % receivers}.example/status`;
}

async function writeStep(before: Leg | undefined, after: Leg, hasCallback: boolean): Promise<void> {
  const resource = `call/${after.leg}`;
  const event = {
    type: `call.${after.phase}`,
    account,
    mainAccount: account,
    resource,
    payload: {
      CallUUID: after.leg,
      RequestUUID: after.requestUuid,
      From: '+12025550100',
      To: '+12025550101',
      CallStatus: after.phase,
      Direction: 'inbound',
      Event: 'StartApp',
    },
    ...(hasCallback ? { callback: { url: receiverOf(after.leg), method: 'POST' } as const } : {}),
  };
  const work = async (write: Write) => {
    await store.save(write, before, after, setting.seat + 1);
    await outbox.appendEvents(write, [event]);
  };
  // As the session runner commits a step.
  await database.transact(work, { isolation: 'read-committed', key: resource });
  outbox.wake();
}
