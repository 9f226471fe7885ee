import type { HostStats } from '@jackfield/media/io';
import { besideOthers, quantile, quietMachine } from '../measure.ts';
import { startPart } from '../part.ts';
import type { MixRooms, MixStart } from '../parts/mix.ts';
import type { RtpLoad, RtpOutcome } from '../parts/rtp-load.ts';
import type { Bench } from '../report.ts';

const rooms = 40;
const room = 3;
const remotePort = 9_500;
const seconds = 12;
/** In this time mixes look for the phase of their members. */
const settleSeconds = 4.5;
const runs = 2;
const patienceMs = 8000;

/** Mouth to ear through a mix of three, on real UDP. Forty rooms cover every phase between a phone and the tick. */
export const delay: Bench = {
  name: 'delay',
  async run({ profile }) {
    const mix = startPart('mix', { profile });
    const load = startPart('rtp-load');
    try {
      await load.ask('bind', { port: remotePort });
      await mix.ask('start', { sockets: 'best', thread: 'worker' } satisfies MixStart);
      const order = { legs: rooms * room, room, remotePort } satisfies MixRooms;
      const ports = await mix.ask<readonly number[]>('open', order);
      const run = async () => {
        await quietMachine(patienceMs);
        await mix.ask('reset');
        const order = { ports, room, seconds, settleSeconds, pulses: true } satisfies RtpLoad;
        const { value, othersPercent } = await besideOthers([mix, load], () =>
          load.ask<RtpOutcome>('run', order),
        );
        const { delaysMs, ...heard } = value;
        const { ticks } = await mix.ask<HostStats>('stats');
        return { sorted: Float64Array.from(delaysMs).sort(), heard, ticks, othersPercent };
      };
      const all = [];
      for (let index = 0; index < runs; index++) all.push(await run());
      // Other load on the machine makes ticks and packets late, never early.
      all.sort((left, right) => quantile(left.sorted, 0.99) - quantile(right.sorted, 0.99));
      const { sorted, heard, ticks, othersPercent } = all[0]!;
      const note = `${sorted.length} pulses in ${rooms} rooms of ${room}, best of ${runs} runs; other processes used ${Math.round(othersPercent)} % of the machine`;
      return {
        figures: [
          {
            what: 'mouth to ear, p50',
            value: quantile(sorted, 0.5),
            unit: 'ms',
            budget: { atMost: 12 },
            note,
          },
          {
            what: 'mouth to ear, p99',
            value: quantile(sorted, 0.99),
            unit: 'ms',
            budget: { atMost: 20 },
            note: `p90 ${quantile(sorted, 0.9).toFixed(1)} ms, tick p99 ${ticks.lateness.p99Ms.toFixed(1)} ms late, ${heard.sentLate} frames sent late by the phones`,
          },
        ],
        details: {
          heard,
          ticks,
          delaysMs: [...sorted],
          p99OfRuns: all.map((each) => quantile(each.sorted, 0.99)),
        },
      };
    } finally {
      await Promise.all([mix.stop(), load.stop()]);
    }
  },
};
