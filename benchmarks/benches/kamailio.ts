import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { bestOf, type Measured, measure } from '../measure.ts';
import { type Part, pin, startPart } from '../part.ts';
import type { KamailioStart } from '../parts/kamailio.ts';
import type { CallOutcome, CallRun, PhonesStart } from '../parts/phones.ts';
import type { PreparedPhones, RegisterOutcome, RegisterRun } from '../parts/register-load.ts';
import type { Bench, Figure } from '../report.ts';
import type { StartedPlatform } from './api.ts';
import { createEndpoints, password } from './endpoints.ts';

const realm = 'sip.localhost';
const runs = 3;
/** Both servers share one core; the idle one sleeps. The load has the other core. */
const servers = 0;
const loads = 1;

/** The amount of work; `--scale 0.01` only shows that the bench runs. */
interface Sizes {
  readonly few: number;
  readonly many: number;
  readonly busy: number;
  readonly registers: number;
  readonly calls: number;
}

/** The measurements of one server. */
interface Outcome {
  readonly registers: Measured<RegisterOutcome>;
  readonly calls: Measured<CallOutcome>;
  /** One request at a time, with few bindings and with many. */
  readonly alone: { readonly few: Alone; readonly many: Alone };
  readonly bytesEach: number;
}

interface Alone {
  readonly register: Measured<RegisterOutcome>;
  readonly call: Measured<CallOutcome>;
}

interface Server {
  readonly name: 'Jackfield' | 'Kamailio';
  readonly part: Part;
  readonly port: number;
  /** Bytes of the state that stays. */
  memory(): Promise<number>;
  /** Whether the server has no calls. */
  isQuiet(): Promise<boolean>;
  /** Whether the server has no state of earlier requests, including transactions. */
  isEmpty(): Promise<boolean>;
}

/**
 * Compares Jackfield with Debian's Kamailio: a registrar with digest, calls through both, and the effect of 100,000
 * bindings.
 */
export const kamailio: Bench = {
  name: 'kamailio',
  async run({ profile, scale }) {
    if (spawnSync('kamailio', ['-v']).status !== 0) throw new Error('kamailio is not installed');
    const sizes = scaled(scale);
    const platform = startPart('platform', { profile });
    const peer = startPart('kamailio');
    const [registering, phones, otherPhones] = [
      startPart('register-load'),
      startPart('phones'),
      startPart('phones'),
    ];
    const isPinned = cpus().length > 1;
    try {
      const started = await platform.ask<StartedPlatform>('start');
      const order = { realm, password, ...(isPinned ? { core: servers } : {}) };
      const { port } = await peer.ask<{ readonly port: number }>('start', order satisfies KamailioStart);
      if (isPinned) {
        await pin(platform, servers);
        for (const part of [registering, phones, otherPhones]) await pin(part, loads);
      }
      const created = await createEndpoints(started, sizes.many, 'bench');
      const usernames = created.map(({ username }) => username);
      const ours = await outcomeOf(
        jackfield(platform, started.sip.port),
        { registering, phones },
        usernames,
        sizes,
      );
      const theirs = await outcomeOf(
        theKamailio(peer, port),
        { registering, phones: otherPhones },
        usernames,
        sizes,
      );
      return {
        figures: figuresOf(ours, theirs, sizes),
        details: { sizes, pinned: isPinned, jackfield: ours, kamailio: theirs },
      };
    } finally {
      await Promise.all([platform, peer, registering, phones, otherPhones].map((part) => part.stop()));
    }
  },
};

function scaled(scale: number): Sizes {
  const of = (count: number, least: number) => Math.max(least, Math.round(count * scale));
  return {
    few: 100,
    many: of(100_000, 200),
    busy: of(2_000, 100),
    registers: of(20_000, 200),
    calls: of(1_000, 20),
  };
}

function theKamailio(part: Part, port: number): Server {
  return {
    name: 'Kamailio',
    part,
    port,
    memory: () => kept(part),
    isQuiet: async () => true,
    isEmpty: async () => (await part.ask<number>('transactions')) === 0,
  };
}

interface SipCensus {
  readonly sip: { readonly legs: number; readonly transactions: number };
}

function jackfield(part: Part, port: number): Server {
  const census = async () => (await part.ask<SipCensus>('census')).sip;
  return {
    name: 'Jackfield',
    part,
    port,
    memory: () => kept(part),
    isQuiet: async () => (await census()).legs === 0,
    isEmpty: async () => (await census()).transactions === 0,
  };
}

async function kept(part: Part): Promise<number> {
  return (await part.ask<{ readonly kept: number }>('memory')).kept;
}

interface Loads {
  readonly registering: Part;
  readonly phones: Part;
}

