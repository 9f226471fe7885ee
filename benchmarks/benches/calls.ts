import { setTimeout as wait } from 'node:timers/promises';
import { bestOf, measure } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { AddedRun, CallOutcome, CallRun, PhonesStart } from '../parts/phones.ts';
import type { Bench } from '../report.ts';
import type { StartedPlatform } from './api.ts';
import { createEndpoints, password } from './endpoints.ts';

const phones = 64;
const runs = 3;
const order = { count: 2000, atOnce: 32 } satisfies CallRun;
/** Warm-up runs: a new process spends a fifth of its time compiling. */
const before = 2;

/** Calls set up, answered and torn down: direct calls between two phones, and participants added by the API. */
export const calls: Bench = {
  name: 'calls',
  async run({ profile }) {
    const platform = startPart('platform', { profile });
    const load = startPart('phones');
    try {
      const started = await platform.ask<StartedPlatform>('start');
      const created = await createEndpoints(started, phones, 'phone');
      const accounts = created.map(({ username }) => ({ username, password }));
      await load.ask('start', { sipPort: started.sip.port, accounts } satisfies PhonesStart);

      const direct = () => load.ask<CallOutcome>('direct', order);
      for (let run = 0; run < before; run++) await direct();
      const bridged = await bestOf(runs, () => measure(platform, () => untilOver(platform, direct)));

      const { http, authId, authorization } = started;
      const addition = { ...order, httpPort: http.port, path: `/v1/Account/${authId}/`, authorization };
      const add = () => load.ask<CallOutcome>('added', addition satisfies AddedRun);
      for (let run = 0; run < before; run++) await add();
      const added = await bestOf(runs, () => measure(platform, () => untilOver(platform, add)));

      const note = (each: typeof added) =>
        `${Math.round(each.cpuMicroseconds)} µs of CPU each, ${Math.round(each.perSecond)}/s wall`;
      const unit = '/s per core';
      return {
        figures: [
          {
            what: 'direct calls: INVITE with digest, two legs, bridged, BYE',
            value: bridged.perCore,
            unit,
            budget: { atLeast: 1000 },
            note: note(bridged),
          },
          {
            what: 'participants added over HTTP, answered, gone',
            value: added.perCore,
            unit,
            budget: { atLeast: 2500 },
            note: note(added),
          },
        ],
        details: { bridged, added },
      };
    } finally {
      await Promise.all([platform, load].map((part) => part.stop()));
    }
  },
};

/** The last records are written after the phones have hung up; their cost belongs to the calls. */
async function untilOver(platform: Part, load: () => Promise<CallOutcome>): Promise<CallOutcome> {
  const outcome = await load();
  for (;;) {
    const { sip } = await platform.ask<{ readonly sip: { readonly legs: number } }>('census');
    if (sip.legs === 0) return outcome;
    await wait(20);
  }
}
