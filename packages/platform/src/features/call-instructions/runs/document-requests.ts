import type { Logger } from '@jackfield/ports';
import { withoutSecrets } from '../../../kernel/shown-url.ts';
import type { DocumentRun, RunEffect, RunInput } from '../domain/document-run.ts';
import { readDocument } from '../parse/read-document.ts';
import { type FetchDeps, fetchDocument } from './fetch-document.ts';
import { type PlanDeps, planDocument } from './plan.ts';

export interface DocumentRequestDeps extends FetchDeps, PlanDeps {
  readonly log: Logger;
}

type Fetch = Extract<RunEffect, { do: 'fetch' }>;
type Tell = Extract<RunEffect, { do: 'tell' }>;

/** Requests of documents to the server of the customer. */
export interface DocumentRequests {
  /** For the next document; it comes back as an input of the run. */
  fetch(run: DocumentRun, order: Fetch): void;
  giveUp(leg: string, fetch: number): void;
  /** Without an answer to wait for; a report that did not arrive becomes a `remark` of the run. */
  tell(run: DocumentRun, order: Tell): void;
}

export function createDocumentRequests(
  deps: DocumentRequestDeps,
  runs: { send(leg: string, input: RunInput): void },
): DocumentRequests {
  const fetches = new Map<string, AbortController>();

  return {
    fetch(run, order) {
      const { leg } = run.call;
      const key = `${leg}/${order.fetch}`;
      const stop = new AbortController();
      fetches.set(key, stop);
      fetchInput(deps, run, order, stop.signal).then((input) => {
        fetches.delete(key);
        if (!stop.signal.aborted) runs.send(leg, input);
      });
    },
    giveUp(leg, fetch) {
      const key = `${leg}/${fetch}`;
      fetches.get(key)?.abort();
      fetches.delete(key);
    },
    tell(run, order) {
      const { leg } = run.call;
      fetchDocument(deps, wantedOf(run, order, new AbortController().signal)).then(
        (told) => {
          if (!told.ok) runs.send(leg, { type: 'remark', sentence: told.sentence });
        },
        (error: unknown) => deps.log.error({ leg, err: error }, 'An action could not be told.'),
      );
    },
  };
}

/** Never rejects: what goes wrong is an input as well. */
async function fetchInput(
  deps: DocumentRequestDeps,
  run: DocumentRun,
  order: Fetch,
  signal: AbortSignal,
): Promise<RunInput> {
  const { leg, account } = run.call;
  const { fetch } = order;
  try {
    const fetched = await fetchLogged(deps, run, order, signal);
    const read = fetched.ok ? readDocument(fetched.body) : fetched;
    if (!read.ok) return { type: 'document-failed', fetch, fault: read.fault, sentence: read.sentence };
    const elements = planDocument(read.instructions, account, deps);
    return { type: 'document-fetched', fetch, elements, remarks: read.remarks };
  } catch (error) {
    deps.log.error({ leg, err: error }, 'A document could not be fetched.');
    const sentence = 'the platform failed to fetch the document';
    return { type: 'document-failed', fetch, fault: 'unreachable', sentence };
  }
}

async function fetchLogged(deps: DocumentRequestDeps, run: DocumentRun, order: Fetch, signal: AbortSignal) {
  const { clock, log } = deps;
  const { leg } = run.call;
  const { method, url } = order.request;
  const askedAt = clock.now();
  const fetched = await fetchDocument(deps, wantedOf(run, order, signal));
  const outcome = fetched.ok ? { status: 200 } : { problem: fetched.sentence };
  const durationMs = clock.now() - askedAt;
  log.debug({ leg, method, url: withoutSecrets(url), ...outcome, durationMs }, 'document requested');
  return fetched;
}

function wantedOf({ call, parameters }: DocumentRun, { request, fields }: Fetch | Tell, signal: AbortSignal) {
  const { account, mainAccount } = call;
  return { request, fields: { ...parameters, ...fields }, account, mainAccount, signal };
}
