import type { HostStats } from '@jackfield/media/io';
import { type Part, startPart } from '../part.ts';
import type { MixRooms, MixSockets, MixStart } from '../parts/mix.ts';
import type { RtpLoad, RtpOutcome } from '../parts/rtp-load.ts';
import type { Bench, Figure } from '../report.ts';

const seconds = 5;
const settleSeconds = 2;
/** Steps of the search; each is 1.25 times the one before. */
const sizes = [420, 525, 660, 825, 1050, 1320, 1650, 2040, 2550];
const first = sizes.indexOf(1050);
const attempts = 2;
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
      figures.push(
        {
          what: `${what}: participants without a late frame`,
          value: highest?.legs ?? 0,
          unit: 'participants',
          budget: { atLeast: kind.budget },
          note: `${cpu}, ${ticks}`,
        },
        {
          what: `${what}: what the CPU alone allows`,
          value: Math.floor(100 / reference.cpuPercent),
          unit: 'participants per core',
          note: `extrapolated from ${reference.legs}`,
        },
      );
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
  readonly heard: Omit<RtpOutcome, 'delaysMs'>;
}

/** Upwards from the budget while it holds, downwards until it does; a trial is repeated once, for what others do on the machine. */
async function search({ room, sockets, remotePort }: (typeof kinds)[number], profile: string | undefined) {
  const load = startPart('rtp-load');
  const trials: Trial[] = [];
  const holds = async (legs: number) => {
    for (let attempt = 1; attempt <= attempts; attempt++) {
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
  const order = { ports, room: rooms.room, seconds, settleSeconds } satisfies RtpLoad;
  const heard = load.ask<RtpOutcome>('run', order);
  await new Promise((resolve) => setTimeout(resolve, settleSeconds * 1000));
  await tested.ask('reset');
  const before = await tested.ask<HostStats>('stats');
  const began = performance.now();
  const measuredMs = (seconds - settleSeconds - 0.5) * 1000;
  if (busy) await tested.ask('busy', { seconds: measuredMs / 1000 });
  else await new Promise((resolve) => setTimeout(resolve, measuredMs));
  const after = await tested.ask<HostStats>('stats');
  const tookMs = performance.now() - began;
  const { delaysMs: _, ...outcome } = await heard;
  const { lateness } = after.ticks;
  const cpuMs = after.cpuMs - before.cpuMs;
  const isPunctual = lateness.maxMs <= latestMs && after.ticks.skipped === 0 && outcome.late === 0;
  return {
    legs: rooms.legs,
    passed: isPunctual && outcome.missing === 0,
    cpuPercent: (cpuMs / tookMs / rooms.legs) * 100,
    microseconds: (cpuMs * 1000 * frameMs) / tookMs / rooms.legs,
    latenessP50Ms: lateness.p50Ms,
    latenessP99Ms: lateness.p99Ms,
    latenessMaxMs: lateness.maxMs,
    heard: outcome,
  };
}
