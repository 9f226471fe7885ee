import { randomUUID } from 'node:crypto';
import { createSystemClock } from '@jackfield/adapters/clock';
import { createPostgresDatabase } from '@jackfield/adapters/database-postgres';
import { callMigrations, createCallStore, emptyLeg } from '@jackfield/platform/call-records';
import { createOutbox, incarnationMigrations, outboxMigrations } from '@jackfield/platform/kernel';
import type { Database, Write } from '@jackfield/ports';
import { account } from '../growth/filled.ts';
import { type Load, quantile } from '../measure.ts';
import { servePart } from '../part.ts';
import { joinAs, log, usage } from './written-node.ts';

export interface WriterStart {
  readonly url: string;
  readonly lanes: number;
  /** Of the nodes in this process; each node has its own. */
  readonly seats: readonly number[];
  /** Deliveries of the events, without HTTP. */
  readonly delivers: boolean;
}

export interface WriterRun {
  readonly legs: number;
  readonly inFlight: number;
}

export interface WriterLoad extends Load {
  /** Units whose work ran more than once, after a conflict with another transaction. */
  readonly repeats: number;
  /** Of a unit, from its call to its commit. */
  readonly p99Ms: number;
}

type Leg = typeof emptyLeg;

let nodes: readonly Node[] = [];
let callback: { readonly url: string; readonly method: 'POST' } | undefined;
let repeats = 0;
let times: number[] = [];

/** What a node of a cluster writes its legs with. */
interface Node {
  readonly database: Database;
  readonly store: ReturnType<typeof createCallStore>;
  readonly outbox: ReturnType<typeof createOutbox>;
}

servePart({
  async start({ url, lanes, seats, delivers }: WriterStart): Promise<void> {
    callback = delivers ? { url: 'https://receiver.example/', method: 'POST' } : undefined;
    const opened: Node[] = [];
    // One after another: the first one migrates.
    for (const seat of seats) opened.push(await openNode(url, lanes, seat));
    nodes = opened;
    if (delivers) for (const { outbox } of nodes) outbox.start(async () => 'delivered');
  },
  async run({ legs, inFlight }: WriterRun): Promise<WriterLoad> {
    repeats = 0;
    times = [];
    let begun = 0;
    let failures = 0;
    const began = performance.now();
    const writeLegs = async (node: Node) => {
      while (begun++ < legs) await writeLeg(node).catch(() => failures++);
    };
    await Promise.all(
      Array.from({ length: inFlight }, (_, index) => writeLegs(nodes[index % nodes.length]!)),
    );
    for (const { outbox } of nodes) await outbox.idle();
    const seconds = (performance.now() - began) / 1000;
    const p99Ms = quantile(Float64Array.from(times).sort(), 0.99);
    return { operations: legs, seconds, failures, repeats, p99Ms };
  },
  async stop() {
    for (const { outbox, database } of nodes) {
      await outbox.close();
      await database.close();
    }
  },
});

async function openNode(url: string, lanes: number, seat: number): Promise<Node> {
  const database = createPostgresDatabase({ url, writers: lanes, isShared: true, log });
  await database.migrate([...outboxMigrations, ...incarnationMigrations, ...callMigrations]);
  const incarnation = await joinAs(database, seat, lanes);
  const outbox = createOutbox({
    database,
    clock: createSystemClock(),
    log,
    newEventId: () => randomUUID(),
    incarnation,
    limits: { concurrency: 256 },
  });
  return { database, store: createCallStore(database, usage), outbox };
}

/** What a leg writes: its record, its answer and its end, each with an event. */
async function writeLeg(node: Node): Promise<void> {
  const at = Date.now();
  const leg: Leg = {
    ...emptyLeg,
    leg: randomUUID(),
    account,
    mainAccount: account,
    requestUuid: randomUUID(),
    initiatedAt: at,
  };
  const answered: Leg = { ...leg, phase: 'answered', answeredAt: at };
  const ended: Leg = {
    ...answered,
    phase: 'ended',
    endedAt: at,
    end: { code: 4000, name: 'Normal Hangup', source: 'Caller' } as NonNullable<Leg['end']>,
  };
  await writeStep(node, undefined, leg);
  await writeStep(node, leg, answered);
  await writeStep(node, answered, ended);
}

async function writeStep(
  { database, store, outbox }: Node,
  before: Leg | undefined,
  after: Leg,
): Promise<void> {
  const resource = `call/${after.leg}`;
  const event = {
    type: `call.${after.phase}`,
    account,
    mainAccount: account,
    resource,
    payload: { call_uuid: after.leg, from: '+12025550100', to: '+12025550101', status: after.phase },
    ...(callback === undefined ? {} : { callback }),
  };
  let runs = 0;
  const began = performance.now();
  const work = async (write: Write) => {
    runs++;
    await store.save(write, before, after);
    await outbox.appendEvents(write, [event]);
  };
  // As the session runner commits a step.
  await database.transact(work, { isolation: 'read-committed', key: resource });
  outbox.wake();
  times.push(performance.now() - began);
  if (runs > 1) repeats++;
}
