import { setTimeout as wait } from 'node:timers/promises';
import { type Part, startPart } from '../part.ts';
import type { RtpLoad, RtpOutcome } from '../parts/rtp-load.ts';
import type { WorkersRooms, WorkersStart, WorkersStats } from '../parts/workers.ts';
import type { Bench, Figure } from '../report.ts';

const numbers = [1, 2, 4];
/** Each worker has as many, because ticks cost the same for few legs as for many. */
const legsEach = 90;
const room = 3;
const seconds = 8;
const settleSeconds = 4.5;
const rounds = 3;

interface Outcome {
  readonly workers: number;
  /** CPU of one participant for one frame. */
  readonly microseconds: number;
  readonly latenessP99Ms: number;
}

/**
 * What a participant costs with several media workers. All variants run at the same time, so that other load reaches
 * all of them; participants per worker grow as the cost stays.
 */
export const workers: Bench = {
  name: 'workers',
  async run({ profile }) {
    const outcomes: Outcome[] = [];
    for (let round = 0; round < rounds; round++) outcomes.push(...(await runRound(profile)));
    const costOf = (count: number): number => {
      const all = outcomes.filter(({ workers: of }) => of === count).map(({ microseconds }) => microseconds);
      return all.sort((left, right) => left - right)[Math.floor(all.length / 2)]!;
    };
    const single = costOf(1);
    const figures = numbers.map((count): Figure => {
      const cost = costOf(count);
      return {
        what: `participants of a worker, ${count} ${count === 1 ? 'worker' : 'workers'}`,
        value: single / cost,
        unit: 'of a single worker',
        budget: { atLeast: 0.9 },
        note: `${cost.toFixed(1)} µs a frame and participant, ${legsEach * count} participants, median of ${rounds} rounds`,
      };
    });
    return { figures, details: { outcomes } };
  },
};

async function runRound(profile: string | undefined): Promise<readonly Outcome[]> {
  const variants = numbers.map((count, index) => ({
    count,
    remotePort: 9_540 + index,
    firstPort: 10_000 + 8000 * index,
    tested: startPart('workers', { profile }),
    load: startPart('rtp-load'),
  }));
  try {
    const opened = await Promise.all(
      variants.map(async ({ count, remotePort, firstPort, tested, load }) => {
        await load.ask('bind', { port: remotePort });
        await tested.ask('start', { workers: count, firstPort } satisfies WorkersStart);
        const rooms = { legs: legsEach * count, room, remotePort } satisfies WorkersRooms;
        return { count, tested, load, ports: await tested.ask<readonly number[]>('open', rooms) };
      }),
    );
    return await Promise.all(opened.map(measureWorkers));
  } finally {
    await Promise.all(variants.flatMap(({ tested, load }) => [tested.stop(), load.stop()]));
  }
}

async function measureWorkers({
  count,
  tested,
  load,
  ports,
}: {
  readonly count: number;
  readonly tested: Part;
  readonly load: Part;
  readonly ports: readonly number[];
}): Promise<Outcome> {
  const heard = load.ask<RtpOutcome>('run', { ports, room, seconds, settleSeconds } satisfies RtpLoad);
  await wait(settleSeconds * 1000);
  await tested.ask('reset');
  const before = await tested.ask<WorkersStats>('stats');
  await wait((seconds - settleSeconds - 0.5) * 1000);
  const after = await tested.ask<WorkersStats>('stats');
  await heard;
  // By the frames that were really sent: a worker that the machine does not run skips some.
  const microseconds = ((after.cpuMs - before.cpuMs) * 1000) / (after.sent - before.sent);
  return { workers: count, microseconds, latenessP99Ms: after.latenessP99Ms };
}
