import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresMissing, startPostgres } from '@jackfield/testkit';
import { bestOf, measure } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { PlatformStart } from '../parts/platform.ts';
import type { VerifyOutcome, VerifyRun } from '../parts/verify-load.ts';
import type { Bench, Figure } from '../report.ts';
import type { StartedPlatform } from './api.ts';

/** An account may send 10,000 messages an hour: warm-up, three runs and the moderate run stay below. */
const order = { count: 1_500, atOnce: 32 };
const runs = 3;
const moderate = { count: 1_000, atOnce: 32, rate: 100 };

/** Sessions created over HTTP, sent to a message centre over SMPP, and reported as delivered. */
export const verify: Bench = {
  name: 'verify',
  async run({ profile }) {
    const directory = mkdtempSync(join(tmpdir(), 'jackfield-verify-'));
    try {
      const embedded = await against(directory, profile, {});
      if (postgresMissing() !== undefined) {
        return { figures: embedded.figures, details: { embedded: embedded.details } };
      }
      const { server } = await startPostgres();
      if (server === undefined) throw new Error('PostgreSQL is installed but does not start');
      try {
        const databaseUrl = await server.createDatabase();
        const postgres = await against(directory, undefined, { databaseUrl });
        return {
          figures: [...embedded.figures, ...postgres.figures],
          details: { embedded: embedded.details, postgres: postgres.details },
        };
      } finally {
        await server.stop();
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function against(
  directory: string,
  profile: string | undefined,
  over: Pick<PlatformStart, 'databaseUrl'>,
): Promise<{ readonly figures: readonly Figure[]; readonly details: unknown }> {
  const platform: Part = startPart('platform', { profile });
  const load = startPart('verify-load');
  try {
    const port = await load.ask<number>('start');
    const smsFile = join(directory, 'sms.json');
    const gateway = { name: 'smsc', protocol: 'smpp', host: '127.0.0.1', port, window: 100 };
    const access = { system_id: 'bench', password: 'bench', prefixes: [{ prefix: '' }] };
    writeFileSync(smsFile, JSON.stringify({ gateways: [{ ...gateway, ...access }] }));
    const started = await platform.ask<StartedPlatform>('start', {
      smsFile,
      ...over,
    } satisfies PlatformStart);
    const { http, authId, authorization } = started;
    const where = { httpUrl: `http://127.0.0.1:${http.port}`, path: `/v1/Account/${authId}/`, authorization };
    const run = (each: Omit<VerifyRun, 'httpUrl' | 'path' | 'authorization'>) =>
      measure(platform, () => load.ask<VerifyOutcome>('run', { ...where, ...each } satisfies VerifyRun));
    await run({ count: 500, atOnce: 32 });
    const full = await bestOf(runs, () => run(order));
    const calm = await run(moderate);
    const database = over.databaseUrl === undefined ? 'embedded database' : 'PostgreSQL';
    const at = `at ${Math.round(calm.perSecond)}/s, ${database}`;
    return {
      figures: [
        {
          what: `verification sessions over SMPP, delivered, ${database}`,
          value: full.perCore,
          unit: '/s per core',
          note: `${Math.round(full.cpuMicroseconds)} µs of CPU each, ${Math.round(full.perSecond)}/s wall`,
        },
        { what: 'request to submit_sm, p50', value: calm.p50Ms, unit: 'ms', note: at },
        { what: 'request to submit_sm, p99', value: calm.p99Ms, unit: 'ms', note: at },
      ],
      details: { full, calm },
    };
  } finally {
    await Promise.all([platform, load].map((part) => part.stop()));
  }
}
