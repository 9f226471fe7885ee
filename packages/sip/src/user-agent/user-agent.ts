import { SUPPORTED_OPTIONS } from '../dialog/answers.ts';
import { DEFAULT_SESSION_INTERVAL } from '../dialog/session-timer.ts';
import type { Flow } from '../message/flow.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { tagOf } from '../message/name-addr.ts';
import { type ParseProblem, parseMessage } from '../message/parse-message.ts';
import { parseVia, stampReceived } from '../message/via.ts';
import type { TransactionTimer } from '../transaction/effects.ts';
import { cancelledKey, hasTransactionId, mergeKey, responseKey, serverKey } from '../transaction/key.ts';
import { RFC3261_TIMERS } from '../transaction/timers.ts';
import { createAnswering } from './answering.ts';
import { challengeAnswer } from './challenge-answer.ts';
import { chanceOf } from './chance.ts';
import { ClientTransactions } from './client-transactions.ts';
import { createCounters } from './counters.ts';
import { receiveInvite } from './incoming-leg.ts';
import { type Leg, type LegDeps, legTimerFired, serveInvite } from './leg.ts';
import { dial } from './outgoing-leg.ts';
import { sendRequest } from './outgoing-request.ts';
import { createRoutes } from './routes.ts';
import { screenExtensions, screenMalformed, screenRequest } from './screening.ts';
import { type SendTarget, targetOf, targetOfLostFlow } from './send-target.ts';
import { ServerTransactions } from './server-transactions.ts';
import { withSessionAlone } from './session-content.ts';
import { createTimerWheel } from './timer-wheel.ts';
import type { TransactionDeps } from './transaction-effects.ts';
import type { ClientTransaction, ServerTransaction, TimerOwner } from './transactions.ts';
import type { IncomingRequest, UserAgent, UserAgentDeps } from './user-agent-options.ts';

