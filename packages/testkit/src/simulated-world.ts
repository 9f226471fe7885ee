import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LiveEvent } from '@jackfield/contract';
import type { Database } from '@jackfield/ports';
import { createRecordingLog, type LogLine } from './recording-log.ts';
import { seededRandom } from './seeded-random.ts';
import { createSettling } from './settling.ts';
import { createSimulatedCustomer, type SimulatedCustomer } from './simulated-customer.ts';
import { frameMs } from './simulated-media.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import { SimulatedPhone } from './simulated-phone.ts';
import { type ApiAnswer, type SimulatedPlatform, startSimulatedPlatform } from './simulated-platform.ts';
import { eventFaults } from './told-as-documented.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export interface SimulatedWorldOptions {
  /** Repeats a run: identifiers, jitter and the phones' clocks derive from it. */
  readonly seed?: number;
  /** Wraps the database of each process. */
  readonly interpose?: (database: Database) => Database;
}

/** Live objects of a world, by name; all zero once the last call and its transactions have ended. */
export type Census = Readonly<Record<string, number>>;

/** The platform, phones and a network on one virtual clock: everything is real except time, sockets and threads. */
export interface SimulatedWorld {
  readonly clock: VirtualClock;
  readonly network: SimulatedNetwork;
  /** The server behind every URL of a callback or document. */
  readonly customer: SimulatedCustomer;
  /** The platform that runs now; a new one after `restart`. */
  readonly node: SimulatedPlatform;
  readonly log: readonly LogLine[];
  now(): number;
  advance(ms: number): Promise<void>;
  /** Advances in steps of 20 ms until `condition` holds; throws with `what` when it does not hold within `limitMs`. */
  until(
    what: string,
    condition: () => boolean | undefined | Promise<boolean | undefined>,
    limitMs?: number,
  ): Promise<void>;
  api(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<ApiAnswer>;
  /** Creates an endpoint and a phone that is registered as it. Its tone is the given one, or the next free one from 900 Hz up. */
  phone(
    name: string,
    options?: { readonly toneHz?: number; readonly isSecure?: boolean },
  ): Promise<SimulatedPhone>;
  /** Kills the platform without any message and starts it again, at once or later, on the data of its disk. */
  restart(options?: { readonly downMs?: number }): Promise<void>;
  census(): Census;
  /** Lets time pass until every transaction has ended, and asserts an empty census and no logged error. */
  assertNothingLeft(): Promise<void>;
  /** Closes everything; asserts that no timer is left. */
  close(): Promise<void>;
}

const sip = { address: '10.0.0.1', port: 5060 };
const domain = 'sip.example.com';
const account = { authId: 'MASIMULATEDWORLD0000', authToken: 'c2ltdWxhdGVkc2ltdWxhdGVkc2ltdWxhdGVkc2lt' };

/** RFC 3261 §17.1.1.2: no transaction outlives 64*T1; a second more for the messages that end it. */
const transactionsOverMs = 2 * 32_000 + 1000;

// Files in memory: no test here depends on the speed of a disk.
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Runs a test in its own world: the census must be empty at the end, and the world is closed in any case. */
export async function inSimulatedWorld(
  options: SimulatedWorldOptions,
  run: (world: SimulatedWorld) => Promise<void>,
): Promise<void> {
  const world = await openSimulatedWorld(options);
  let isDone = false;
  try {
    await run(world);
    await world.assertNothingLeft();
    isDone = true;
  } finally {
    // A failed test reports its own error, not what it leaves behind.
    if (isDone) await world.close();
    else await world.close().catch(() => {});
  }
}

export async function openSimulatedWorld(options: SimulatedWorldOptions = {}): Promise<SimulatedWorld> {
  const random = seededRandom(options.seed ?? 1);
  const settling = createSettling();
  const clock = createVirtualClock({ settle: settling.settle });
  const network = new SimulatedNetwork(clock, random);
  const log = createRecordingLog();
  const customer = createSimulatedCustomer(clock, settling.touched);
  const root = mkdtempSync(join(place, 'jackfield-world-'));
  const phones: SimulatedPhone[] = [];
  let lives = 0;

  const directory = () => join(root, String(lives));
  const start = () =>
    startSimulatedPlatform({
      clock,
      network,
      random,
      settling,
      log,
      sip,
      domain,
      customer,
      account,
      directory: directory(),
      ...(options.interpose === undefined ? {} : { interpose: options.interpose }),
    });
  let node = await start();

  const world: SimulatedWorld = {
    clock,
    network,
    customer,
    get node() {
      return node;
    },
    log: log.lines,
    now: () => clock.now(),
    async advance(ms) {
      settling.touched();
      await clock.advance(ms);
    },
    async until(what, condition, limitMs = 5000) {
      const limit = clock.now() + limitMs;
      while (!(await condition())) {
        if (clock.now() >= limit) assert.fail(`not within ${limitMs} ms: ${what}`);
        await world.advance(frameMs);
      }
    },
    api: (method, path, body) => node.api(method, path, body),
    async phone(name, { toneHz = 900 + 350 * phones.length, isSecure = false } = {}) {
      const password = `secret of ${name}`;
      const { status, body } = await world.api('POST', 'Endpoint/', {
        username: name,
        password,
        alias: name,
      });
      assert.equal(status, 201, JSON.stringify(body));
      const phone = new SimulatedPhone({
        clock,
        network,
        random,
        domain,
        registrar: sip,
        address: `10.0.1.${phones.length + 1}`,
        username: body.username,
        password,
        toneHz,
        isSecure,
      });
      phones.push(phone);
      phone.register();
      await world.until(`${name} is registered`, () => phone.registration !== undefined, 40_000);
      assert.equal(phone.registration, 200);
      return phone;
    },
    async restart({ downMs = 0 } = {}) {
      const last = directory();
      lives++;
      await node.kill(directory());
      rmSync(last, { recursive: true, force: true });
      await world.advance(downMs);
      node = await start();
      await world.advance(0);
    },
    census() {
      const { platform, edge, media, streams } = node;
      const counted: Record<string, number> = {};
      const count = (of: string, things: object) => {
        for (const [name, number] of Object.entries(things)) counted[`${of} ${name}`] = Number(number);
      };
      for (const [kind, { sessions, timers, queued }] of Object.entries(platform.runner.census())) {
        count(kind, { sessions, timers, queued });
      }
      for (const [feature, things] of Object.entries(platform.census())) count(feature, things);
      count('edge', edge.census());
      count('routed legs of', edge.routedLegs());
      count('sockets', streams.census());
      // Sounds that are not playing are kept for the next call.
      const { clips: _, ...inCalls } = media.census();
      count('media', { ...inCalls, leaks: media.leaks });
      for (const phone of phones) count(phone.username, phone.census());
      const sipPorts = new Set([sip, ...phones.map(({ signalsAt }) => signalsAt)].map(nameOf));
      count('network', { ports: network.openPorts().filter((port) => !sipPorts.has(port)).length });
      return counted;
    },
    async assertNothingLeft() {
      await world.advance(transactionsOverMs);
      const left = Object.entries(world.census()).filter(([, number]) => number !== 0);
      assert.deepEqual(left, [], 'something outlives its calls');
      const errors = log.lines.filter(({ level }) => level === 'error');
      assert.deepEqual(errors, [], 'the platform logged errors');
      assert.deepEqual(customer.undocumented, [], 'signed requests that the contract does not know');
      const faults = (await feedOf(world)).flatMap(({ type, data }) => eventFaults(type, data) ?? []);
      assert.deepEqual(faults, [], 'events that the contract does not know');
    },
    async close() {
      try {
        for (const phone of phones) phone.close();
        await node.close();
        // Datagrams in flight are lost.
        await clock.advance(1000);
        assert.equal(clock.pending, 0, 'timers outlive the world');
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    },
  };
  return world;
}

/** All stored events of the account, the oldest first. */
export async function feedOf(world: Pick<SimulatedWorld, 'api'>): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for (let path: string | null = 'Event/?after=0-0&limit=100'; path !== null; ) {
    const { status, body } = await world.api('GET', path);
    assert.equal(status, 200, JSON.stringify(body));
    events.push(...body.objects);
    path = body.meta.next;
  }
  return events;
}

function nameOf({ address, port }: { readonly address: string; readonly port: number }): string {
  return `${address}:${port}`;
}
