import { type Load, median, quantile } from '../measure.ts';
import { type CpuReading, type Part, startPart } from '../part.ts';
import type { WebrtcMemory, WebrtcRooms, WebrtcServer } from '../parts/webrtc.ts';
import type { Answered, WebrtcCodec } from '../parts/webrtc-load.ts';
import { type Bench, type Figure, shown } from '../report.ts';

interface Kind {
  readonly what: string;
  readonly server: WebrtcServer;
  readonly codec: WebrtcCodec;
  /** Legs of a room; two hear each other's packets undecoded. */
  readonly room: number;
}

/** Kinds that are measured at the same moments, so that other work on the machine hits them alike. */
interface Group {
  readonly kinds: readonly Kind[];
  /** Numbers of legs of each kind, in each of which memory and CPU are read. */
  readonly stages: readonly number[];
  /** Whether our relayed legs have their budgets here. */
  readonly isBudgeted: boolean;
}

/** The first few legs fill buffers that the process keeps. */
const relayed = [24, 48, 72, 96] as const;

const groups: readonly Group[] = [
  {
    kinds: [{ what: 'PCMU relayed', server: 'media-worker', codec: 'PCMU', room: 2 }],
    stages: relayed,
    isBudgeted: true,
  },
  {
    kinds: [
      { what: 'Opus relayed', server: 'media-worker', codec: 'opus', room: 2 },
      { what: 'node-datachannel, Opus passed on', server: 'node-datachannel', codec: 'opus', room: 2 },
    ],
    stages: relayed,
    isBudgeted: true,
  },
  {
    kinds: [{ what: 'Opus mixed by three', server: 'media-worker', codec: 'opus', room: 3 }],
    stages: [6, 9, 12],
    isBudgeted: false,
  },
];
const legsAtOnce = 12;
/** Short windows of CPU time for each number of legs; their median counts. */
const windows = 7;
/** A window in which another process took the machine says nothing. */
const fewestWindows = 3;

/** The cost of a browser's leg, beside the same relaying by node-datachannel; peers of node-datachannel take the place of browsers. */
export const webrtc: Bench = {
  name: 'webrtc',
  async run({ profile, scale }) {
    const figures: Figure[] = [];
    const details: Record<string, unknown> = {};
    for (const group of groups) {
      const trials = await tryOut(group, scale, profile);
      for (const trial of trials) {
        figures.push(...figuresOf(trial, group, trials));
        details[trial.what] = trial;
      }
    }
    return { figures, details };
  },
};

function figuresOf(trial: Trial, { stages, isBudgeted }: Group, all: readonly Trial[]): Figure[] {
  const isOurs = trial.server === 'media-worker';
  const other = all.find(({ server }) => server !== trial.server);
  const floorOf = (value: (of: Trial) => number) =>
    isOurs && other !== undefined ? { floor: { what: 'node-datachannel', value: value(other) } } : {};
  const budget = (atMost: number) => (isOurs && isBudgeted ? { budget: { atMost } } : {});
  const { what } = trial;
  return [
    {
      what: `${what}: a packet in and one out`,
      value: trial.packetMicroseconds,
      unit: 'µs',
      note: `${stages.at(-1)!} legs, with the part that does not grow with them`,
      ...floorOf((of) => of.packetMicroseconds),
    },
    {
      what: `${what}: CPU of one leg more`,
      value: trial.percentOfLeg,
      unit: '% of a core',
      note: `and ${shown(trial.fixedPercent)} % for the process, from ${stages.join(', ')} legs`,
      ...budget(0.25),
      ...floorOf((of) => of.percentOfLeg),
    },
    {
      what: `${what}: memory of one leg more`,
      value: trial.kibibytesOfLeg,
      unit: 'KiB',
      ...budget(64),
      note: `${shown(trial.heldKibibytesOfLeg)} KiB of them objects and buffers of JavaScript`,
      ...floorOf((of) => of.kibibytesOfLeg),
    },
    {
      what: `${what}: answer to audio, p50`,
      value: quantile(trial.setUpMs, 0.5),
      unit: 'ms',
      ...(isOurs ? { budget: { atMost: 100 } } : {}),
      ...floorOf((of) => quantile(of.setUpMs, 0.5)),
    },
  ];
}

/** What one number of legs cost: medians of the windows. */
interface Stage {
  readonly legs: number;
  readonly memory: WebrtcMemory;
  readonly corePercent: number;
  readonly packetMicroseconds: number;
}

