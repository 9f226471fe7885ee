import { setTimeout as wait } from 'node:timers/promises';
import type { HostStats } from '@jackfield/media/io';
import { besideOthers, quietMachine } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { MixRooms, MixSockets, MixStart } from '../parts/mix.ts';
import type { RtpLoad, RtpOutcome } from '../parts/rtp-load.ts';
import type { Bench, Figure } from '../report.ts';

const seconds = 7.5;
/** Mixes look for their phase in the first four seconds (a frame may then come later once), and compiling is over. */
const settleSeconds = 4.5;
const sizes = [525, 1050, 1380, 1650, 2040];
const first = sizes.indexOf(1050);
const attempts = 2;
const patienceMs = 8000;
const latestMs = 20;
const frameMs = 20;

const kinds: readonly { room: number; sockets: MixSockets; budget: number; remotePort: number }[] = [
  { room: 3, sockets: 'native', budget: 1050, remotePort: 9_510 },
  { room: 10, sockets: 'native', budget: 1360, remotePort: 9_511 },
  { room: 3, sockets: 'dgram', budget: 1050, remotePort: 9_512 },
];

/** Participants of G.711 rooms in one thread: the highest number at which no tick and no frame is more than 20 ms late, and none missing. */
export const mix: Bench = {
  name: 'mix',
  async run({ profile }) {
    const figures: Figure[] = [];
    const details: Record<string, unknown> = {};
    for (const kind of kinds) {
      const { highest, trials } = await search(kind, profile);
      const reference = highest ?? trials[0]!;
      const what = `${kind.sockets} sockets, rooms of ${kind.room}`;
      const cpu = `${reference.cpuPercent.toFixed(3)} % of a core and ${reference.microseconds.toFixed(1)} µs a frame each`;
      const ticks = `tick p99 ${reference.latenessP99Ms.toFixed(1)} max ${reference.latenessMaxMs.toFixed(1)} ms late`;
      const others = `others took ${othersOf(trials)} of the machine`;
      figures.push({
        what: `${what}: participants without a late frame`,
        value: highest?.legs ?? 0,
        unit: 'participants',
        budget: { atLeast: kind.budget },
        note: `${cpu}, ${ticks}; ${others}`,
      });
      // An engine that left ticks out has not done the work.
      if (highest !== undefined) {
        figures.push({
          what: `${what}: what the CPU alone allows`,
          value: Math.floor(100 / highest.cpuPercent),
          unit: 'participants per core',
          note: `extrapolated from ${highest.legs}`,
        });
      }
      details[what] = trials;
    }
    return { figures, details };
  },
};

export interface Trial {
  readonly legs: number;
  readonly passed: boolean;
  readonly cpuPercent: number;
  /** CPU of one participant for one frame: received, mixed, sent. */
  readonly microseconds: number;
  readonly latenessP50Ms: number;
  readonly latenessP99Ms: number;
  readonly latenessMaxMs: number;
  /** What other processes took of the machine: a busy one makes any engine late. */
  readonly othersPercent: number;
  readonly heard: Omit<RtpOutcome, 'delaysMs'>;
}

function othersOf(trials: readonly Trial[]): string {
  const all = trials.map(({ othersPercent }) => Math.round(othersPercent));
  return `${Math.min(...all)}–${Math.max(...all)} %`;
}

/** Upwards from the budget while it holds, downwards until it does; around it a trial is repeated once, for what others do on the machine. */
async function search({ room, sockets, remotePort }: (typeof kinds)[number], profile: string | undefined) {
  const load = startPart('rtp-load');
  const trials: Trial[] = [];
  const holds = async (legs: number) => {
    const most = legs > sizes[first + 1]! ? 1 : attempts;
    for (let attempt = 1; attempt <= most; attempt++) {
      await quietMachine(patienceMs);
      // A fresh engine: what a failed trial left behind would spoil the next one.
      const tested = startPart('mix', { profile });
      try {
        await tested.ask('start', { sockets, thread: 'worker' } satisfies MixStart);
        const trial = await tryRooms(tested, load, { legs, room, remotePort });
        trials.push(trial);
        if (trial.passed) return trial;
      } finally {
        await tested.stop();
      }
    }
    return undefined;
  };
  try {
    await load.ask('bind', { port: remotePort });
    let at = first;
    let highest = await holds(sizes[at]!);
    const direction = highest === undefined ? -1 : 1;
    for (at += direction; at >= 0 && at < sizes.length; at += direction) {
      const trial = await holds(sizes[at]!);
      if (direction === 1 && trial === undefined) break;
      highest = trial;
      if (direction === -1 && trial !== undefined) break;
    }
    return { highest, trials };
  } finally {
    await load.stop();
  }
}

/** One load on an engine: its lateness and CPU while the phones talk, without the time in which they begin. */
export async function tryRooms(tested: Part, load: Part, rooms: MixRooms, busy = false): Promise<Trial> {
  const ports = await tested.ask<readonly number[]>('open', rooms);
  const { value, othersPercent } = await besideOthers([tested, load], async () => {
    const order = { ports, room: rooms.room, seconds, settleSeconds } satisfies RtpLoad;
    const heard = load.ask<RtpOutcome>('run', order);
    await wait(settleSeconds * 1000);
    await tested.ask('reset');
    const before = await tested.ask<HostStats>('stats');
    const began = performance.now();
    const measuredMs = (seconds - settleSeconds - 0.5) * 1000;
    if (busy) await tested.ask('busy', { seconds: measuredMs / 1000 });
    else await wait(measuredMs);
    const after = await tested.ask<HostStats>('stats');
    return { before, after, tookMs: performance.now() - began, heard: await heard };
  });
  const { before, after, tookMs } = value;
  const { delaysMs: _, ...heard } = value.heard;
  const { lateness, skipped } = after.ticks;
  const cpuMs = after.cpuMs - before.cpuMs;
  return {
    legs: rooms.legs,
    passed: lateness.maxMs <= latestMs && skipped === 0 && heard.late === 0 && heard.missing === 0,
    cpuPercent: (cpuMs / tookMs / rooms.legs) * 100,
    microseconds: (cpuMs * 1000 * frameMs) / tookMs / rooms.legs,
    latenessP50Ms: lateness.p50Ms,
    latenessP99Ms: lateness.p99Ms,
    latenessMaxMs: lateness.maxMs,
    othersPercent,
    heard,
  };
}
