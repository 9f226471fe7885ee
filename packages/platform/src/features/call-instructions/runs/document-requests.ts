import type { Logger, SpeechRecognition } from '@jackfield/ports';
import { withoutSecrets } from '../../../kernel/shown-url.ts';
import type { DocumentRun, RunEffect, RunInput } from '../domain/document-run.ts';
import { readDocument } from '../parse/read-document.ts';
import { type FetchDeps, fetchDocument, type ObservedFetch } from './fetch-document.ts';
import { type PlanDeps, planDocument } from './plan.ts';

export interface DocumentRequestDeps extends FetchDeps, PlanDeps {
  readonly log: Logger;
  /** Absent: documents cannot ask for speech. */
  readonly recognition?: SpeechRecognition;
}

type Fetch = Extract<RunEffect, { do: 'fetch' }>;
type Report = Extract<RunEffect, { do: 'report' }>;

/** Requests to the customer's server. */
export interface DocumentRequests {
  /** Requests the next document, which becomes an input of the run. */
  fetch(run: DocumentRun, order: Fetch): void;
  giveUp(leg: string, fetch: number): void;
  /** Sends a request whose answer is not read; a failure becomes a `warning` of the run. */
  report(run: DocumentRun, order: Report): void;
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
    report(run, order) {
      const { leg } = run.call;
      fetchDocument(deps, requestOf(deps, run, order, new AbortController().signal)).then(
        (answer) => {
          if (!answer.ok) runs.send(leg, { type: 'warning', sentence: answer.sentence });
        },
        (error: unknown) => deps.log.error({ leg, err: error }, 'action not requested'),
      );
    },
  };
}

/** Never rejects: a failure is an input as well. */
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
    const read = fetched.ok ? readDocument(fetched.body, {}, deps.recognition !== undefined) : fetched;
    if (!read.ok) return { type: 'document-failed', fetch, fault: read.fault, sentence: read.sentence };
    const elements = planDocument(read.instructions, account, deps);
    return { type: 'document-fetched', fetch, elements, warnings: read.warnings };
  } catch (error) {
    deps.log.error({ leg, err: error }, 'document not fetched');
    const sentence = 'the platform failed to fetch the document';
    return { type: 'document-failed', fetch, fault: 'unreachable', sentence };
  }
}

async function fetchLogged(deps: DocumentRequestDeps, run: DocumentRun, order: Fetch, signal: AbortSignal) {
  const { clock, log } = deps;
  const { leg, account } = run.call;
  const { method, url } = order.request;
  const requestedAt = clock.now();
  const fetched = await fetchDocument(deps, requestOf(deps, run, order, signal));
  const outcome = fetched.ok ? { status: 200 } : { problem: fetched.sentence };
  const durationMs = clock.now() - requestedAt;
  log.debug({ leg, account, method, url: withoutSecrets(url), ...outcome, durationMs }, 'document requested');
  return fetched;
}

function requestOf(
  { fetched }: DocumentRequestDeps,
  { call, parameters }: DocumentRun,
  { request, fields }: Fetch | Report,
  signal: AbortSignal,
) {
  const { account, mainAccount, leg } = call;
  return {
    request,
    fields: { ...parameters, ...fields },
    account,
    mainAccount,
    signal,
    ...(fetched && { observed: (fetch: ObservedFetch) => fetched(leg, fetch) }),
  };
}
