import type { EndReason, SessionEffect, SessionEvent, SessionInput } from '../dialog/session-state.ts';
import type { SessionInterval } from '../dialog/session-timer.ts';
import type { Protocol } from '../message/flow.ts';
import { hostOfAddress } from '../message/host.ts';
import type { SipRequest } from '../message/message.ts';
import { printMessage } from '../message/print-message.ts';
import { createVia } from '../message/via.ts';
import { clientKey } from '../transaction/key.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import type { CallListener } from './call-listener.ts';
import type { ChallengeAnswer } from './challenge-answer.ts';
import type { ClientTransactions } from './client-transactions.ts';
import type { UserAgentCounters } from './counters.ts';
import type { ExtraParts } from './extra-parts.ts';
import type { LegTable } from './leg-table.ts';
import type { Route, Routes } from './send-target.ts';
import type { ServerTransactionTable } from './server-transactions.ts';
import type { WheelTimer } from './timer-wheel.ts';
import type { ClientTransaction, ClientUser, TimerOwner } from './transactions.ts';

/** Requests whose Contact, and that of their responses, is the remote target from then on (RFC 3261 §12.2, RFC 3311 §5, RFC 6665 §4.1.2). */
export const REFRESHES_TARGET = new Set(['INVITE', 'UPDATE', 'REFER', 'NOTIFY']);

/** One call as the driver sees it: the common part of both directions. */
export interface Leg extends TimerOwner {
  readonly side: 'leg';
  readonly callId: string;
  /** Our tag; with the Call-ID it finds the leg of a request, and the leg compares the remote tag (RFC 3261 §12). */
  readonly localTag: string;
  /** The server transaction of the INVITE that opened the leg. */
  readonly invite?: string;
  /** Names of the phones at the other end; requests follow them to the connections over which they register again. */
  readonly phones: readonly string[];
  /** Running timers, keyed `timer scope`. */
  timers: readonly WheelTimer<TimerOwner>[];
  /** Live client transactions; the leg stays until the last one has terminated. */
  open: number;
  /** The 2xx to INVITE that is being repeated. */
  answer: { readonly transaction: string; readonly text: string } | undefined;
  /** The client transaction of our last re-INVITE. */
  offer: ClientTransaction | undefined;
  readonly authorize: ChallengeAnswer | undefined;
  /** Requests that wait until their phone has a connection again. */
  readonly lost: (SessionEffect & { do: 'request' })[];
  /** The routes of this session's requests. */
  routesOf(session: string): Routes;
  /** The flow for requests of this session, if the peer has one. */
  flowOf(session: string): string | undefined;
  /** The same flow, if the phone cannot be reached in another way; it may register again over another connection. */
  onlyFlowOf(session: string): string | undefined;
  /** The phone of this name has registered over `flow`; its flow is replaced unless `staysOn` it. */
  follow(name: string, flow: string, returned: Returned): void;
  /** Passes an input to a session; `source` is the request that `input` answers. */
  session(session: string, input: SessionInput, source?: SipRequest): void;
  /** Whether the leg has ended, with no live transaction and no timer. */
  isOver(): boolean;
  /** A request of the peer with our tag, or its CANCEL; `flow` reaches the peer. */
  inDialog(
    remoteTag: string,
    input: SessionInput & { type: 'request' | 'ack' | 'cancelled' },
    flow: string | undefined,
  ): void;
  /** The INVITE's server transaction failed. */
  inviteFailed(failure: 'timeout' | 'transport-failed'): void;
  timerFired(scope: string, key: string): void;
  emit(event: SessionEvent): void;
  end(reason: EndReason): void;
}

/** The parts of the user agent that legs need. */
export interface LegDeps
  extends Pick<
    ExtraParts,
    | 'reasonPhrase'
    | 'answerWithin'
    | 'orderedRoutes'
    | 'routesWithin'
    | 'routesBesideVerified'
    | 'cancelFor'
    | 'noteSilent'
  > {
  readonly clients: ClientTransactions;
  readonly servers: ServerTransactionTable;
  readonly legs: LegTable<Leg>;
  readonly counters: UserAgentCounters;
  readonly durations: TimerDurations;
  readonly userAgentName: string | undefined;
  readonly ringingLimitMs: number;
  readonly sessionInterval: SessionInterval;
  now(): number;
  token(): string;
  /** A random number in [0, 1). */
  chance(): number;
  startTimer(owner: TimerOwner, key: string, at: number): WheelTimer<TimerOwner>;
  cancelTimer(timer: WheelTimer<TimerOwner>): void;
  send(target: Route['target'], text: string): void;
  /** Whether a flow is alive. */
  isOpen(flow: string): boolean;
  readonly routes: Routes;
  address(protocol: Protocol, peer?: string): { readonly host: string; readonly port: number };
  /** Runs a listener; catches and counts what it throws. False when it has thrown. */
  safely(call: () => void): boolean;
  /** Runs `call` soon, after the present call. */
  defer(call: () => void): void;
}

/** A registration of a phone over another flow, and what becomes of the flows of its dialogs. */
export interface Returned {
  /** Registrations over these flows have ended. */
  readonly replaced: readonly string[];
  /** Flows over which dialogs stay. */
  readonly kept: Set<string>;
}

