import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { asteriskRoot, dialplan } from '../asterisk.ts';
import { measure } from '../measure.ts';
import { type Part, pin, startPart } from '../part.ts';
import type { AsteriskStart } from '../parts/asterisk.ts';
import type { CallOutcome, CallRun, JoinRun, PhoneAccount, PhonesStart } from '../parts/phones.ts';
import type { Bench, Figure } from '../report.ts';
import { roundsFigure, runRounds } from '../rounds.ts';
import { direct, document, loadAddresses, type Workload } from '../workloads.ts';
import type { StartedPlatform } from './api.ts';
import {
  besideFigures,
  compareRooms,
  loads,
  type MixingServer,
  servers,
  theirDelay,
} from './compared-rooms.ts';
import { password } from './endpoints.ts';

const name = 'Asterisk';
const port = 5_980;
const phones = 64;
const calls = { count: 400, atOnce: 32 } satisfies CallRun;
const pairs = 12;
/** Runs of 2,000 calls before the first round: V8 still compiles after 10,000 calls, and a server runs for months. */
const warmUps = 10;

/** Of the calls of a workload, so that our round lasts about as long as that of Asterisk. */
const share = 0.2;

/** Calls of both servers: what Asterisk's phones call, and the multiple of its rate that we want at least. */
const kinds = [
  { workload: direct, callee: undefined, what: 'bridged calls with digest', times: 2.4 },
  {
    workload: document,
    callee: dialplan.menu,
    what: 'calls that a document answers, there the dialplan',
    times: 1,
  },
] as const;

/** Compares calls and rooms with those of Asterisk: calls at the same time on one core, rooms in turn. */
export const asterisk: Bench = {
  name: 'asterisk',
  async run({ profile, scale }) {
    asteriskRoot();
    const figures: Figure[] = [];
    const details: Record<string, unknown> = {};
    for (const kind of kinds) {
      const { figure, rounds } = await comparedCalls(kind, profile, scale);
      figures.push(figure);
      details[kind.workload.name] = rounds;
    }
    const rooms = await compareRooms(conferences, profile, scale);
    figures.push(
      ...besideFigures(rooms, { name: 'ConfBridge', times: 4 }),
      theirDelay(rooms, 'ConfBridge', ''),
    );
    return { figures, details: { ...details, rooms } };
  },
};

interface Kind {
  readonly workload: Workload;
  readonly callee: string | undefined;
  readonly what: string;
  readonly times: number;
}

async function comparedCalls(
  { workload, callee, what, times }: Kind,
  profile: string | undefined,
  scale: number,
) {
  const parts: Part[] = [];
  const start = async (part: string, core: number, options = {}) => {
    const started = startPart(part, options);
    parts.push(started);
    if (cpus().length > 1) await pin(started, core);
    return started;
  };
  try {
    const platform = await start('platform', servers, { profile });
    const started = await platform.ask<StartedPlatform>('start', { egressAllow: loadAddresses });
    const run = await workload.prepare({ platform, started, start: (part) => start(part, loads) });
    const peer = await start('asterisk', loads);
    const load = await start('phones', loads);
    await startAsterisk(peer, load);
    const order = { ...calls, ...(callee !== undefined && { callee }) } satisfies CallRun;
    const theirs = () => untilNoChannels(peer, () => load.ask<CallOutcome>('direct', order));
    for (let warmUp = 0; warmUp < Math.ceil(warmUps * scale); warmUp++) await run(scale);
    const rounds = await runRounds({
      warmUps: 1,
      rounds: Math.ceil(pairs * scale),
      ours: () => measure(platform, () => run(share)),
      theirs: () => measure(peer, theirs),
    });
    return { figure: roundsFigure(rounds, { what, name, times }), rounds };
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
  }
}

async function startAsterisk(peer: Part, load: Part): Promise<void> {
  const accounts = Array.from(
    { length: phones },
    (_, at): PhoneAccount => ({ username: `phone${at}`, password }),
  );
  const core = cpus().length > 1 ? { core: servers } : {};
  await peer.ask('start', { port, accounts, ...core } satisfies AsteriskStart);
  await load.ask('start', { sipPort: port, accounts } satisfies PhonesStart);
}

/** The end of a channel follows that of its call, and belongs to its cost. */
async function untilNoChannels<Value>(peer: Part, work: () => Promise<Value>): Promise<Value> {
  const value = await work();
  while ((await peer.ask<number>('channels')) > 0) await wait(20);
  return value;
}

/** Rooms of ConfBridge, whose participants have called it. */
const conferences: MixingServer = {
  sizes: [60, 120, 150, 180, 195, 210, 225, 240, 270, 300, 360],
  async open({ legs, room, remotePort }) {
    const tested = startPart('asterisk');
    const load = startPart('phones');
    const stop = async () => {
      await load.stop();
      await tested.stop();
    };
    try {
      for (const part of cpus().length > 1 ? [tested, load] : []) await pin(part, loads);
      await startAsterisk(tested, load);
      const callees = Array.from({ length: legs }, (_, leg) => `${dialplan.room}${Math.floor(leg / room)}`);
      const ports = await load.ask<readonly number[]>('join', {
        callees,
        mediaPort: remotePort,
      } satisfies JoinRun);
      return { tested, ports, stop };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};
