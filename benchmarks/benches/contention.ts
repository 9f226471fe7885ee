import { setTimeout as wait } from 'node:timers/promises';
import type { HostStats } from '@jackfield/media/io';
import { quantile } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { MixPriority, MixRooms, MixStart } from '../parts/mix.ts';
import type { RtpLoad, RtpOutcome } from '../parts/rtp-load.ts';
import type { Bench, Figure } from '../report.ts';

const legs = 180;
const room = 3;
const seconds = 9;
const settleSeconds = 4.5;
const rounds = 2;
/** The media threads share one core with a program that never rests; the phones have the other one. */
const [mediaCore, phonesCore] = [0, 1];
const priorities: readonly MixPriority[] = ['normal', 'raised', 'real-time'];

interface Variant {
  readonly priority: MixPriority;
  readonly tested: Part;
  readonly load: Part;
  readonly ports: readonly number[];
}

interface Outcome {
  readonly priority: MixPriority;
  readonly lostOrLatePercent: number;
  readonly delayP50Ms: number;
  readonly delayP99Ms: number;
  readonly lateness: HostStats['ticks']['lateness'];
  readonly skipped: number;
}

/**
 * Media threads beside a busy program on the same core, with each priority. All variants run at the same time, so that
 * other load on the machine reaches all of them.
 */
export const contention: Bench = {
  name: 'contention',
  async run({ profile }) {
    const outcomes: Outcome[] = [];
    for (let round = 0; round < rounds; round++) outcomes.push(...(await runRound(profile)));
    const figures = priorities.map((priority): Figure => {
      const all = outcomes.filter((outcome) => outcome.priority === priority);
      const mean = (value: (outcome: Outcome) => number) =>
        all.reduce((sum, outcome) => sum + value(outcome), 0) / all.length;
      return {
        what: `lost or late frames beside a busy core, priority ${priority}`,
        value: mean((outcome) => outcome.lostOrLatePercent),
        unit: '%',
        note: `${legs} participants; mouth to ear p50 ${mean(({ delayP50Ms }) => delayP50Ms).toFixed(1)} p99 ${mean(({ delayP99Ms }) => delayP99Ms).toFixed(1)} ms; ticks p99 ${mean(({ lateness }) => lateness.p99Ms).toFixed(1)} ms late; mean of ${rounds} rounds`,
      };
    });
    return { figures, details: { outcomes } };
  },
};

async function runRound(profile: string | undefined): Promise<readonly Outcome[]> {
  const busy = startPart('busy-core', { core: mediaCore });
  const variants: Variant[] = [];
  try {
    for (const [index, priority] of priorities.entries()) {
      variants.push(await openVariant(priority, 9_530 + index, profile));
    }
    await busy.ask('start');
    return await Promise.all(variants.map(measureVariant));
  } finally {
    const parts = variants.flatMap(({ tested, load }) => [tested, load]);
    await Promise.all([...parts, busy].map((part) => part.stop()));
  }
}

async function openVariant(
  priority: MixPriority,
  remotePort: number,
  profile: string | undefined,
): Promise<Variant> {
  const tested = startPart('mix', { profile, core: mediaCore });
  const load = startPart('rtp-load', { core: phonesCore });
  await load.ask('bind', { port: remotePort });
  await tested.ask('start', { sockets: 'native', thread: 'worker', priority } satisfies MixStart);
  const ports = await tested.ask<readonly number[]>('open', { legs, room, remotePort } satisfies MixRooms);
  return { priority, tested, load, ports };
}

async function measureVariant({ priority, tested, load, ports }: Variant): Promise<Outcome> {
  const order = { ports, room, seconds, settleSeconds, pulses: true } satisfies RtpLoad;
  const heard = load.ask<RtpOutcome>('run', order);
  await wait(settleSeconds * 1000);
  await tested.ask('reset');
  await wait((seconds - settleSeconds - 0.5) * 1000);
  const { ticks } = await tested.ask<HostStats>('stats');
  const { missing, late, received, delaysMs } = await heard;
  const delays = Float64Array.from(delaysMs).sort();
  return {
    priority,
    lostOrLatePercent: ((missing + late) / (received + missing)) * 100,
    delayP50Ms: quantile(delays, 0.5),
    delayP99Ms: quantile(delays, 0.99),
    lateness: ticks.lateness,
    skipped: ticks.skipped,
  };
}
