import { bestOf, type Load, type Measured, measure, quantile } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { WebrtcRooms, WebrtcServer } from '../parts/webrtc.ts';
import type { Answered, WebrtcCodec } from '../parts/webrtc-load.ts';
import type { Bench, Figure } from '../report.ts';

interface Kind {
  readonly what: string;
  readonly server: WebrtcServer;
  readonly codec: WebrtcCodec;
  /** Legs of a room; two hear each other's packets undecoded. */
  readonly room: number;
  readonly legs: number;
  /** Budgets of our relayed leg. */
  readonly isBudgeted: boolean;
}

const kinds: readonly Kind[] = [
  { what: 'PCMU relayed', server: 'media-worker', codec: 'PCMU', room: 2, legs: 60, isBudgeted: true },
  { what: 'Opus relayed', server: 'media-worker', codec: 'opus', room: 2, legs: 60, isBudgeted: true },
  {
    what: 'Opus mixed by three',
    server: 'media-worker',
    codec: 'opus',
    room: 3,
    legs: 12,
    isBudgeted: false,
  },
  {
    what: 'node-datachannel, Opus passed on',
    server: 'node-datachannel',
    codec: 'opus',
    room: 2,
    legs: 60,
    isBudgeted: false,
  },
];
/** Open before memory is read: buffers of the process are then there. */
const warmLegs = 12;
const rounds = 3;

/** The cost of a browser's leg, beside the same relaying by node-datachannel; peers of node-datachannel take the place of browsers. */
export const webrtc: Bench = {
  name: 'webrtc',
  async run({ profile, scale }) {
    const figures: Figure[] = [];
    const details: Record<string, unknown> = {};
    for (const kind of kinds) {
      const trial = await tryOut(kind, scale, profile);
      const { best, kibibytes, setUpMs } = trial;
      // 50 packets a second each way.
      const corePercent = (best.cpuMicroseconds * 50) / 10_000;
      figures.push(
        {
          what: `${kind.what}: a packet in and one out`,
          value: best.cpuMicroseconds,
          unit: 'µs',
          note: `${corePercent.toFixed(2)} % of a core a leg`,
        },
        {
          what: `${kind.what}: CPU of a leg`,
          value: corePercent,
          unit: '% of a core',
          ...(kind.isBudgeted ? { budget: { atMost: 0.25 } } : {}),
        },
        {
          what: `${kind.what}: memory of a leg`,
          value: kibibytes,
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

interface Trial {
  readonly best: Measured<Load>;
  readonly kibibytes: number;
  readonly setUpMs: readonly number[];
}

async function tryOut(kind: Kind, scale: number, profile: string | undefined): Promise<Trial> {
  const tested = startPart('webrtc', { profile });
  const load = startPart('webrtc-load');
  try {
    const problem = await tested.ask<string>('start', { server: kind.server });
    if (problem !== '') throw new Error(`WebRTC is off: ${problem}`);
    const more = Math.max(kind.room, kind.room * Math.round((kind.legs * scale) / kind.room));
    await open(tested, load, kind, 0, warmLegs);
    const before = await tested.ask<number>('resident');
    const setUpMs = await open(tested, load, kind, warmLegs, more);
    const seconds = Math.max(1, Math.round(5 * scale));
    // Handshakes end with the first packets, and their memory is returned then.
    await load.ask<Load>('run', { seconds: 1 });
    const after = await tested.ask<number>('resident');
    const best = await bestOf(rounds, () => measure(tested, () => load.ask<Load>('run', { seconds })));
    return { best, kibibytes: (after - before) / 1024 / more, setUpMs: setUpMs.sort((a, b) => a - b) };
  } finally {
    await load.ask('close').catch(() => {});
    await tested.stop();
    await load.stop();
  }
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
