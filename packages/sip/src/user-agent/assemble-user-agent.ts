import { SUPPORTED_OPTIONS } from '../dialog/answers.ts';
import type { SipResponse } from '../message/message.ts';
import { parseMessage } from '../message/parse-message.ts';
import { parseVia } from '../message/via.ts';
import { responseKey, serverKey } from '../transaction/key.ts';
import { createAnswering } from './answering.ts';
import type { ExtraParts } from './extra-parts.ts';
import { IncomingRequests } from './incoming-requests.ts';
import { NewRequests } from './new-requests.ts';
import { dial } from './outgoing-leg.ts';
import { sendRequest } from './outgoing-request.ts';
import type { Screen } from './screening.ts';
import type { SendTarget } from './send-target.ts';
import type { PhoneUserAgent, UserAgentDeps } from './user-agent-options.ts';
import { createParts, type UserAgentParts } from './user-agent-parts.ts';

/** Creates a user agent with empty tables of these parts. */
export function assembleUserAgent(
  deps: UserAgentDeps,
  extra: ExtraParts,
): { readonly agent: PhoneUserAgent; readonly parts: UserAgentParts } {
  const { guard, on } = deps;
  const { maxTransactions = 500_000, maxDialogs = 50_000 } = deps.limits ?? {};
  const parts = createParts(deps, extra);
  const screen = screenOf(deps, parts);
  const answering = createAnswering(parts);
  const newRequests = new NewRequests({ parts, answering, screen, guard, maxDialogs, on });
  const requests = new IncomingRequests({ parts, answering, newRequests, screen, guard, maxTransactions });
  const agent: PhoneUserAgent = {
    listen: (invited) => newRequests.listen(invited),
    receive(text, flow) {
      if (parts.isClosed) return;
      const { message, problem } = parseMessage(text);
      if (problem) requests.malformed(problem, text, flow);
      else if (message.kind === 'response')
        receiveResponse(parts, { ...message, sourceAddress: flow.remoteAddress });
      else
        requests.receive(
          { ...message, sourceAddress: deps.sourceOf?.(message, flow) ?? flow.remoteAddress },
          text,
          flow,
        );
    },
    transportFailed: (text, target) => failTransaction(deps, parts, text, target),
    flowClosed: (id) => parts.clients.flowClosed(id),
    invite: ({ credentials, ...options }, listener) =>
      dial(parts, options, extra.challengeAnswer(deps, credentials), listener),
    request: ({ credentials, ...options }, settled) =>
      sendRequest(parts, options, extra.challengeAnswer(deps, credentials), settled),
    census: parts.census,
    counters: parts.counters,
    close: parts.close,
  };
  return { agent, parts };
}

function screenOf(
  { methods, supported = [] }: UserAgentDeps,
  { sessionInterval, screenContent }: UserAgentParts,
): Screen {
  const options = [...SUPPORTED_OPTIONS.split(', '), ...supported];
  return {
    sessionInterval,
    screenContent,
    methods: new Set(methods ?? ['REGISTER', 'OPTIONS']),
    supported: new Set(options.map((tag) => tag.toLowerCase())),
  };
}

function receiveResponse(
  { clients, counters, withSessionAlone }: UserAgentParts,
  response: SipResponse,
): void {
  counters.responsesReceived += 1;
  const key = responseKey(response);
  const transaction = key === undefined ? undefined : clients.find(key);
  // RFC 3261 §18.1.2 and §8.1.3.3: a response without a transaction, or with more Vias than ours, is for another element.
  if (!transaction || response.headers.all('Via').length > 1) {
    counters.strayResponses += 1;
    return;
  }
  clients.step(transaction, { type: 'response', response: withSessionAlone(response) });
}

/** The transport could not send this text: its transaction fails, or a response goes over a new connection. */
function failTransaction(
  deps: UserAgentDeps,
  { clients, servers, send, targetOfLostFlow }: UserAgentParts,
  text: string,
  target: SendTarget | undefined,
): void {
  const { message } = parseMessage(text);
  const top = message?.headers.get('Via');
  const via = top === undefined ? undefined : parseVia(top);
  if (!message || !via?.branch) return;
  if (message.kind === 'response') {
    const isLost = target !== undefined && 'flow' in target && deps.flow(target.flow) === undefined;
    const again = isLost ? targetOfLostFlow(via) : undefined;
    // Over a connection the transaction of a non-INVITE request ended with its response.
    if (again) {
      send(again, text);
      return;
    }
    const method = message.headers.get('CSeq')?.split(' ').at(-1) ?? '';
    const known = servers.find(serverKey(via, method) ?? '');
    if (known) servers.step(known, { type: 'transport-failed' });
    return;
  }
  const method = message.method === 'ACK' ? 'INVITE' : message.method;
  const known = clients.find(`${via.branch} ${method}`);
  if (known) clients.step(known, { type: 'transport-failed' });
}
