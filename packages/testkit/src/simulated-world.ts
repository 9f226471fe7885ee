import assert from 'node:assert/strict';
import type { LiveEvent } from '@jackfield/contract';
import { type RateTable, readCarriers } from '@jackfield/platform';
import type { Database } from '@jackfield/ports';
import type { SenderLimits } from '@jackfield/signalling';
import { eventFaults } from './documented-events.ts';
import type { OpenDatabase } from './each-database.ts';
import type { MemoryBuses } from './memory-bus.ts';
import { createRecordingLog, type LogLine } from './recording-log.ts';
import { seededRandom } from './seeded-random.ts';
import { createSettling } from './settling.ts';
import { type Census, censusOf } from './simulated-census.ts';
import { type ClusterFaults, startSimulatedCluster } from './simulated-cluster.ts';
import { createSimulatedCustomer, type SimulatedCustomer } from './simulated-customer.ts';
import { frameMs } from './simulated-media.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { createSimulatedPhones, type SimulatedPhones } from './simulated-phones.ts';
import type {
  ApiAnswer,
  Call,
  Caller,
  PlatformSettings,
  SimulatedPlatform,
  SimulatedPlatformOptions,
} from './simulated-platform.ts';
import { type NodeFaults, type SimulatedProcesses, startSimulatedProcesses } from './simulated-processes.ts';
import type { SimulatedTelephony } from './simulated-telephony.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export interface SimulatedWorldOptions {
  /** Repeats a run: identifiers, jitter and the phones' clocks derive from it. */
  readonly seed?: number;
  /** Entries of the operator's list of carriers; their hosts are addresses, because the world has no name server. */
  readonly carriers?: readonly object[];
  readonly rates?: RateTable;
  /** Limits for senders: the server's defaults when left out. */
  readonly limits?: SenderLimits;
  /** `none`: the world has no SIP, and the test moves the legs of calls by `telephony`. */
  readonly phones?: 'none';
  /**
   * The databases of a suite, for tests over each kind. After each test the suite closes the world, as `inSimulatedWorld` does, and then
   * the databases. Files in memory when absent.
   */
  readonly database?: OpenDatabase;
  readonly settings?: PlatformSettings;
  readonly numbers?: SimulatedPlatformOptions['numbers'];
  readonly sounds?: SimulatedPlatformOptions['sounds'];
  /** What recognises speech; nothing when absent. */
  readonly recognition?: SimulatedPlatformOptions['recognition'];
  /** The real recorder, to which the test gives the audio. The test closes it after the world. */
  readonly recorder?: SimulatedPlatformOptions['recorder'];
  /** Wraps the database of each process. */
  readonly interpose?: (database: Database) => Database;
  /** `by-test`: a world on the databases of a suite closes without a census, because the test or its suite takes it. */
  readonly census?: 'by-test';
  /** Sentences of the errors that the test brings about: each has to be logged, and no other. */
  readonly loggedErrors?: readonly string[];
  /** Several nodes on one database: each request and each phone enters at a random one. One process when left out. */
  readonly nodes?: number;
  readonly faults?: ClusterFaults;
  /** The test emits events of its own, which the contract does not know. */
  readonly hasOwnEvents?: boolean;
}

export interface Cluster extends NodeFaults {
  /** Those that run. */
  readonly nodes: readonly SimulatedPlatform[];
  readonly bus: MemoryBuses;
}

