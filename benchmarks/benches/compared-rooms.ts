import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { quantile, quietMachine } from '../measure.ts';
import { type Part, pin, startPart } from '../part.ts';
import type { MixRooms, MixStart } from '../parts/mix.ts';
import type { RtpLoad, RtpOutcome } from '../parts/rtp-load.ts';
import type { Figure } from '../report.ts';
import { middleOf } from '../rounds.ts';

/** Rooms of three participants of G.711, in servers that share one core in turn; the phones have the other one. */
const room = 3;
const remotePort = 9_540;
const seconds = 15.5;
/** Jitter buffers remember late packets for 4 to 8 s, and all phones begin at once. */
const settleSeconds = 10;
const frameMs = 20;
/** Frames that are lost or more than 20 ms late, of all; the same rule for every server. */
const mostLostPercent = 0.5;
export const [servers, loads] = [0, 1];
const attempts = 2;
const patienceMs = 8000;
/** Share of the participants that hold, up to which the delay is promised. */
const promised = 0.8;
/**
 * Participants where both servers run at the same time: about a third of what each holds, because where a wake serves few
 * packets, it is the wakes that are compared. Together they leave a quarter of the core idle.
 */
const besideUs = 300;
const besideThem = 90;
const windows = 8;
const windowMs = 3000;

/** A server that mixes, started anew for each trial. */
export interface MixingServer {
  /** Participants of the trials, upwards, in steps of a tenth where a server is expected to reach its limit. */
  readonly sizes: readonly number[];
  /** Resolves with the running server, and with the ports at which it receives the audio of the participants, room by room. */
  open(rooms: MixRooms): Promise<OpenRooms>;
}

export interface OpenRooms {
  readonly tested: Pick<Part, 'cpu'>;
  readonly ports: readonly number[];
  stop(): Promise<void>;
}

interface Trial {
  readonly legs: number;
  readonly lostOrLatePercent: number;
  /** Of all threads of the process. */
  readonly cpuPercent: number;
  readonly delayP50Ms: number;
  readonly delayP99Ms: number;
  readonly sentLate: number;
}

interface Searched {
  /** The trial with the most participants that held. */
  readonly held: Trial | undefined;
  readonly trials: readonly Trial[];
}

export interface Compared {
  readonly us: Searched;
  readonly them: Searched;
  /** Ours with as many participants as held there. */
  readonly alike: Trial;
  /** Ours with a part of those that hold. */
  readonly calm: Trial;
  readonly beside: readonly Window[];
}

/** Share of a core that a participant takes, in percent, here and there in the same seconds. */
interface Window {
  readonly ours: number;
  readonly theirs: number;
}

/** Searches how many participants hold there and here. */
export async function compareRooms(
  them: MixingServer,
  profile: string | undefined,
  scale: number,
): Promise<Compared> {
  const us = ours(profile);
  const load = startPart('rtp-load');
  try {
    if (cpus().length > 1) await pin(load, loads);
    await load.ask('bind', { port: remotePort });
    const [theirs, own] = await alternately(searched(them, load, scale), searched(us, load, scale));
    const alike = await tried(us, load, (theirs.held ?? theirs.trials[0]!).legs);
    const below = Math.max(room, Math.floor((own.held?.legs ?? own.trials[0]!.legs) * promised));
    const calm = await tried(us, load, below);
    const beside = await besideEachOther(us, them, scale);
    return { us: own, them: theirs, alike, calm, beside };
  } finally {
    await load.stop();
  }
}

function ours(profile: string | undefined): MixingServer {
  return {
    sizes: [360, 540, 660, 720, 780, 840, 900, 960, 1050, 1200, 1380],
    async open(rooms) {
      const tested = startPart('mix', { profile });
      const stop = () => tested.stop();
      try {
        await tested.ask('start', { sockets: 'native', thread: 'worker' } satisfies MixStart);
        if (cpus().length > 1) await pin(tested, servers);
        return { tested, ports: await tested.ask<readonly number[]>('open', rooms), stop };
      } catch (error) {
        await stop();
        throw error;
      }
    },
  };
}

/** A step of each search in turn: a machine that becomes slower or busier is so for both. */
async function alternately<T>(one: AsyncGenerator<void, T>, other: AsyncGenerator<void, T>): Promise<[T, T]> {
  let [first, second] = [await one.next(), await other.next()];
  while (!first.done || !second.done) {
    if (!first.done) first = await one.next();
    if (!second.done) second = await other.next();
  }
  return [first.value, second.value];
}

/**
 * Upwards until a size fails twice; yields after each size. With a smaller scale one trial only shows that the bench
 * runs.
 */
async function* searched(server: MixingServer, load: Part, scale: number): AsyncGenerator<void, Searched> {
  const sizes = server.sizes.map((legs) => Math.max(room, Math.round(legs * scale)));
  const trials: Trial[] = [];
  let held: Trial | undefined;
  for (const legs of scale < 1 ? sizes.slice(0, 1) : sizes) {
    let passed: Trial | undefined;
    for (let attempt = 0; attempt < attempts && passed === undefined; attempt++) {
      await quietMachine(patienceMs * scale);
      const trial = await tried(server, load, legs);
      trials.push(trial);
      if (trial.lostOrLatePercent < mostLostPercent) passed = trial;
    }
    if (passed === undefined) break;
    held = passed;
    yield;
  }
  return { held, trials };
}