async function outcomeOf(
  server: Server,
  { registering, phones }: Loads,
  usernames: readonly string[],
  sizes: Sizes,
): Promise<Outcome> {
  const { part, port } = server;
  const few = usernames.slice(0, sizes.few);
  const open = (names: readonly string[], protocol: 'udp' | 'tcp' = 'udp') =>
    registering.ask('open', { protocol, port, usernames: names, password, realm } satisfies PreparedPhones);
  const register = (run: RegisterRun) => measure(part, () => registering.ask<RegisterOutcome>('run', run));
  const call = (run: CallRun) =>
    measure(part, () => untilQuiet(server, () => phones.ask<CallOutcome>('direct', run)));
  // The calling phones have their own contacts, which registrations of others must not replace.
  const callers = few.slice(0, sizes.few / 2).map((username) => ({ username, password }));
  const registered = few.slice(sizes.few / 2);

  async function alone(): Promise<Alone> {
    const one = { count: Math.ceil(sizes.registers / 5), window: 1 };
    // A nonce is valid for some hundred requests of a phone.
    const registerAnew = async () => {
      await open(registered);
      return register(one);
    };
    await registerAnew();
    return {
      register: await bestOf(runs, registerAnew),
      call: await bestOf(runs, () => call({ count: Math.ceil(sizes.calls / 4), atOnce: 1 })),
    };
  }

  await phones.ask('start', { sipPort: port, accounts: callers } satisfies PhonesStart);
  await call({ count: sizes.calls, atOnce: 16 });
  const withFew = await alone();
  const calls = await bestOf(runs, () => call({ count: sizes.calls, atOnce: 16 }));

  const busy = usernames.slice(sizes.few, sizes.few + sizes.busy);
  await open(busy);
  await register({ count: sizes.registers, window: 100 });
  const registers = await bestOf(runs, () => register({ count: sizes.registers, window: 100 }));

  // Over TCP no transaction outlives its answer, so only bindings are added.
  const others = usernames.slice(sizes.few + sizes.busy);
  // Over UDP transactions last half a minute (RFC 3261 §17.2.2, timer J).
  while (!(await server.isEmpty())) await wait(500);
  const before = await server.memory();
  for (let at = 0; at < others.length; at += batch) {
    const names = others.slice(at, at + batch);
    await open(names, 'tcp');
    const { failures } = await registering.ask<RegisterOutcome>('run', { count: names.length, window: 64 });
    if (failures > 0) throw new Error(`${failures} registrations failed at ${server.name}`);
  }
  const bytesEach = ((await server.memory()) - before) / others.length;
  return { registers, calls, alone: { few: withFew, many: await alone() }, bytesEach };
}

const batch = 10_000;

async function untilQuiet<Value>(server: Server, load: () => Promise<Value>): Promise<Value> {
  const value = await load();
  while (!(await server.isQuiet())) await wait(20);
  return value;
}

function figuresOf(ours: Outcome, theirs: Outcome, { few, many }: Sizes): readonly Figure[] {
  const beside = (what: string, of: (outcome: Outcome) => number, note: string): Figure => ({
    what,
    value: of(ours),
    unit: '/s per core',
    floor: { what: 'Kamailio', value: of(theirs) },
    note,
  });
  const micros = (
    of: (outcome: Outcome) => Measured<{ operations: number; seconds: number; failures: number }>,
  ) =>
    `${Math.round(of(ours).cpuMicroseconds)} µs of CPU each, Kamailio ${Math.round(of(theirs).cpuMicroseconds)}`;
  const growth = (what: string, of: (alone: Alone) => number): Figure => ({
    what,
    value: of(ours.alone.many) / of(ours.alone.few),
    unit: 'times',
    // The ratio of two runs varies by about that much with other load on the machine.
    budget: { atMost: 1.25 },
    floor: { what: 'Kamailio', value: of(theirs.alone.many) / of(theirs.alone.few) },
    note: `${of(ours.alone.few).toFixed(3)} and ${of(ours.alone.many).toFixed(3)}`,
  });
  const from = `with ${many.toLocaleString('en-US')} bindings, of that with ${few}`;
  return [
    beside(
      'REGISTER with digest: ours durable, Kamailio in memory',
      ({ registers }) => registers.perCore,
      micros(({ registers }) => registers),
    ),
    beside(
      'calls with digest: through our B2BUA, through its stateful proxy',
      ({ calls }) => calls.perCore,
      micros(({ calls }) => calls),
    ),
    {
      what: 'memory of a registration',
      value: ours.bytesEach,
      unit: 'B',
      budget: { atMost: 2048 },
      floor: { what: 'Kamailio', value: theirs.bytesEach },
    },
    growth(`REGISTER, CPU ${from}`, ({ register }) => register.cpuMicroseconds),
    growth(`REGISTER, p50 ${from}`, ({ register }) => register.p50Ms),
    growth(`call, CPU ${from}`, ({ call }) => call.cpuMicroseconds),
    growth(`call, time ${from}`, ({ call }) => 1000 / call.perSecond),
  ];
}