/** Whether requests to a phone that has returned stay on this flow, which is noted then. */
export function staysOn(flow: string, { isOpen }: LegDeps, { replaced, kept }: Returned): boolean {
  const stays = isOpen(flow) && !replaced.includes(flow);
  if (stays) kept.add(flow);
  return stays;
}

/** Starts a timer of a leg; one with the same scope and key is replaced. */
export function startLegTimer(deps: LegDeps, leg: Leg, scope: string, key: string, at: number): void {
  const wheelKey = `${key} ${scope}`;
  cancelWheelTimer(deps, leg, wheelKey);
  leg.timers = [...leg.timers, deps.startTimer(leg, wheelKey, at)];
}

/** Stops a timer of a leg. */
export function cancelLegTimer(deps: LegDeps, leg: Leg, scope: string, key: string): void {
  cancelWheelTimer(deps, leg, `${key} ${scope}`);
}

function cancelWheelTimer(deps: LegDeps, leg: Leg, wheelKey: string): void {
  const index = leg.timers.findIndex((timer) => timer.key === wheelKey);
  if (index < 0) return;
  deps.cancelTimer(leg.timers[index]!);
  leg.timers = leg.timers.toSpliced(index, 1);
}

/** A timer of the wheel fell due for a leg. */
export function legTimerFired(leg: Leg, wheelKey: string): void {
  const index = leg.timers.findIndex((timer) => timer.key === wheelKey);
  if (index >= 0) leg.timers = leg.timers.toSpliced(index, 1);
  const space = wheelKey.indexOf(' ');
  leg.timerFired(wheelKey.slice(space + 1), wheelKey.slice(0, space));
}

/** Removes a leg that is over. The transaction of its INVITE may last 32 s more, and keeps no leg that can do nothing. */
export function removeIfOver(deps: LegDeps, leg: Leg): void {
  if (!leg.isOver()) return;
  deps.legs.remove(leg);
  const invite = leg.invite === undefined ? undefined : deps.servers.find(leg.invite);
  if (invite) invite.user = undefined;
}

/** Starts a client transaction that keeps the leg alive until it has terminated. */
export function startLegTransaction(
  deps: LegDeps,
  leg: Leg,
  request: SipRequest,
  route: Route,
  user: Omit<ClientUser, 'terminated'>,
): ClientTransaction {
  if (REFRESHES_TARGET.has(request.method))
    request.headers.set('Contact', contactOf(deps, route, request.uri));
  leg.open += 1;
  const terminated = (): void => {
    leg.open -= 1;
    removeIfOver(deps, leg);
  };
  return startTransaction(deps, request, route, { ...user, terminated });
}

/** Starts a client transaction on a Via and branch of its own. */
export function startTransaction(
  deps: LegDeps,
  request: SipRequest,
  route: Route,
  user: ClientUser,
): ClientTransaction {
  const branch = `z9hG4bK${deps.token()}`;
  const { host, port } = deps.address(route.protocol, route.host);
  const { headers } = request;
  headers.remove('Via');
  headers.prepend('Via', createVia(route.protocol, host, port, branch));
  if (deps.userAgentName !== undefined) headers.set('User-Agent', deps.userAgentName);
  const key = clientKey(branch, request.method);
  return deps.clients.start(key, request, printMessage(request), route, user);
}

/** The Contact value of our requests and responses to a peer; `uri` is the Request-URI of the request. */
export function contactOf(
  deps: LegDeps,
  { protocol, host: peer }: Pick<Route, 'protocol'> & { readonly host?: string | undefined },
  uri: string,
): string {
  const { host, port } = deps.address(protocol, peer);
  const at = `${hostOfAddress(host)}:${port}`;
  // RFC 3261 §8.1.1.8 and §12.1.1: a request to a sips URI makes a dialog whose Contacts are sips URIs too.
  const isSecure = /^sips:/i.test(uri) && (protocol === 'tls' || protocol === 'wss');
  return `<${isSecure ? 'sips' : 'sip'}:${at}${transportParam(protocol, isSecure)}>`;
}

/** RFC 7118 §5.2: `ws` in a URI stands for ws and wss; the scheme makes the difference. */
function transportParam(protocol: Protocol, isSecure: boolean): string {
  switch (protocol) {
    case 'udp':
      return '';
    case 'tcp':
      return ';transport=tcp';
    case 'tls':
      return isSecure ? '' : ';transport=tls';
    case 'ws':
    case 'wss':
      return ';transport=ws';
  }
}

/** Passes an event of the session to the owner's listener. */
export function notifyListener(listener: CallListener, event: SessionEvent): void {
  switch (event.type) {
    case 'offered':
      listener.offered?.(event.request);
      return;
    case 'offer-withdrawn':
      listener.offerWithdrawn?.();
      return;
    case 'acknowledged':
      listener.acknowledged?.(event.body);
      return;
    case 'offer-answered':
      listener.offerAnswered?.(event.response);
      return;
    case 'offer-refused':
      listener.offerRefused?.(event.status);
      return;
    case 'info':
      listener.info?.(event.request);
      return;
    case 'referred':
      listener.referred?.(event.request);
      return;
    case 'info-answered':
      listener.infoAnswered?.(event.status);
      return;
    case 'refer-answered':
      listener.referAnswered?.(event.status);
      return;
    case 'refer-notified':
      listener.referNotified?.(event.status, event.isLast);
      return;
  }
}
