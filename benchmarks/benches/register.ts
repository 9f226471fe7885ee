import { spawnSync } from 'node:child_process';
import { bestOf, measure } from '../measure.ts';
import { type Part, pin, startPart } from '../part.ts';
import type { KamailioStart } from '../parts/kamailio.ts';
import type { PreparedPhones, RegisterOutcome, RegisterRun } from '../parts/register-load.ts';
import type { Bench } from '../report.ts';
import { roundsFigure, runRounds } from '../rounds.ts';
import type { StartedPlatform } from './api.ts';
import { createEndpoints, password } from './endpoints.ts';

const phones = 2000;
const idlePhones = 4000;
const realm = 'sip.localhost';
const runs = 3;

interface Memory {
  readonly kept: number;
  readonly rss: number;
}

/** Where Kamailio and the platform run beside each other: other load on the machine and its shared units hit both alike. */
const [servers, loads] = [0, 1];
const pairs = 9;

/**
 * Refreshes of bindings over UDP, each with a digest to check and a binding to write, compared with an echo of the same
 * sizes, and with Debian's Kamailio where it is installed.
 */
export const register: Bench = {
  name: 'register',
  async run({ profile }) {
    const platform = startPart('platform', { profile });
    const load = startPart('register-load');
    const idle = startPart('register-load');
    const echo = startPart('udp-echo');
    try {
      const started = await platform.ask<StartedPlatform>('start');
      const { port } = started.sip;
      const resting = (await createEndpoints(started, idlePhones, 'idle')).map(({ username }) => username);
      const usernames = (await createEndpoints(started, phones, 'busy')).map(({ username }) => username);
      const memory = await memoryOfRegistrations(platform, idle, port, resting);

      await load.ask('open', phonesOn('udp', port, usernames));
      const run = (order: RegisterRun) => measure(platform, () => load.ask<RegisterOutcome>('run', order));
      await run({ count: 10_000, window: 100 });
      const full = await bestOf(runs, () => run({ count: 20_000, window: 100 }));
      const rate = full.perSecond / 2;
      const halves = [];
      for (let index = 0; index < runs; index++) {
        halves.push(await run({ count: Math.round(rate), window: 2000, rate }));
      }
      // Other load on the machine makes answers late, never early.
      const half = halves.reduce((left, right) => (right.p99Ms < left.p99Ms ? right : left));

      const echoPort = await echo.ask<number>('start', { responseBytes: full.responseBytes });
      const echoed = () =>
        measure(echo, () => load.ask<RegisterOutcome>('run', { count: 20_000, window: 100, echoPort }));
      await echoed();
      const floor = await bestOf(2, echoed);
      const beside = await besideKamailio(platform, load, usernames);

      const cpu = `${full.cpuMicroseconds.toFixed(0)} µs of CPU, ${Math.round(full.perSecond)}/s wall`;
      const rss = `resident set ${Math.round(memory.rssEach)} B each, transactions and nonces included`;
      const at = `at ${Math.round(half.perSecond)}/s`;
      return {
        figures: [
          {
            what: 'REGISTER with digest over UDP, durable',
            value: full.perCore,
            unit: '/s per core',
            budget: { atLeast: 10_000 },
            floor: { what: 'UDP echo', value: floor.perCore },
            note: cpu,
          },
          { what: 'REGISTER at half load, p50', value: half.p50Ms, unit: 'ms', note: at },
          { what: 'REGISTER at half load, p99', value: half.p99Ms, unit: 'ms', note: at },
          ...(beside === undefined ? [] : [beside.figure]),
          {
            what: 'memory of an idle registration',
            value: memory.keptEach,
            unit: 'B',
            budget: { atMost: 2048 },
            note: rss,
          },
        ],
        details: { full, halves, floor, memory, ...(beside && { kamailio: beside.rounds }) },
      };
    } finally {
      await Promise.all([platform, load, idle, echo].map((part) => part.stop()));
    }
  },
};

/** Undefined where Kamailio is not installed. */
async function besideKamailio(platform: Part, load: Part, usernames: readonly string[]) {
  if (spawnSync('kamailio', ['-v']).status !== 0) return undefined;
  const peer = startPart('kamailio');
  const peerLoad = startPart('register-load');
  try {
    const start = { realm, password, core: servers } satisfies KamailioStart;
    const { port } = await peer.ask<{ readonly port: number }>('start', start);
    await pin(platform, servers);
    for (const part of [load, peerLoad]) await pin(part, loads);
    await peerLoad.ask('open', phonesOn('udp', port, usernames));
    const refreshed = async (server: Part, phones: Part) => {
      await phones.ask('challenge');
      return measure(server, () => phones.ask<RegisterOutcome>('run', { count: 5_000, window: 100 }));
    };
    const rounds = await runRounds({
      warmUps: 1,
      rounds: pairs,
      ours: () => refreshed(platform, load),
      theirs: () => refreshed(peer, peerLoad),
    });
    const what = 'REGISTER: ours durable, Kamailio in memory';
    return { figure: roundsFigure(rounds, { what, name: 'Kamailio', times: 0.5 }), rounds };
  } finally {
    await Promise.all([peer, peerLoad].map((part) => part.stop()));
  }
}

/** Over TCP, where no transaction outlives its answer (RFC 3261 §17.2.2: timer J is 0). */
async function memoryOfRegistrations(platform: Part, idle: Part, port: number, usernames: readonly string[]) {
  const [warmUp, counted] = [usernames.slice(0, idlePhones / 4), usernames.slice(idlePhones / 4)];
  const registerAll = async (names: readonly string[]) => {
    await idle.ask('open', phonesOn('tcp', port, names));
    const { failures } = await idle.ask<RegisterOutcome>('run', { count: names.length, window: 64 });
    if (failures > 0) throw new Error(`${failures} registrations failed`);
  };
  await registerAll(warmUp);
  const before = await platform.ask<Memory>('memory');
  await registerAll(counted);
  const after = await platform.ask<Memory>('memory');
  const each = (bytes: number) => bytes / counted.length;
  return {
    registrations: counted.length,
    keptEach: each(after.kept - before.kept),
    rssEach: each(after.rss - before.rss),
  };
}

function phonesOn(protocol: 'udp' | 'tcp', port: number, usernames: readonly string[]): PreparedPhones {
  return { protocol, port, usernames, password, realm };
}
