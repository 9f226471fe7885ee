import { bestOf, type Load, type Measured, measure, quantile } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { WebrtcRooms, WebrtcServer } from '../parts/webrtc.ts';
import type { Answered, WebrtcCodec } from '../parts/webrtc-load.ts';
import { type Bench, type Figure, shown } from '../report.ts';

interface Kind {
  readonly what: string;
  readonly server: WebrtcServer;
  readonly codec: WebrtcCodec;
  /** Legs of a room; two hear each other's packets undecoded. */
  readonly room: number;
  /** Numbers of legs, in each of which memory and CPU are read. */
  readonly stages: readonly number[];
  /** Budgets of our relayed leg. */
  readonly isBudgeted: boolean;
}

/** The first few legs fill buffers that the process keeps. */
const relayed = [24, 48, 72, 96] as const;

const kinds: readonly Kind[] = [
  { what: 'PCMU relayed', server: 'media-worker', codec: 'PCMU', room: 2, stages: relayed, isBudgeted: true },
  { what: 'Opus relayed', server: 'media-worker', codec: 'opus', room: 2, stages: relayed, isBudgeted: true },
  {
    what: 'Opus mixed by three',
    server: 'media-worker',
    codec: 'opus',
    room: 3,
    stages: [6, 9, 12],
    isBudgeted: false,
  },
  {
    what: 'node-datachannel, Opus passed on',
    server: 'node-datachannel',
    codec: 'opus',
    room: 2,
    stages: relayed,
    isBudgeted: false,
  },
];
const legsAtOnce = 12;
const rounds = 3;

/** The cost of a browser's leg, beside the same relaying by node-datachannel; peers of node-datachannel take the place of browsers. */
export const webrtc: Bench = {
  name: 'webrtc',
  async run({ profile, scale }) {
    const figures: Figure[] = [];
    const details: Record<string, unknown> = {};
    for (const kind of kinds) {
      const trial = await tryOut(kind, scale, profile);
      const { best, percentOfLeg, fixedPercent, kibibytesOfLeg, setUpMs } = trial;
      const most = kind.stages.at(-1)!;
      figures.push(
        {
          what: `${kind.what}: a packet in and one out`,
          value: best.cpuMicroseconds,
          unit: 'µs',
          note: `${most} legs, with the part that does not grow with them`,
        },
        {
          what: `${kind.what}: CPU of one leg more`,
          value: percentOfLeg,
          unit: '% of a core',
          note: `and ${shown(fixedPercent)} % for the process, from ${kind.stages.join(', ')} legs`,
          ...(kind.isBudgeted ? { budget: { atMost: 0.25 } } : {}),
        },
        {
          what: `${kind.what}: memory of one leg more`,
          value: kibibytesOfLeg,
          unit: 'KiB',
          ...(kind.isBudgeted ? { budget: { atMost: 64 } } : {}),
        },
        {
          what: `${kind.what}: answer to audio, p50`,
          value: quantile(setUpMs, 0.5),
          unit: 'ms',
          ...(kind.server === 'media-worker' ? { budget: { atMost: 100 } } : {}),
        },
      );
      details[kind.what] = trial;
    }
    return { figures, details };
  },
};

/** What one number of legs cost. */
interface Stage {
  readonly legs: number;
  readonly residentBytes: number;
  readonly corePercent: number;
  readonly best: Measured<Load>;
}

interface Trial {
  readonly stages: readonly Stage[];
  readonly best: Measured<Load>;
  /** Of one leg more; the rest is the thread's, however many legs it has. */
  readonly kibibytesOfLeg: number;
  readonly percentOfLeg: number;
  readonly fixedPercent: number;
  readonly setUpMs: readonly number[];
}

async function tryOut(kind: Kind, scale: number, profile: string | undefined): Promise<Trial> {
  const tested = startPart('webrtc', { profile });
  const load = startPart('webrtc-load');
  try {
    const problem = await tested.ask<string>('start', { server: kind.server });
    if (problem !== '') throw new Error(`WebRTC is off: ${problem}`);
    const setUpMs: number[] = [];
    const stages: Stage[] = [];
    const seconds = Math.max(1, Math.round(4 * scale));
    let legs = 0;
    for (const until of kind.stages) {
      // A few at a time, as calls come: each begins in the mix, and Opus costs there until it is relayed.
      while (legs < until) {
        const count = Math.min(legsAtOnce, until - legs);
        setUpMs.push(...(await open(tested, load, kind, legs, count)));
        legs += count;
        await load.ask<Load>('run', { seconds: 1 });
      }
      const best = await bestOf(rounds, () => measure(tested, () => load.ask<Load>('run', { seconds })));
      const corePercent = (best.cpuMicroseconds * best.perSecond) / 10_000;
      stages.push({ legs, residentBytes: await tested.ask<number>('resident'), corePercent, best });
    }
    const cpu = slope(stages.map((stage) => [stage.legs, stage.corePercent]));
    const memory = slope(stages.map((stage) => [stage.legs, stage.residentBytes / 1024]));
    return {
      stages,
      best: stages.at(-1)!.best,
      kibibytesOfLeg: memory.rise,
      percentOfLeg: cpu.rise,
      fixedPercent: cpu.start,
      setUpMs: setUpMs.sort((a, b) => a - b),
    };
  } finally {
    await load.ask('close').catch(() => {});
    await tested.stop();
    await load.stop();
  }
}

/** The line through the points by least squares. */
function slope(points: readonly (readonly [number, number])[]) {
  const mean = (of: 0 | 1) => points.reduce((sum, point) => sum + point[of], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const product = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const rise = product / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return { rise, start: y - rise * x };
}

/** Opens legs one after another; the milliseconds from each answer to audio. */
async function open(
  tested: Part,
  load: Part,
  { codec, room }: Kind,
  from: number,
  count: number,
): Promise<number[]> {
  const setUpMs: number[] = [];
  const names = Array.from({ length: count }, (_, index) => `leg${from + index}`);
  for (const leg of names) {
    const offer = await load.ask<Answered>('offer', { leg, codec });
    const answer = await tested.ask<Answered>('answer', { ...offer, codec });
    setUpMs.push(await load.ask<number>('accept', answer));
  }
  const rooms: string[][] = [];
  for (let at = 0; at < names.length; at += room) rooms.push(names.slice(at, at + room));
  await tested.ask('hear', { rooms } satisfies WebrtcRooms);
  return setUpMs;
}
