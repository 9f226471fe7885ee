import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { quantile, quietMachine } from '../measure.ts';
import { type Part, pin, startPart } from '../part.ts';
import type { JanusStart } from '../parts/janus.ts';
import type { MixRooms, MixStart } from '../parts/mix.ts';
import type { RtpLoad, RtpOutcome } from '../parts/rtp-load.ts';
import type { Bench, Figure } from '../report.ts';

const room = 3;
const remotePort = 9_540;
const seconds = 10.5;
const settleSeconds = 5;
const frameMs = 20;
/** Frames that are lost or more than 20 ms late, of all; the same rule for both. */
const mostLostPercent = 0.5;
/** Both servers share one core in turn, and the phones have the other one. */
const [servers, loads] = [0, 1];
const attempts = 2;
const patienceMs = 8000;
/** Share of the participants that hold, up to which the delay is promised. */
const promised = 0.8;

/** `sizes`: participants of the trials, upwards. */
interface Server {
  readonly part: 'mix' | 'janus';
  readonly start: MixStart | JanusStart;
  readonly sizes: readonly number[];
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

/** Compares rooms of three plain RTP participants in G.711 with those of the AudioBridge of Debian's Janus. */
export const janus: Bench = {
  name: 'janus',
  async run({ profile, scale }) {
    if (spawnSync('janus', ['--version']).error !== undefined) throw new Error('janus is not installed');
    const core = cpus().length > 1 ? { core: servers } : {};
    const scaled = (sizes: readonly number[]) =>
      sizes.map((legs) => Math.max(room, Math.round(legs * scale)));
    const mix = { sockets: 'native', thread: 'worker' } satisfies MixStart;
    const ours = [180, 360, 450, 540, 660, 780, 900, 1050, 1200, 1380];
    const theirs = [60, 90, 120, 150, 180, 210, 240, 300, 360, 420];
    const load = startPart('rtp-load');
    try {
      if (cpus().length > 1) await pin(load, loads);
      await load.ask('bind', { port: remotePort });
      const search = (server: Server) => searched(server, load, profile, scale);
      const them = await search({ part: 'janus', start: core, sizes: scaled(theirs) });
      const us = await search({ part: 'mix', start: mix, sizes: scaled(ours) });
      const ofOurs = (legs: number) => tried({ part: 'mix', start: mix }, load, legs, profile);
      const alike = await ofOurs((them.held ?? them.trials[0]!).legs);
      const below = Math.max(room, Math.floor((us.held?.legs ?? us.trials[0]!.legs) * promised));
      const calm = await ofOurs(below);
      return {
        figures: figuresOf(us, them, alike, calm),
        details: { jackfield: us.trials, janus: them.trials, alike, calm },
      };
    } finally {
      await load.stop();
    }
  },
};

interface Searched {
  /** The trial with the most participants that held. */
  readonly held: Trial | undefined;
  readonly trials: readonly Trial[];
}

/** Upwards until a size fails twice. With a smaller scale one trial only shows that the bench runs. */
async function searched(
  server: Server,
  load: Part,
  profile: string | undefined,
  scale: number,
): Promise<Searched> {
  const trials: Trial[] = [];
  let held: Trial | undefined;
  for (const legs of scale < 1 ? server.sizes.slice(0, 1) : server.sizes) {
    let passed: Trial | undefined;
    for (let attempt = 0; attempt < attempts && passed === undefined; attempt++) {
      await quietMachine(patienceMs * scale);
      const trial = await tried(server, load, legs, profile);
      trials.push(trial);
      if (trial.lostOrLatePercent < mostLostPercent) passed = trial;
    }
    if (passed === undefined) break;
    held = passed;
  }
  return { held, trials };
}

/** A new process, because a failed trial would affect the next one. */
async function tried(
  { part, start }: Pick<Server, 'part' | 'start'>,
  load: Part,
  legs: number,
  profile: string | undefined,
): Promise<Trial> {
  const tested = startPart(part, part === 'mix' ? { profile } : {});
  try {
    await tested.ask('start', start);
    // Janus pins itself: its process is no part.
    if (part === 'mix' && cpus().length > 1) await pin(tested, servers);
    const ports = await tested.ask<readonly number[]>('open', { legs, room, remotePort } satisfies MixRooms);
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
    await tested.stop();
  }
}

function figuresOf(us: Searched, them: Searched, alike: Trial, calm: Trial): readonly Figure[] {
  const theirs = them.held ?? them.trials[0]!;
  const at = (trial: Trial) =>
    `${trial.legs} participants, ${trial.lostOrLatePercent.toFixed(2)} % of their frames lost or late`;
  const times = (theirs.cpuPercent / alike.cpuPercent).toFixed(2);
  return [
    {
      what: 'participants of G.711 in rooms of three on one core',
      value: us.held?.legs ?? 0,
      unit: 'participants',
      // Where none held, as on a busy machine, there is nothing to compare with.
      ...(them.held && {
        budget: { atLeast: 2.5 * them.held.legs },
        floor: { what: 'Janus AudioBridge', value: them.held.legs },
      }),
      note: `less than ${mostLostPercent} % of the frames lost or more than 20 ms late`,
    },
    {
      what: 'CPU of such a participant, all threads',
      value: alike.cpuPercent,
      unit: '% of a core',
      floor: { what: 'Janus AudioBridge', value: theirs.cpuPercent },
      note: `${at(alike)}; Janus with as many: ${times} times ours, ${theirs.lostOrLatePercent.toFixed(2)} %`,
    },
    {
      what: 'mouth to ear of Janus, p50',
      value: theirs.delayP50Ms,
      unit: 'ms',
      note: `p99 ${theirs.delayP99Ms.toFixed(1)} ms, with its own prebuffering; ${at(theirs)}`,
    },
    {
      what: 'mouth to ear at 80 % of our participants, p50',
      value: calm.delayP50Ms,
      unit: 'ms',
      budget: { atMost: 12 },
      note: at(calm),
    },
    {
      what: 'mouth to ear at 80 % of our participants, p99',
      value: calm.delayP99Ms,
      unit: 'ms',
      budget: { atMost: 25 },
      note: at(calm),
    },
  ];
}
