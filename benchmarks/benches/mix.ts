import { setTimeout as wait } from 'node:timers/promises';
import type { HostStats } from '@jackfield/media/io';
import { besideOthers, quantile, quietMachine } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { MixCodec, MixCosts, MixRooms, MixSockets, MixStart } from '../parts/mix.ts';
import type { RtpLoad, RtpOutcome } from '../parts/rtp-load.ts';
import type { Bench, Figure } from '../report.ts';

const seconds = 7.5;
/** In the first four seconds mixes look for their phase (a frame may then be late once), and code is compiled. */
const settleSeconds = 4.5;
/** Participants of the trials; the first trial is the second size. */
const sizesOf: Readonly<Record<MixCodec, readonly number[]>> = {
  PCMU: [525, 1050, 1380, 1650, 2040],
  opus: [30, 60, 90, 120, 150],
};
const first = 1;
const attempts = 2;
const patienceMs = 8000;
const latestMs = 20;
const frameMs = 20;

interface Kind {
  readonly room: number;
  readonly sockets: MixSockets;
  readonly codec: MixCodec;
  readonly isRecorded: boolean;
  readonly budget?: number;
  readonly remotePort: number;
}

const plain = { sockets: 'native', codec: 'PCMU', isRecorded: false } as const;
const kinds: readonly Kind[] = [
  { ...plain, room: 3, budget: 1050, remotePort: 9_510 },
  { ...plain, room: 10, budget: 1360, remotePort: 9_511 },
  { ...plain, room: 3, sockets: 'dgram', budget: 1050, remotePort: 9_512 },
  { ...plain, room: 3, isRecorded: true, remotePort: 9_513 },
  { ...plain, room: 10, isRecorded: true, remotePort: 9_514 },
  { ...plain, room: 3, codec: 'opus', remotePort: 9_515 },
  { ...plain, room: 10, codec: 'opus', remotePort: 9_516 },
  { ...plain, room: 3, codec: 'opus', isRecorded: true, remotePort: 9_517 },
  { ...plain, room: 10, codec: 'opus', isRecorded: true, remotePort: 9_518 },
];

function nameOf({ room, sockets, codec, isRecorded }: Kind): string {
  const name = codec === 'opus' ? 'Opus 48 kHz' : 'G.711';
  return `${name}, ${sockets} sockets, rooms of ${room}${isRecorded ? ', recorded' : ''}`;
}

/**
 * Participants of rooms in one thread: the highest number at which no tick and no frame is more than 20 ms late, and
 * none is missing.
 */
