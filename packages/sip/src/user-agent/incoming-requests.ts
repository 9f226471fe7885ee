import type { Flow } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import type { ParseProblem } from '../message/parse-message.ts';
import { parseVia, stampReceived, type Via } from '../message/via.ts';
import { cancelledKey, hasTransactionId, serverKey } from '../transaction/key.ts';
import type { Answering } from './answering.ts';
import type { NewRequests } from './new-requests.ts';
import { remoteTagOf } from './remote-tag.ts';
import { type Screen, screenMalformed } from './screening.ts';
import type { ServerTransaction } from './transactions.ts';
import type { Guard } from './user-agent-options.ts';
import type { UserAgentParts } from './user-agent-parts.ts';

/** The parts of the user agent that requests meet before they have a transaction. */
export interface IncomingRequestsDeps {
  readonly parts: UserAgentParts;
  readonly answering: Answering;
  readonly newRequests: NewRequests;
  readonly screen: Screen;
  readonly guard: Guard | undefined;
  readonly maxTransactions: number;
}

/** Matches received requests to transactions and legs (RFC 3261 §17.2.3), and drops the unwanted requests of strangers. */
export class IncomingRequests {
  readonly #deps: IncomingRequestsDeps;

  constructor(deps: IncomingRequestsDeps) {
    this.#deps = deps;
  }

  receive(request: SipRequest, text: string, flow: Flow): void {
    const { servers, counters } = this.#deps.parts;
    counters.requestsReceived += 1;
    const [top = '', ...below] = request.headers.all('Via');
    const via = parseVia(top);
    if (!via || below.some((value) => parseVia(value) === undefined)) {
      const answerable = request.method === 'ACK' ? undefined : request;
      this.malformed({ status: 400, sentence: 'A Via is malformed.', request: answerable }, text, flow);
      return;
    }
    if (!hasTransactionId(via)) counters.oldBranch += 1;
    const key = serverKey(via, request.method, request);
    if (key === undefined) return;
    const known = servers.find(key);
    if (request.method === 'ACK') this.#acknowledge(known, request, this.#deps.parts.flowTo(via, flow));
    else if (known) this.#repeat(known, request, flow);
    else this.#begin(key, via, request, text, flow);
  }

  malformed(problem: ParseProblem, text: string, flow: Flow): void {
    this.#deps.parts.counters.malformed += 1;
    const { request, status } = problem;
    const top = request?.headers.get('Via');
    const via = top === undefined ? undefined : parseVia(top);
    if (!request || !via || this.#isUnwanted(request, flow)) return;
    stampReceived(request, flow.remoteAddress, flow.remotePort, via);
    const refusal = (status === 400 && screenMalformed(request, this.#deps.screen)) || { status };
    const { reliable } = flow;
    const target = this.#deps.parts.targetOf(request, via, flow);
    this.#deps.answering.refuseStateless({ request, reliable, size: text.length, target }, refusal);
  }

  #acknowledge(known: ServerTransaction | undefined, ack: SipRequest, back: string | undefined): void {
    const { servers, legs, counters, withSessionAlone } = this.#deps.parts;
    const request = withSessionAlone(ack);
    if (known) {
      servers.step(known, { type: 'ack' }, { request, flow: back });
      return;
    }
    const leg = legs.of(request);
    if (!leg) counters.strayAcks += 1;
    else leg.inDialog(remoteTagOf(request), { type: 'ack', request }, back);
  }

  #repeat(known: ServerTransaction, request: SipRequest, flow: Flow): void {
    const { servers, counters } = this.#deps.parts;
    counters.requestsRepeated += 1;
    // A phone whose connection broke repeats its request on the next one, as a browser does, and waits for the response there.
    if (flow.protocol !== 'udp' && known.limit === undefined) known.target = { flow: flow.id };
    // A repetition from an unauthenticated sender is answered again, so the guard counts it as a new request.
    if (known.limit === undefined || !this.#isUnwanted(request, flow))
      servers.step(known, { type: 'request' });
  }

  #begin(key: string, via: Via, request: SipRequest, text: string, flow: Flow): void {
    const { parts, answering, newRequests, maxTransactions } = this.#deps;
    const { clients, servers, legs, counters } = parts;
    const cancels = request.method === 'CANCEL' ? cancelledKey(via, request) : undefined;
    // The sender of a request with a known dialog or INVITE has had our response: tags and branches cannot be guessed.
    const leg = cancels === undefined ? legs.of(request) : undefined;
    const isAcquainted = leg !== undefined || (cancels !== undefined && servers.find(cancels) !== undefined);
    if (!isAcquainted && this.#isUnwanted(request, flow)) return;
    stampReceived(request, flow.remoteAddress, flow.remotePort, via);
    const incoming = {
      request: parts.withSessionAlone(request),
      flow,
      key,
      isOld: !hasTransactionId(via),
      leg,
      size: text.length,
      reliable: flow.reliable,
      target: parts.targetOf(request, via, flow),
      back: parts.flowTo(via, flow),
    };
    if (clients.size + servers.size >= maxTransactions) {
      counters.overloaded += 1;
      answering.refuseStateless(incoming, { status: 503 });
    } else if (request.method === 'CANCEL') newRequests.cancel(incoming, cancels);
    else newRequests.serve(incoming);
  }

  #isUnwanted(request: SipRequest, flow: Flow): boolean {
    const { guard, parts } = this.#deps;
    if (guard === undefined || guard.admits(request, flow)) return false;
    parts.counters.unwanted += 1;
    return true;
  }
}