/** A new process, because a failed trial would affect the next one. */
async function tried(server: MixingServer, load: Part, legs: number): Promise<Trial> {
  const { tested, ports, stop } = await server.open({ legs, room, remotePort });
  try {
    const order = { ports, room, seconds, settleSeconds, pulses: true } satisfies RtpLoad;
    const heard = load.ask<RtpOutcome>('run', order);
    await wait(settleSeconds * 1000);
    const before = await tested.cpu();
    await wait((seconds - settleSeconds - 0.5) * 1000);
    const after = await tested.cpu();
    const { missing, late, delaysMs, sentLate } = await heard;
    const delays = Float64Array.from(delaysMs).sort();
    const due = (legs * (seconds - settleSeconds) * 1000) / frameMs;
    return {
      legs,
      lostOrLatePercent: ((missing + late) / due) * 100,
      cpuPercent: ((after.cpuMs - before.cpuMs) / (after.atMs - before.atMs) / legs) * 100,
      delayP50Ms: quantile(delays, 0.5),
      delayP99Ms: quantile(delays, 0.99),
      sentLate,
    };
  } finally {
    await stop();
  }
}

/** Rooms of both servers on one core, so that other load on the machine hits both alike. */
async function besideEachOther(
  us: MixingServer,
  them: MixingServer,
  scale: number,
): Promise<readonly Window[]> {
  const counted = Math.ceil(windows * scale);
  const sides = await Promise.all(
    [
      { server: us, most: besideUs },
      { server: them, most: besideThem },
    ].map(async ({ server, most }, at) => {
      const legs = Math.max(room, room * Math.round((most * scale) / room));
      const load = startPart('rtp-load');
      if (cpus().length > 1) await pin(load, loads);
      const port = remotePort + 1 + at;
      await load.ask('bind', { port });
      return { legs, load, ...(await server.open({ legs, room, remotePort: port })) };
    }),
  );
  try {
    const seconds = settleSeconds + ((counted + 1) * windowMs) / 1000;
    const runs = sides.map(({ load, ports }) =>
      load.ask('run', { ports, room, seconds, settleSeconds } satisfies RtpLoad),
    );
    await wait(settleSeconds * 1000);
    const measured: Window[] = [];
    let before = await Promise.all(sides.map(({ tested }) => tested.cpu()));
    while (measured.length < counted) {
      await wait(windowMs);
      const after = await Promise.all(sides.map(({ tested }) => tested.cpu()));
      const [ours = 0, theirs = 0] = after.map(
        ({ cpuMs, atMs }, at) =>
          ((cpuMs - before[at]!.cpuMs) / (atMs - before[at]!.atMs) / sides[at]!.legs) * 100,
      );
      measured.push({ ours, theirs });
      before = after;
    }
    await Promise.all(runs);
    return measured;
  } finally {
    await Promise.all(sides.flatMap(({ load, stop }) => [load.stop(), stop()]));
  }
}

/** Participants that hold and the CPU of one, ours beside those of the other server; the budget is `times` as many. */
export function besideFigures(
  { us, them, alike, beside }: Compared,
  { name, times }: { readonly name: string; readonly times: number },
): readonly Figure[] {
  const theirs = them.held ?? them.trials[0]!;
  const ratio = (theirs.cpuPercent / alike.cpuPercent).toFixed(2);
  const { middle, quartiles } = middleOf(beside, (window) => window.theirs / window.ours);
  return [
    {
      what: 'participants of G.711 in rooms of three on one core',
      value: us.held?.legs ?? 0,
      unit: 'participants',
      // Where none held, as on a busy machine, there is nothing to compare with.
      ...(them.held && {
        budget: { atLeast: times * them.held.legs },
        floor: { what: name, value: them.held.legs },
      }),
      note: `less than ${mostLostPercent} % of the frames lost or more than 20 ms late`,
    },
    {
      what: 'CPU of a participant, both at the same time on one core',
      value: middle.ours,
      unit: '% of a core',
      budget: { atMost: middle.theirs / times },
      floor: { what: name, value: middle.theirs },
      note: `${besideUs} beside ${besideThem}; ${name} takes ${(middle.theirs / middle.ours).toFixed(2)} times ours; quartiles of ${beside.length} windows ${quartiles}`,
    },
    {
      what: 'CPU of a participant, one server after the other',
      value: alike.cpuPercent,
      unit: '% of a core',
      floor: { what: name, value: theirs.cpuPercent },
      note: `${described(alike)}; ${name} with as many: ${ratio} times ours, ${theirs.lostOrLatePercent.toFixed(2)} %`,
    },
  ];
}

/** Mouth to ear of the other server. */
export function theirDelay({ them }: Compared, name: string, why: string): Figure {
  const theirs = them.held ?? them.trials[0]!;
  return {
    what: `mouth to ear of ${name}, p50`,
    value: theirs.delayP50Ms,
    unit: 'ms',
    note: `p99 ${theirs.delayP99Ms.toFixed(1)} ms${why}; ${described(theirs)}`,
  };
}

export function ourDelay({ calm }: Compared): readonly Figure[] {
  const figure = (what: string, value: number, atMost: number): Figure => ({
    what: `mouth to ear at 80 % of our participants, ${what}`,
    value,
    unit: 'ms',
    budget: { atMost },
    note: described(calm),
  });
  return [figure('p50', calm.delayP50Ms, 12), figure('p99', calm.delayP99Ms, 25)];
}

function described(trial: Trial): string {
  return `${trial.legs} participants, ${trial.lostOrLatePercent.toFixed(2)} % of their frames lost or late`;
}