/** Creates a user agent with empty tables. */
export function createUserAgent(deps: UserAgentDeps): UserAgent {
  const { clock } = deps;
  const durations = deps.timers ?? RFC3261_TIMERS;
  const { maxTransactions = 500_000, maxDialogs = 50_000, ringingLimitMs = 300_000 } = deps.limits ?? {};
  const sessionInterval = deps.sessionInterval ?? DEFAULT_SESSION_INTERVAL;
  const screen = {
    sessionInterval,
    methods: new Set(deps.methods ?? ['REGISTER', 'OPTIONS']),
    supported: new Set(
      [...SUPPORTED_OPTIONS.split(', '), ...(deps.supported ?? [])].map((tag) => tag.toLowerCase()),
    ),
  };
  const counters = createCounters();
  const legs = new Map<string, Leg>();
  const wheel = createTimerWheel<TimerOwner>({ clock, fire });
  const now = (): number => clock.now();
  const routes = createRoutes(deps);
  let isClosed = false;

  function send(target: SendTarget, text: string): void {
    counters.messagesSent += 1;
    deps.send(target, text);
  }

  const transactionDeps: TransactionDeps = {
    durations,
    counters,
    now,
    send,
    startTimer: wheel.start,
    cancelTimer: wheel.cancel,
  };
  const clients = new ClientTransactions(transactionDeps);
  const servers = new ServerTransactions(transactionDeps);

  const { answer, refuse, refuseStateless } = createAnswering({
    servers,
    counters,
    userAgentName: deps.userAgentName,
    token: deps.token,
    send,
  });

  function fire(owner: TimerOwner, key: string): void {
    if (owner.side === 'leg') legTimerFired(owner as Leg, key);
    else if (owner.side === 'deferred') safely((owner as Deferred).call);
    else if (owner.side === 'client') clients.timerFired(owner as ClientTransaction, key as TransactionTimer);
    else servers.timerFired(owner as ServerTransaction, key as TransactionTimer);
  }

  /** False when the listener has thrown. */
  function safely(call: () => void): boolean {
    try {
      call();
      return true;
    } catch (error) {
      counters.listenerErrors += 1;
      deps.on.error?.(error);
      return false;
    }
  }

  const legDeps: LegDeps = {
    clients,
    servers,
    counters,
    durations,
    userAgentName: deps.userAgentName,
    ringingLimitMs,
    sessionInterval,
    now,
    token: deps.token,
    chance: () => chanceOf(deps.token()),
    startTimer: wheel.start,
    cancelTimer: wheel.cancel,
    send,
    route: routes.one,
    routes: (flow, uri, found) =>
      routes.all(flow, uri, (all) => {
        if (!isClosed) found(all);
      }),
    address: deps.address,
    safely,
    defer(call) {
      const deferred: Deferred = { side: 'deferred', call };
      wheel.start(deferred, '', now());
    },
    add: (leg) => legs.set(legKey(leg.callId, leg.localTag), leg),
    remove: (leg) => legs.delete(legKey(leg.callId, leg.localTag)),
  };

  function receiveResponse(response: SipResponse): void {
    counters.responsesReceived += 1;
    const key = responseKey(response);
    const transaction = key === undefined ? undefined : clients.find(key);
    // RFC 3261 §18.1.2 and §8.1.3.3: a response without a transaction, or with more Vias than ours, is for another element.
    if (!transaction || response.headers.all('Via').length > 1) {
      counters.strayResponses += 1;
      return;
    }
    clients.step(transaction, { type: 'response', response });
  }

  function receiveRequest(request: SipRequest, text: string, flow: Flow): void {
    counters.requestsReceived += 1;
    const [top = '', ...below] = request.headers.all('Via');
    const via = parseVia(top);
    if (!via || below.some((value) => parseVia(value) === undefined)) {
      const answerable = request.method === 'ACK' ? undefined : request;
      receiveMalformed({ status: 400, sentence: 'A Via is malformed.', request: answerable }, text, flow);
      return;
    }
    const isOld = !hasTransactionId(via);
    if (isOld) counters.oldBranch += 1;
    const key = serverKey(via, request.method, request);
    const cancels = request.method === 'CANCEL' ? cancelledKey(via, request) : undefined;
    if (key === undefined) return;
    const known = servers.find(key);
    if (request.method === 'ACK') {
      if (known) servers.step(known, { type: 'ack' }, request);
      else receiveAck(request, flow);
      return;
    }
    if (known) {
      counters.requestsRepeated += 1;
      // A repetition from an unauthenticated sender is answered again, so the guard counts it as a new request.
      if (known.limit === undefined || !isUnwanted(request, flow)) servers.step(known, { type: 'request' });
      return;
    }
    // The sender of a request with a known dialog or INVITE has had our response: tags and branches cannot be guessed.
    const leg = cancels === undefined ? findLeg(request) : undefined;
    const isAcquainted = leg !== undefined || (cancels !== undefined && servers.find(cancels) !== undefined);
    if (!isAcquainted && isUnwanted(request, flow)) return;
    stampReceived(request, flow.remoteAddress, flow.remotePort);
    const incoming: NewRequest = {
      request: withSessionAlone(request),
      flow,
      key,
      isOld,
      leg,
      size: text.length,
      reliable: flow.reliable,
      target: targetOf(request, via, flow),
    };
    if (clients.size + servers.size >= maxTransactions) {
      counters.overloaded += 1;
      refuseStateless(incoming, { status: 503 });
    } else if (request.method === 'CANCEL') receiveCancel(incoming, cancels);
    else receiveNew(incoming);
  }

  function receiveAck(request: SipRequest, flow: Flow): void {
    const leg = findLeg(request);
    if (!leg) counters.strayAcks += 1;
    else leg.inDialog(remoteTagOf(request), { type: 'ack', request }, flow);
  }

  /** RFC 3261 §9.2. */
  function receiveCancel(incoming: NewRequest, inviteKey: string | undefined): void {
    const { request, flow } = incoming;
    const invite = inviteKey === undefined ? undefined : servers.find(inviteKey);
    const transaction = open(incoming, undefined);
    if (!invite) {
      refuse(transaction, { status: 481 });
      return;
    }
    const leg = cancellable.get(invite);
    answer(transaction, 200, leg && { toTag: leg.localTag });
    leg?.inDialog(remoteTagOf(request), { type: 'cancelled', transaction: invite.key }, flow);
  }

  /** The leg of each INVITE server transaction, for CANCEL; weak, because the transactions end by themselves. */
  const cancellable = new WeakMap<ServerTransaction, Leg>();

  function receiveNew(incoming: NewRequest): void {
    const { request, flow, key, isOld, leg } = incoming;
    if (leg) {
      receiveInDialog(incoming, leg);
      return;
    }
    const toTag = tagOf(request.headers.get('To') ?? '');
    const fromTag = remoteTagOf(request);
    const merge = mergeKey(request, fromTag, toTag !== undefined);
    const isMerged = merge !== undefined && servers.isMerged(merge, key);
    const transaction = open(incoming, merge);
    const refusal = isMerged ? { status: 482 } : screenRequest(request, toTag !== undefined, screen);
    if (refusal) {
      refuse(transaction, refusal);
      return;
    }
    if (request.method !== 'INVITE') {
      const reply: IncomingRequest['reply'] = (status, fields) => answer(transaction, status, fields);
      const trust = () => {
        transaction.limit = undefined;
      };
      if (!safely(() => deps.on.request({ request, flow, reply, trust }))) reply(500);
      else if (transaction.request) servers.awaitAnswer(transaction);
      return;
    }
    // RFC 3261 §8.1.1.8: an INVITE has a Contact. For one of RFC 2543 without it the From URI is the remote target. A From without
    // a tag counts as one with an empty tag (§12.1.1).
    if (!isOld && !request.headers.has('Contact')) {
      refuse(transaction, { status: 400 });
      return;
    }
    if (legs.size >= maxDialogs) {
      counters.overloaded += 1;
      refuse(transaction, { status: 503, headers: [['Retry-After', '5']] });
      return;
    }
    const { invite, leg: offered } = receiveInvite(legDeps, request, key, flow);
    cancellable.set(transaction, offered);
    if (!safely(() => deps.on.invite(invite))) invite.reject(500);
  }

  function receiveInDialog(incoming: NewRequest, leg: Leg): void {
    const { request, flow, key } = incoming;
    const transaction = open(incoming, undefined, false);
    const refusal = screenExtensions(request, screen);
    if (refusal) {
      refuse(transaction, refusal);
      return;
    }
    if (request.method === 'INVITE') {
      serveInvite(legDeps, leg, key, false);
      cancellable.set(transaction, leg);
    }
    const input = { type: 'request', transaction: key, request, chance: legDeps.chance() } as const;
    leg.inDialog(remoteTagOf(request), input, flow);
  }

  function open(incoming: NewRequest, merge: string | undefined, isStranger = true): ServerTransaction {
    const { key, request, target, flow, reliable, size } = incoming;
    const transaction = servers.start(key, merge, request, target, reliable);
    const { guard } = deps;
    if (isStranger && !reliable && guard !== undefined && !guard.trusts?.(flow)) transaction.limit = size;
    return transaction;
  }

  function isUnwanted(request: SipRequest, flow: Flow): boolean {
    if (deps.guard === undefined || deps.guard.admits(request, flow)) return false;
    counters.unwanted += 1;
    return true;
  }

  function receiveMalformed(problem: ParseProblem, text: string, flow: Flow): void {
    counters.malformed += 1;
    const { request, status } = problem;
    const top = request?.headers.get('Via');
    const via = top === undefined ? undefined : parseVia(top);
    if (!request || !via || isUnwanted(request, flow)) return;
    stampReceived(request, flow.remoteAddress, flow.remotePort);
    const refusal = (status === 400 && screenMalformed(request, screen)) || { status };
    const { reliable } = flow;
    const target = targetOf(request, via, flow);
    refuseStateless({ request, reliable, size: text.length, target }, refusal);
  }

  function findLeg(request: SipRequest): Leg | undefined {
    const tag = tagOf(request.headers.get('To') ?? '');
    return tag === undefined ? undefined : legs.get(legKey(request.headers.get('Call-ID') ?? '', tag));
  }

  return {
    receive(text, flow) {
      if (isClosed) return;
      const { message, problem } = parseMessage(text);
      if (problem) receiveMalformed(problem, text, flow);
      else if (message.kind === 'response')
        receiveResponse({ ...message, sourceAddress: flow.remoteAddress });
      else receiveRequest({ ...message, sourceAddress: flow.remoteAddress }, text, flow);
    },
    transportFailed(text, target) {
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
    },
    flowClosed: (id) => clients.flowClosed(id),
    invite: ({ credentials, ...options }, listener) =>
      dial(legDeps, options, challengeAnswer(deps, credentials), listener),
    request: ({ credentials, ...options }, settled) =>
      sendRequest(legDeps, options, challengeAnswer(deps, credentials), settled),
    census: () => ({ transactions: clients.size + servers.size, dialogs: legs.size, timers: wheel.size() }),
    counters,
    close() {
      isClosed = true;
      wheel.close();
      clients.clear();
      servers.clear();
      legs.clear();
    },
  };
}

interface Deferred extends TimerOwner {
  readonly side: 'deferred';
  readonly call: () => void;
}

interface NewRequest {
  readonly request: SipRequest;
  readonly flow: Flow;
  readonly key: string;
  /** Whether an RFC 2543 element sent it. */
  readonly isOld: boolean;
  /** The leg of its dialog. */
  readonly leg: Leg | undefined;
  /** Length of the received text in characters. */
  readonly size: number;
  readonly reliable: boolean;
  readonly target: SendTarget;
}

function legKey(callId: string, localTag: string): string {
  return `${callId} ${localTag}`;
}

function remoteTagOf(request: SipRequest): string {
  return tagOf(request.headers.get('From') ?? '') ?? '';
}