/** The platform, phones and a network on one virtual clock: everything is real except time, sockets and threads. */
export interface SimulatedWorld {
  readonly clock: VirtualClock;
  readonly network: SimulatedNetwork;
  /** The server behind every URL of a callback or document. */
  readonly customer: SimulatedCustomer;
  /** The platform that runs now; a new one after `restart`. */
  readonly node: SimulatedPlatform;
  /** All nodes, and the bus between them; undefined where one process runs. */
  readonly cluster: Cluster | undefined;
  /** Signalling of `node` in a world without phones. */
  readonly telephony: SimulatedTelephony;
  readonly log: readonly LogLine[];
  now(): number;
  /** Time stands still until this work, which waits for something outside of the world, is done. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  advance(ms: number): Promise<void>;
  /** Advances in steps of 20 ms until `condition` holds; throws with `what` when it does not hold within `limitMs`. */
  until(
    what: string,
    condition: () => boolean | undefined | Promise<boolean | undefined>,
    limitMs?: number,
  ): Promise<void>;
  /** The first account. */
  readonly main: Caller;
  /** A request of the first account. */
  api(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<ApiAnswer>;
  readonly call: Call;
  /** Creates a subaccount of the first account. */
  subaccount(name?: string): Promise<Caller>;
  /** Creates an endpoint and a phone that is registered as it. Its tone is the given one, or the next free one from 900 Hz up. */
  readonly phone: SimulatedPhones['registered'];
  /** A phone without an endpoint at an address, such as the gateway of a carrier. */
  readonly gateway: SimulatedPhones['unregistered'];
  /** Kills the platform without any message, or closes it, and starts it again, at once or later, on the data of its disk. */
  restart(options?: { readonly downMs?: number; readonly isGraceful?: boolean }): Promise<void>;
  census(): Census;
  /**
   * Lets time pass until every transaction has ended, and asserts an empty census and no logged error. In a world without phones the legs that
   * the test has left end before.
   */
  assertNothingLeft(): Promise<void>;
  /** Closes everything; asserts that no timer is left. */
  close(): Promise<void>;
}

const sip = { address: '10.0.0.1', port: 5060 };
const domain = 'sip.example.com';
const account = { authId: 'MASIMULATEDWORLD0000', authToken: 'c2ltdWxhdGVkc2ltdWxhdGVkc2ltdWxhdGVkc2lt' };

/** RFC 3261 §17.1.1.2: no transaction outlives 64*T1; a second more for the messages that end it. */
const transactionsOverMs = 2 * 32_000 + 1000;

let usual: Pick<SimulatedWorldOptions, 'nodes' | 'faults'> = {};

/** From now on worlds that name no nodes have these: to run tests a second time. */
export function everyWorldHas(options: typeof usual): void {
  usual = options;
}

/** Runs a test in its own world: the census must be empty at the end, and the world is closed in any case. */
export async function inSimulatedWorld(
  options: SimulatedWorldOptions,
  run: (world: SimulatedWorld) => Promise<void>,
): Promise<void> {
  const world = await openWorld(options);
  let passed = false;
  try {
    await run(world);
    passed = true;
  } finally {
    await ended(world, passed);
  }
}

/** A failed test reports its own error, not what it leaves behind. */
async function ended(world: SimulatedWorld, passed: boolean): Promise<void> {
  if (!passed) return world.close().catch(() => {});
  try {
    await world.assertNothingLeft();
  } catch (error) {
    await world.close().catch(() => {});
    throw error;
  }
  await world.close();
}

/** The world that a test closes itself; over the databases of a suite, the suite does. */
export async function openSimulatedWorld(options: SimulatedWorldOptions = {}): Promise<SimulatedWorld> {
  const world = await openWorld(options);
  options.database?.beforeClose(({ passed }) =>
    passed && options.census === 'by-test' ? world.close() : ended(world, passed),
  );
  return world;
}

async function openWorld(options: SimulatedWorldOptions): Promise<SimulatedWorld> {
  const { seed = 1, recognition } = options;
  const random = seededRandom(seed);
  const settling = createSettling();
  const clock = createVirtualClock({ settle: settling.settle });
  const network = new SimulatedNetwork(clock, random);
  const log = createRecordingLog();
  const customer = createSimulatedCustomer(clock, settling);
  const shared = { clock, network, random, settling, log, sip, domain, customer, account };
  const processes = await startProcesses(options, shared);
  const advance = async (ms: number) => {
    settling.touched();
    await clock.advance(ms);
  };
  const until: SimulatedWorld['until'] = async (what, condition, limitMs = 5000) => {
    const limit = clock.now() + limitMs;
    while (!(await condition())) {
      if (clock.now() >= limit) assert.fail(`not within ${limitMs} ms: ${what}`);
      await advance(frameMs);
    }
  };
  const call: Call = async (...request) => {
    const answer = processes.entry().call(...request);
    return processes.bus?.isImpaired === true || processes.isAnyHeldUp === true
      ? whileTimePasses(answer, advance)
      : answer;
  };
  const api: SimulatedWorld['api'] = (method, path, body) => call(method, path, { body });
  const phones = createSimulatedPhones({
    ...shared,
    registrar: (node) => (node === undefined ? processes.entryAddress() : processes.addresses[node]!),
    api,
    until,
  });
  const census = () =>
    censusOf({
      nodes: processes.all,
      phones: phones.all,
      network,
      ...(typeof recognition === 'object' ? { recognition } : {}),
      ownPorts: processes.addresses.map(({ address, port }) => `${address}:${port}`),
    });

  let judgedUntil = '0-0';

  return {
    clock,
    network,
    customer,
    get node() {
      return processes.current;
    },
    get cluster() {
      const { all: nodes, bus, faults } = processes;
      return bus && faults && { nodes, bus, ...faults };
    },
    get telephony() {
      return processes.current.telephony ?? assert.fail('the legs of this world belong to its phones');
    },
    log: log.lines,
    now: () => clock.now(),
    during: settling.during,
    advance,
    until,
    main: account,
    api,
    call,
    async subaccount(name = 'Branch') {
      const { body } = await api('POST', 'Subaccount/', { name });
      return { authId: body.auth_id, authToken: body.auth_token };
    },
    phone: phones.registered,
    gateway: phones.unregistered,
    async restart({ downMs = 0, isGraceful = false } = {}) {
      if (isGraceful) for (const node of processes.all) await closed(() => node.close(), advance);
      await processes.restart(() => advance(downMs), isGraceful ? 'closed' : 'killed');
      await advance(0);
    },
    census,
    async assertNothingLeft() {
      processes.current.telephony?.leaveAll();
      await advance(transactionsOverMs);
      assertNothing(census());
      assertErrors(log.lines, options.loggedErrors ?? []);
      if (options.hasOwnEvents !== true) judgedUntil = await assertDocumented({ api, customer }, judgedUntil);
    },
    async close() {
      phones.close();
      await closed(() => processes.close(), advance);
      // Datagrams in flight are lost.
      await clock.advance(1000);
      assert.equal(clock.pending, 0, 'timers outlive the world');
    },
  };
}

type SharedParts = Pick<
  SimulatedPlatformOptions,
  'clock' | 'network' | 'random' | 'settling' | 'log' | 'sip' | 'domain' | 'customer' | 'account'
>;

/** One process after another, or nodes beside each other. */
async function startProcesses(
  options: SimulatedWorldOptions,
  shared: SharedParts,
): Promise<SimulatedProcesses> {
  const { carriers = [], rates, limits, interpose, database: open, settings } = options;
  const { numbers, sounds, recognition, recorder } = options;
  const { nodes, faults } = { ...usual, ...options };
  const all = {
    ...shared,
    operated: operatorOf(carriers),
    phones: options.phones !== 'none',
    ...(rates === undefined ? {} : { rates }),
    ...(limits === undefined ? {} : { limits }),
    ...(interpose === undefined ? {} : { interpose }),
    ...(settings === undefined ? {} : { settings }),
    ...(numbers === undefined ? {} : { numbers }),
    ...(sounds === undefined ? {} : { sounds }),
    ...(recognition === undefined ? {} : { recognition }),
    ...(recorder === undefined ? {} : { recorder }),
  };
  return nodes === undefined
    ? startSimulatedProcesses({ ...all, ...(open === undefined ? {} : { open }) })
    : startSimulatedCluster({ ...all, nodes, ...(faults === undefined ? {} : { faults }) });
}

function assertNothing(census: Census): void {
  const left = Object.entries(census).filter(([, number]) => number !== 0);
  assert.deepEqual(left, [], 'something outlives its calls');
}

/** Judges the events behind `after`; resolves with the last one. */
async function assertDocumented(
  world: Pick<SimulatedWorld, 'api' | 'customer'>,
  after: string,
): Promise<string> {
  assert.deepEqual(world.customer.undocumented, [], 'signed requests that the contract does not know');
  const events = await eventStreamOf(world, after);
  const faults = events.flatMap(({ type, data }) => eventFaults(type, data) ?? []);
  assert.deepEqual(faults, [], 'events that the contract does not know');
  return events.at(-1)?.id ?? after;
}

function assertErrors(lines: readonly LogLine[], provoked: readonly string[]): void {
  const errors = lines.filter(({ level }) => level === 'error');
  const others = errors.filter(({ sentence }) => !provoked.includes(sentence));
  assert.deepEqual(others, [], 'the platform logged errors');
  const missing = provoked.filter((each) => !errors.some(({ sentence }) => sentence === each));
  assert.deepEqual(missing, [], 'errors that the test should have brought about');
}

/** The end of a process may wait for answers, such as those of carriers to its last REGISTER: time passes meanwhile. */
function closed(close: () => Promise<void>, advance: (ms: number) => Promise<void>): Promise<void> {
  return whileTimePasses(close(), advance);
}

async function whileTimePasses<Result>(
  work: Promise<Result>,
  advance: (ms: number) => Promise<void>,
): Promise<Result> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  // It may fail while time passes; `return` throws that.
  ended.catch(() => {});
  while (!isOver) await advance(frameMs);
  return ended;
}

/** Carriers as the operator's file lists them. */
function operatorOf(carriers: readonly object[]) {
  const read = readCarriers(JSON.stringify({ carriers }));
  assert.ok(read.ok, JSON.stringify(read));
  return read;
}

/** The stored events of the account behind the one with this id, or all, the oldest first. */
export async function eventStreamOf(
  world: Pick<SimulatedWorld, 'api'>,
  after = '0-0',
): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for (let path: string | null = `Event/?after=${after}&limit=100`; path !== null; ) {
    const { status, body } = await world.api('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    events.push(...body.objects);
    path = body.meta.next;
  }
  return events;
}
