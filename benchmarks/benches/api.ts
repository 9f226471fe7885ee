import { bestOf, type Load, type Measured, measure } from '../measure.ts';
import { type Part, startPart } from '../part.ts';
import type { HttpLoad, HttpOutcome } from '../parts/http-load.ts';
import type { Bench, Figure } from '../report.ts';

export interface StartedPlatform {
  readonly http: { readonly port: number };
  readonly sip: { readonly port: number };
  readonly authId: string;
  readonly authorization: string;
}

const runs = 3;
const seconds = 1;

/** Durable creates and reads over HTTP, compared with the bare framework and the bare database. */
export const api: Bench = {
  name: 'api',
  async run({ profile }) {
    const platform = startPart('platform', { profile });
    const load = startPart('http-load');
    const bare = startPart('bare-http');
    const raw = startPart('raw-sqlite');
    try {
      const { http, authId, authorization } = await platform.ask<StartedPlatform>('start');
      const path = `/v1/Account/${authId}/Endpoint/`;
      const onPlatform = (requests: HttpLoad['requests']) => drive(load, platform, http.port, requests);

      // The first second compiles.
      const first = await onPlatform({ kind: 'create', path, authorization });
      const creates = await bestOf(runs, () => onPlatform({ kind: 'create', path, authorization }));
      const paths = first.ids.map((id) => `${path}${id}/`);
      await onPlatform({ kind: 'read', paths, authorization });
      const reads = await bestOf(runs, () => onPlatform({ kind: 'read', paths, authorization }));
      const page = [`${path}?limit=20`];
      await onPlatform({ kind: 'read', paths: page, authorization });
      const lists = await bestOf(runs, () => onPlatform({ kind: 'read', paths: page, authorization }));

      const port = await bare.ask<number>('start', { created: creates.body, read: reads.body });
      const onBare = (requests: HttpLoad['requests']) => drive(load, bare, port, requests);
      const posts = { kind: 'create', path: '/thing/', authorization } as const;
      const gets = { kind: 'read', paths: ['/thing/'], authorization } as const;
      await onBare(posts);
      const barePosts = await bestOf(runs, () => onBare(posts));
      const bareGets = await bestOf(runs, () => onBare(gets));

      const inserts = await bestOf(runs, () =>
        measure(raw, () => raw.ask<Load>('insert', { seconds, perCommit: 1 })),
      );
      const grouped = await measure(raw, () => raw.ask<Load>('insert', { seconds, perCommit: 32 }));
      const rawReads = await measure(raw, () => raw.ask<Load>('read', { seconds: 1 }));

      const unit = '/s per core';
      const figures: Figure[] = [
        {
          what: 'durable creates',
          value: creates.perCore,
          unit,
          budget: { atLeast: 4000 },
          floor: { what: 'bare fastify POST', value: barePosts.perCore },
          note: noteOf(creates),
        },
        {
          what: 'reads of one',
          value: reads.perCore,
          unit,
          budget: { atLeast: 10_000 },
          floor: { what: 'bare fastify GET', value: bareGets.perCore },
          note: noteOf(reads),
        },
        { what: 'lists of 20', value: lists.perCore, unit, note: noteOf(lists) },
        {
          what: 'creates, wall clock',
          value: creates.perSecond,
          unit: '/s',
          floor: { what: 'raw durable inserts', value: inserts.perSecond },
          note: `raw with 32 rows a commit ${Math.round(grouped.perSecond)}/s`,
        },
      ];
      return { figures, details: { creates, reads, lists, barePosts, bareGets, inserts, grouped, rawReads } };
    } finally {
      await Promise.all([platform, load, bare, raw].map((part) => part.stop()));
    }
  },
};

function drive(load: Part, tested: Part, port: number, requests: HttpLoad['requests']) {
  return measure(tested, () => load.ask<HttpOutcome>('run', { port, requests, seconds } satisfies HttpLoad));
}

function noteOf({ perSecond, cpuMicroseconds, p50Ms, p99Ms }: Measured<HttpOutcome>): string {
  const wall = `${Math.round(perSecond)}/s wall, ${Math.round(cpuMicroseconds)} µs of CPU`;
  return `${wall}, p50 ${p50Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)} ms`;
}