interface Trial {
  readonly what: string;
  readonly server: WebrtcServer;
  readonly stages: readonly Stage[];
  readonly packetMicroseconds: number;
  /** Of one leg more; the rest is the thread's, however many legs it has. */
  readonly kibibytesOfLeg: number;
  readonly heldKibibytesOfLeg: number;
  readonly percentOfLeg: number;
  readonly fixedPercent: number;
  readonly setUpMs: readonly number[];
}

/** A kind under test, with its load. */
interface Side {
  readonly kind: Kind;
  readonly tested: Part;
  readonly load: Part;
  readonly setUpMs: number[];
  readonly stages: Stage[];
}

async function tryOut(group: Group, scale: number, profile: string | undefined): Promise<Trial[]> {
  const sides = group.kinds.map((kind): Side => {
    const parts = { tested: startPart('webrtc', { profile }), load: startPart('webrtc-load') };
    return { kind, ...parts, setUpMs: [], stages: [] };
  });
  try {
    for (const { kind, tested } of sides) {
      const problem = await tested.ask<string>('start', { server: kind.server });
      if (problem !== '') throw new Error(`WebRTC is off: ${problem}`);
    }
    let legs = 0;
    for (const until of group.stages) {
      // A few at a time, as calls come: each begins in the mix, and Opus costs there until it is relayed.
      for (; legs < until; legs += Math.min(legsAtOnce, until - legs)) {
        const count = Math.min(legsAtOnce, until - legs);
        for (const { kind, tested, load, setUpMs } of sides)
          setUpMs.push(...(await open(tested, load, kind, legs, count)));
        await Promise.all(sides.map(({ load }) => load.ask<Load>('run', { seconds: 1 })));
        // What only the start needed goes back before the first reading, so that it hides no leg.
        await Promise.all(sides.map(({ tested }) => tested.ask<WebrtcMemory>('memory')));
      }
      await readStage(sides, until, Math.max(1, 2 * scale));
    }
    return sides.map(trialOf);
  } finally {
    for (const { tested, load } of sides) {
      await load.ask('close').catch(() => {});
      await tested.stop();
      await load.stop();
    }
  }
}

/** All sides in the same windows. The CPU of a window is that of its process, so only caches and clocks are shared with other work. */
async function readStage(sides: readonly Side[], legs: number, seconds: number): Promise<void> {
  const read: { readonly corePercent: number; readonly packetMicroseconds: number }[][] = sides.map(() => []);
  for (let window = 0; window < windows; window++) {
    const before = await Promise.all(sides.map(({ tested }) => tested.cpu()));
    const loads = await Promise.all(sides.map(({ load }) => load.ask<Load>('run', { seconds })));
    const after = await Promise.all(sides.map(({ tested }) => tested.cpu()));
    loads.forEach((load, side) => {
      if (load.failures === 0) read[side]!.push(costOf(before[side]!, after[side]!, load));
    });
  }
  for (const [side, { tested, stages }] of sides.entries()) {
    const ofSide = read[side]!;
    if (ofSide.length < fewestWindows) throw new Error(`most packets of ${legs} legs did not arrive`);
    stages.push({
      legs,
      memory: await tested.ask<WebrtcMemory>('memory'),
      corePercent: median(ofSide.map(({ corePercent }) => corePercent)),
      packetMicroseconds: median(ofSide.map(({ packetMicroseconds }) => packetMicroseconds)),
    });
  }
}

function costOf(before: CpuReading, after: CpuReading, { operations, seconds }: Load) {
  const [cpuMs, wallMs] = [after.cpuMs - before.cpuMs, after.atMs - before.atMs];
  // The readings are a little further apart than the packets that were counted.
  const packets = operations * (wallMs / (seconds * 1000));
  return { corePercent: (cpuMs / wallMs) * 100, packetMicroseconds: (cpuMs * 1000) / packets };
}

function trialOf({ kind, stages, setUpMs }: Side): Trial {
  const cpu = slope(stages.map((stage) => [stage.legs, stage.corePercent]));
  const resident = slope(stages.map(({ legs, memory }) => [legs, memory.residentBytes / 1024]));
  const held = slope(stages.map(({ legs, memory }) => [legs, memory.heldBytes / 1024]));
  return {
    what: kind.what,
    server: kind.server,
    stages,
    packetMicroseconds: stages.at(-1)!.packetMicroseconds,
    kibibytesOfLeg: resident.rise,
    heldKibibytesOfLeg: held.rise,
    percentOfLeg: cpu.rise,
    fixedPercent: cpu.start,
    setUpMs: setUpMs.sort((a, b) => a - b),
  };
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
