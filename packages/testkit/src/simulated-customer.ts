import type { Webhook } from '@jackfield/contract';
import type {
  CheckedAddresses,
  Clock,
  Egress,
  EgressAddresses,
  EgressOutcome,
  EgressProblem,
  EgressRequest,
  EgressTimeouts,
} from '@jackfield/ports';
import { webhookFor } from './documented-events.ts';
import type { Settling } from './settling.ts';

/** A request of the platform as the customer's server receives it. */
export interface CustomerRequest {
  readonly at: number;
  readonly method: 'GET' | 'POST';
  /** Without query and fragment. */
  readonly url: string;
  /** With query and fragment, as the platform names it. */
  readonly fullUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeouts: EgressTimeouts;
  /** Fields of the form, or of the query. */
  readonly fields: Readonly<Record<string, string>>;
  readonly eventId: string;
  /** The matching webhook of the contract; undefined for an unsigned request, such as for music. */
  readonly webhook: Webhook | undefined;
}

/** The answer: a document with 200, a status (its body ends `bodyMs` later), or why there is no answer; `undefined` never answers. */
export type CustomerAnswer =
  | string
  | {
      readonly status: number;
      readonly body?: string | Uint8Array;
      readonly afterMs?: number;
      readonly bodyMs?: number;
    }
  | { readonly problem: EgressProblem }
  | undefined;

/** A server whose answer needs promises: the world stands still meanwhile. */
export type CustomerServer = (request: CustomerRequest) => CustomerAnswer | Promise<CustomerAnswer>;

/** The server of a customer on the virtual clock: it keeps requests in order and sends the configured answers. */
export interface SimulatedCustomer extends Egress, EgressAddresses {
  readonly requests: readonly CustomerRequest[];
  /** Signed requests that match no webhook of the contract, one sentence each. */
  readonly undocumented: readonly string[];
  /** Sets the answer from now on; it replaces the previous one. */
  serve(url: string, answer: CustomerAnswer | CustomerServer): void;
  /** Answers the requests to all other URLs. */
  serveOthers(server: CustomerServer): void;
  /** Sets the result of look-ups of this host from now on. */
  resolveAs(host: string, found: CheckedAddresses | { readonly problem: EgressProblem }): void;
}

/** Answer time of a near receiver, in ms. */
const usualMs = 5;

/** URLs without an answer get 200 and an empty body. */
export function createSimulatedCustomer(
  clock: Clock,
  { touched, during }: Pick<Settling, 'touched' | 'during'>,
): SimulatedCustomer {
  const requests: CustomerRequest[] = [];
  const undocumented: string[] = [];
  const hosts = new Map<string, CheckedAddresses | { readonly problem: EgressProblem }>();
  const served = new Map<string, CustomerServer>();
  let others: CustomerServer = () => '';

  function outcomeAfter(
    ms: number,
    outcome: EgressOutcome,
    { signal }: EgressRequest,
  ): Promise<EgressOutcome> {
    return new Promise((resolve) => {
      const end = (what: EgressOutcome): void => {
        cancel();
        signal?.removeEventListener('abort', abort);
        touched();
        resolve(what);
      };
      const abort = (): void => end({ problem: { kind: 'aborted', sentence: 'the caller gave up' } });
      const cancel = clock.startTimer(clock.now() + ms, () => end(outcome));
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }

  return {
    requests,
    undocumented,
    resolveAs: (host, found) => void hosts.set(host, found),
    async resolve(url) {
      const { protocol, port, hostname } = new URL(url);
      const found = hosts.get(hostname);
      if (found !== undefined) return found;
      const usual = protocol === 'wss:' || protocol === 'https:' ? 443 : 80;
      return { addresses: ['192.0.2.80'], port: port === '' ? usual : Number(port) };
    },
    serve: (url, answer) => void served.set(url, typeof answer === 'function' ? answer : () => answer),
    serveOthers(server) {
      others = server;
    },
    async send(request) {
      const [address = '', query = ''] = (request.url.split('#')[0] ?? '').split('?');
      const form = request.method === 'POST' ? (request.body ?? '') : query;
      const fields = Object.fromEntries(new URLSearchParams(form));
      const found = 'X-Service-Signature-V3' in request.headers ? webhookFor(fields) : undefined;
      if (found !== undefined && 'fault' in found) undocumented.push(`${address}: ${found.fault}`);
      const asked: CustomerRequest = {
        at: clock.now(),
        method: request.method,
        url: address,
        fullUrl: request.url,
        headers: request.headers,
        body: request.body ?? '',
        timeouts: request.timeouts,
        fields,
        eventId: request.headers['X-Service-Event-Id'] ?? '',
        webhook: found?.webhook,
      };
      requests.push(asked);
      const given = (served.get(address) ?? others)(asked);
      const answer = given instanceof Promise ? await during(() => given) : given;
      if (typeof answer === 'object' && 'problem' in answer) return outcomeAfter(usualMs, answer, request);
      const { readMs, totalMs } = request.timeouts;
      const patience = Math.min(readMs, totalMs);
      if (answer === undefined || (typeof answer === 'object' && (answer.afterMs ?? 0) > patience)) {
        const sentence = `no answer came within ${patience} ms`;
        return outcomeAfter(patience, { problem: { kind: 'read-timeout', sentence } }, request);
      }
      const {
        status,
        body = '',
        afterMs = usualMs,
        bodyMs = 0,
      } = typeof answer === 'string' ? { status: 200, body: answer } : answer;
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      if (bodyMs > 0) {
        clock.startTimer(clock.now() + afterMs, () => {
          request.onStatus?.(status);
          touched();
        });
      }
      return outcomeAfter(afterMs + bodyMs, { status, headers: {}, body: bytes }, request);
    },
  };
}

/** A sound file that the simulated decoder turns into a tone. */
export function toneFile(frequencyHz: number, durationMs: number): string {
  return JSON.stringify({ frequencyHz, durationMs });
}