export const mix: Bench = {
  name: 'mix',
  async run({ profile, scale }) {
    const figures: Figure[] = [];
    const details: Record<string, unknown> = {};
    for (const kind of kinds) {
      const { highest, trials } = await search(kind, profile, scale);
      const reference = highest ?? trials[0]!;
      const what = nameOf(kind);
      const cpu = `${reference.cpuPercent.toFixed(3)} % of a core and ${reference.microseconds.toFixed(1)} µs a frame each`;
      const ticks = `tick p99 ${reference.latenessP99Ms.toFixed(1)} max ${reference.latenessMaxMs.toFixed(1)} ms late`;
      const others = `other processes used ${othersOf(trials)} of the machine`;
      figures.push({
        what: `${what}: participants without a late frame`,
        value: highest?.legs ?? 0,
        unit: 'participants',
        ...(kind.budget === undefined ? {} : { budget: { atLeast: kind.budget } }),
        note: `${cpu}, ${reference.kibibytes.toFixed(0)} KiB each, ${ticks}; ${others}`,
      });
      figures.push({
        what: `${what}: mouth to ear at that number, p99`,
        value: reference.delayP99Ms,
        unit: 'ms',
        note: `p50 ${reference.delayP50Ms.toFixed(1)} ms of ${reference.pulses} pulses; ${reference.legs} participants`,
      });
      // An engine that skipped ticks has not done the work.
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
  /** CPU of one participant for one frame: received, mixed and sent. */
  readonly microseconds: number;
  /** CPU of the recorder's thread for one participant. */
  readonly recorderCpuPercent: number;
  /** Resident memory of the process, minus that of the empty process. */
  readonly kibibytes: number;
  /** Mouth to ear as measured by the phones; Opus adds 6.5 ms of look-ahead at each of its two encoders. */
  readonly pulses: number;
  readonly delayP50Ms: number;
  readonly delayP99Ms: number;
  readonly latenessP50Ms: number;
  readonly latenessP99Ms: number;
  readonly latenessMaxMs: number;
  /** Share of the machine that other processes used; load makes any engine late. */
  readonly othersPercent: number;
  readonly heard: Omit<RtpOutcome, 'delaysMs'>;
}

function othersOf(trials: readonly Trial[]): string {
  const all = trials.map(({ othersPercent }) => Math.round(othersPercent));
  return `${Math.min(...all)}–${Math.max(...all)} %`;
}

/**
 * Searches upwards from the budget while it holds, else downwards. Near the limit a trial is repeated once, because of
 * other load on the machine.
 */
async function search(kind: Kind, profile: string | undefined, scale: number) {
  const { room, sockets, codec, isRecorded, remotePort } = kind;
  const sizes = sizesOf[codec].map((legs) => Math.max(room, Math.round(legs * scale)));
  const load = startPart('rtp-load');
  const trials: Trial[] = [];
  const holds = async (legs: number) => {
    const most = legs > sizes[first + 1]! || scale < 1 ? 1 : attempts;
    for (let attempt = 1; attempt <= most; attempt++) {
      await quietMachine(patienceMs * scale);
      // A new engine, because a failed trial would affect the next one.
      const tested = startPart('mix', { profile });
      try {
        await tested.ask('start', { sockets, thread: 'worker' } satisfies MixStart);
        const trial = await tryRooms(tested, load, { legs, room, remotePort, codec, isRecorded });
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
    // With a smaller scale, the bench only shows that it runs.
    if (scale < 1) return { highest, trials };
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

/** One load on an engine: its lateness and CPU while the phones talk, without their start. */
export async function tryRooms(tested: Part, load: Part, rooms: MixRooms, busy = false): Promise<Trial> {
  const empty = await tested.ask<MixCosts>('costs');
  const ports = await tested.ask<readonly number[]>('open', rooms);
  const { value, othersPercent } = await besideOthers([tested, load], async () => {
    const { room, codec = 'PCMU' } = rooms;
    const order = { ports, room, seconds, settleSeconds, codec, pulses: true } satisfies RtpLoad;
    const heard = load.ask<RtpOutcome>('run', order);
    await wait(settleSeconds * 1000);
    // This collects garbage, so it must not run while lateness is measured.
    const costs = await tested.ask<MixCosts>('costs');
    await tested.ask('reset');
    const before = await tested.ask<HostStats>('stats');
    const began = performance.now();
    const measuredMs = (seconds - settleSeconds - 0.5) * 1000;
    if (busy) await tested.ask('busy', { seconds: measuredMs / 1000 });
    else await wait(measuredMs);
    const after = await tested.ask<HostStats>('stats');
    const tookMs = performance.now() - began;
    const full = await tested.ask<MixCosts>('costs');
    return { before, after, costs, full, tookMs, heard: await heard };
  });
  const { before, after, costs, full, tookMs } = value;
  const { delaysMs, ...heard } = value.heard;
  const delays = Float64Array.from(delaysMs).sort();
  const { lateness, skipped } = after.ticks;
  const cpuMs = after.cpuMs - before.cpuMs;
  return {
    legs: rooms.legs,
    passed: lateness.maxMs <= latestMs && skipped === 0 && heard.late === 0 && heard.missing === 0,
    cpuPercent: (cpuMs / tookMs / rooms.legs) * 100,
    microseconds: (cpuMs * 1000 * frameMs) / tookMs / rooms.legs,
    recorderCpuPercent: ((full.recorderCpuMs - costs.recorderCpuMs) / tookMs / rooms.legs) * 100,
    kibibytes: (full.residentBytes - empty.residentBytes) / 1024 / rooms.legs,
    pulses: delays.length,
    delayP50Ms: quantile(delays, 0.5),
    delayP99Ms: quantile(delays, 0.99),
    latenessP50Ms: lateness.p50Ms,
    latenessP99Ms: lateness.p99Ms,
    latenessMaxMs: lateness.maxMs,
    othersPercent,
    heard,
  };
}
