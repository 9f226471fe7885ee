import type { Clock, Egress, EgressOutcome, StopSignal } from '@jackfield/ports';
import { maxRedirections, redirectionOf } from '../../../kernel/redirection.ts';
import { withoutSecrets } from '../../../kernel/shown-url.ts';
import type { DocumentFault } from '../domain/document-end.ts';
import type { ActionRequest } from '../domain/instruction.ts';

/** Signs like a callback; undefined for an account that is gone. */
export type SignRequest = (request: {
  /** Without fragment. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly fields: Readonly<Record<string, string>>;
  readonly account: string;
  readonly mainAccount: string;
}) => Promise<
  | { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string }
  | undefined
>;

/** Settings in the fragment of a URL (docs/interface/requests.md#settings-in-a-url), in the shape of the callbacks feature. */
export interface RequestSettings {
  readonly url: string;
  readonly connectMs: number;
  readonly readMs: number;
  readonly totalMs: number;
  readonly retries: number;
  readonly retryOn: ReadonlySet<'4xx' | '5xx' | 'ct' | 'rt'>;
}

export interface FetchDeps {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly sign: SignRequest;
  readonly settingsOf: (url: string) => RequestSettings;
  /** Notified of every request for a document of a call. */
  readonly fetched?: (call: string, fetch: ObservedFetch) => void;
}

export interface FetchLimits {
  /** For all attempts together. */
  readonly totalMs: number;
  readonly maxBytes: number;
  /** Redirections that are followed, each through the guard like the first request. */
  readonly redirections: number;
}

/** docs/interface/documents.md#fetching: 15 s to answer, at most 100 KB. */
const fetchLimits: FetchLimits = { totalMs: 15_000, maxBytes: 102_400, redirections: maxRedirections };

export interface DocumentRequest {
  readonly request: ActionRequest;
  readonly fields: Readonly<Record<string, string>>;
  readonly account: string;
  readonly mainAccount: string;
  readonly signal: StopSignal;
  /** Called for each request, redirections and repetitions included. */
  readonly observed?: (fetch: ObservedFetch) => void;
}

export interface ObservedFetch {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly status: number | undefined;
  readonly problem: string | undefined;
  readonly durationMs: number;
  readonly body: Uint8Array | undefined;
}

export type FetchedDocument =
  | { readonly ok: true; readonly body: Uint8Array }
  | { readonly ok: false; readonly fault: DocumentFault; readonly sentence: string };

/** Requests a document from the customer's server: signed, within the limits, retried as its URL says. */
export async function fetchDocument(
  deps: FetchDeps,
  document: DocumentRequest,
  limits: FetchLimits = fetchLimits,
): Promise<FetchedDocument> {
  const settings = deps.settingsOf(document.request.url);
  const budgetMs = Math.min(limits.totalMs, settings.totalMs);
  const deadline = deps.clock.now() + budgetMs;
  if (!isHttp(settings.url)) {
    return failure('url', `${withoutSecrets(settings.url)} is no URL that starts with http:// or https://`);
  }
  for (let attempt = 0; ; attempt++) {
    const outcome = await send(deps, document, settings, deadline, limits);
    if ('ok' in outcome) return outcome;
    const mayTryAgain = attempt < settings.retries && deps.clock.now() < deadline;
    if (!mayTryAgain || !isWorthAnother(outcome, settings)) return judged(outcome, document.request.url);
  }
}

async function send(
  deps: FetchDeps,
  document: DocumentRequest,
  settings: RequestSettings,
  deadline: number,
  limits: FetchLimits,
): Promise<EgressOutcome | Extract<FetchedDocument, { ok: false }>> {
  let { url } = settings;
  let { method } = document.request;
  for (let hop = 0; ; hop++) {
    const { fields, account, mainAccount, signal } = document;
    const signed = await deps.sign({ url, method, fields, account, mainAccount });
    if (signed === undefined) return failure('unreachable', 'the account of the call is gone');
    const sentAt = deps.clock.now();
    const left = Math.max(1, deadline - sentAt);
    const outcome = await deps.egress.send({
      url: signed.url,
      method,
      // RFC 9110 §12.5.3: without this field any coding would be welcome.
      headers: { ...signed.headers, 'Accept-Encoding': 'identity' },
      ...(method === 'POST' ? { body: signed.body } : {}),
      timeouts: {
        connectMs: Math.min(settings.connectMs, left),
        readMs: Math.min(settings.readMs, left),
        totalMs: left,
      },
      maxBodyBytes: limits.maxBytes,
      signal,
    });
    document.observed?.(observedOf(outcome, { url, method, durationMs: deps.clock.now() - sentAt }));
    const target = hop < limits.redirections ? redirectionOf(outcome, { url, method }) : undefined;
    if (target === undefined) return outcome;
    ({ url, method } = target);
  }
}

function observedOf(
  outcome: EgressOutcome,
  request: Pick<ObservedFetch, 'url' | 'method' | 'durationMs'>,
): ObservedFetch {
  if ('problem' in outcome) {
    const { status, sentence } = outcome.problem;
    return { ...request, status, problem: sentence, body: undefined };
  }
  return { ...request, status: outcome.status, problem: undefined, body: outcome.body };
}

function isWorthAnother(outcome: EgressOutcome, { retryOn }: RequestSettings): boolean {
  if (!('problem' in outcome)) {
    if (outcome.status >= 500) return retryOn.has('5xx');
    return outcome.status >= 400 && retryOn.has('4xx');
  }
  switch (outcome.problem.kind) {
    case 'connect-timeout':
    case 'unreachable':
      return retryOn.has('ct');
    case 'read-timeout':
    case 'total-timeout':
    case 'broken':
      return retryOn.has('rt');
    default:
      return false;
  }
}

function judged(outcome: EgressOutcome, url: string): FetchedDocument {
  if ('problem' in outcome) return failure('unreachable', outcome.problem.sentence);
  const { status, body, headers } = outcome;
  if (status >= 200 && status < 300) {
    if (!isCoded(headers['content-encoding'])) return { ok: true, body };
    return failure('xml', `${withoutSecrets(url)} answered with a compressed document: send it as it is`);
  }
  return failure('unreachable', `${withoutSecrets(url)} answered with status ${status} instead of 200`);
}

function isCoded(encoding: string | readonly string[] | undefined): boolean {
  return encoding !== undefined && String(encoding).trim().toLowerCase() !== 'identity';
}

function failure(fault: DocumentFault, sentence: string): Extract<FetchedDocument, { ok: false }> {
  return { ok: false, fault, sentence };
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
