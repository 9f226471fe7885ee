import { quietMachine } from '../measure.ts';
import { startPart } from '../part.ts';
import type { MixStart } from '../parts/mix.ts';
import type { Bench, Figure } from '../report.ts';
import { type Trial, tryRooms } from './mix.ts';

const legs = 300;
const room = 3;
const patienceMs = 5000;

const arrangements = [
  { what: 'media thread, native sockets', sockets: 'native', thread: 'worker', remotePort: 9_520 },
  { what: 'media thread, dgram sockets', sockets: 'dgram', thread: 'worker', remotePort: 9_521 },
  { what: 'main thread', sockets: 'dgram', thread: 'main', remotePort: 9_522 },
] as const;

/**
 * Lateness of ticks while the main thread is busy in bursts of 50 ms, compared with the same loop on the main thread.
 */
export const lateness: Bench = {
  name: 'lateness',
  async run({ profile }) {
    const trials: Trial[] = [];
    for (const { sockets, thread, remotePort } of arrangements) {
      const tested = startPart('mix', { profile });
      const load = startPart('rtp-load');
      try {
        await load.ask('bind', { port: remotePort });
        await tested.ask('start', { sockets, thread } satisfies MixStart);
        await quietMachine(patienceMs);
        trials.push(await tryRooms(tested, load, { legs, room, remotePort }, true));
      } finally {
        await Promise.all([tested.stop(), load.stop()]);
      }
    }
    const onMain = trials.at(-1)!;
    const figures = trials.slice(0, -1).map(
      (trial, index): Figure => ({
        what: `tick p99 behind a busy main thread, ${arrangements[index]!.what}`,
        value: trial.latenessP99Ms,
        unit: 'ms late',
        floor: { what: 'on the main thread', value: onMain.latenessP99Ms },
        note: `${legs} participants; p50 ${trial.latenessP50Ms.toFixed(1)} max ${trial.latenessMaxMs.toFixed(1)} ms; other processes used ${Math.round(trial.othersPercent)} % of the machine`,
      }),
    );
    return {
      figures,
      details: Object.fromEntries(trials.map((trial, at) => [arrangements[at]!.what, trial])),
    };
  },
};
