import type { Load } from '../measure.ts';
import { bestOf, measure } from '../measure.ts';
import { startPart } from '../part.ts';
import type { BareRun } from '../parts/bare-http-client.ts';
import type { SenderLoad, SenderRun } from '../parts/callback-sender.ts';
import type { Bench } from '../report.ts';

const runs = 3;
const count = 10_000;
/** Callbacks to one host: as many as may run at the same time, and some that wait. */
const window = 64;
const perHost = 32;
/** A hundredth of what one core delivers, so that latency contains no queueing. */
const moderateRate = 100;

/**
 * Events written with their change, signed, sent to one receiver and recorded, compared with the same requests alone.
 */
export const callbacks: Bench = {
  name: 'callbacks',
  async run({ profile }) {
    const receiver = startPart('callback-receiver');
    const sender = startPart('callback-sender', { profile });
    const bare = startPart('bare-http-client');
    try {
      const port = await receiver.ask<number>('start');
      await sender.ask('start');
      const deliver = (order: Omit<SenderRun, 'port'>) =>
        measure(sender, () => sender.ask<SenderLoad>('run', { port, ...order }));
      await deliver({ count: 2_000, window });
      const full = await bestOf(runs, () => deliver({ count, window }));
      const calm = [];
      for (let index = 0; index < runs; index++) {
        calm.push(await deliver({ count: moderateRate * 5, window, rate: moderateRate }));
      }
      // Other load on the machine makes requests late, never early.
      const moderate = calm.reduce((left, right) => (right.p99Ms < left.p99Ms ? right : left));

      const { headers, body } = full;
      const floorRun: BareRun = { port, count, window: perHost, headers, body };
      const post = () => measure(bare, () => bare.ask<Load>('run', floorRun));
      await post();
      const floor = await bestOf(2, post);
      const at = `at ${Math.round(moderate.perSecond)}/s`;
      return {
        figures: [
          {
            what: 'callbacks delivered, durable and signed',
            value: full.perCore,
            unit: '/s per core',
            floor: { what: 'bare HTTP client', value: floor.perCore },
            note: `${full.cpuMicroseconds.toFixed(0)} µs of CPU, ${Math.round(full.perSecond)}/s wall, one receiver`,
          },
          { what: 'state change to request sent, p50', value: moderate.p50Ms, unit: 'ms', note: at },
          { what: 'state change to request sent, p99', value: moderate.p99Ms, unit: 'ms', note: at },
        ],
        details: { full, calm, floor },
      };
    } finally {
      await Promise.all([sender, bare, receiver].map((part) => part.stop()));
    }
  },
};
