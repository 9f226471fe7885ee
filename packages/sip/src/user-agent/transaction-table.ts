import type { SipRequest, SipResponse } from '../message/message.ts';
import type {
  ClientEffect,
  ClientInput,
  Step,
  TransactionEffect,
  TransactionFailure,
  TransactionTimer,
} from '../transaction/effects.ts';
import { type InviteClientState, startInviteClient, stepInviteClient } from '../transaction/invite-client.ts';
import {
  type InviteServerEffect,
  type InviteServerInput,
  type InviteServerState,
  startInviteServer,
  stepInviteServer,
} from '../transaction/invite-server.ts';
import {
  type NonInviteClientState,
  startNonInviteClient,
  stepNonInviteClient,
} from '../transaction/non-invite-client.ts';
import {
  type NonInviteServerState,
  startNonInviteServer,
  stepNonInviteServer,
} from '../transaction/non-invite-server.ts';
import type { TimerDurations, TransactionSetting } from '../transaction/timers.ts';
import type { UserAgentCounters } from './counters.ts';
import type { Route, SendTarget } from './send-target.ts';
import type { WheelTimer } from './timer-wheel.ts';

/** Events of a client transaction for its starter; `terminated` comes last and once. */
export interface ClientUser {
  response(response: SipResponse): void;
  failed(failure: TransactionFailure): void;
  terminated(): void;
}

/** Events of a server transaction for the code that answers its request. */
export interface ServerUser {
  failed(failure: TransactionFailure): void;
  /** An ACK with the branch of the INVITE reached the "accepted" state (RFC 6026 §7.1). */
  acknowledged(ack: SipRequest): void;
  /** 200 ms went by without a response: a 100 (Trying) is due. */
  tryingDue(): void;
}

/** A running client transaction. */
export interface ClientTransaction {
  readonly side: 'client';
  readonly key: string;
  readonly request: SipRequest;
  readonly target: SendTarget;
  readonly user: ClientUser;
  readonly flow: string | undefined;
  machine:
    | { readonly kind: 'invite'; state: InviteClientState }
    | { readonly kind: 'non-invite'; state: NonInviteClientState };
  readonly timers: WheelTimer<TimerOwner>[];
}

/** A running server transaction; its final response frees the request. */
export interface ServerTransaction {
  readonly side: 'server';
  readonly key: string;
  readonly mergeKey: string | undefined;
  readonly target: SendTarget;
  request: SipRequest | undefined;
  /** The most characters of a response while the sender is unauthenticated; refusals are then sent once. */
  limit: number | undefined;
  /** A 100 (Trying) was due while the sender was unauthenticated. */
  owesTrying: boolean;
  user: ServerUser | undefined;
  machine:
    | { readonly kind: 'invite'; state: InviteServerState }
    | { readonly kind: 'non-invite'; state: NonInviteServerState };
  readonly timers: WheelTimer<TimerOwner>[];
}

/** Owner of a timer on the wheel; each owner dispatches its timers by key. */
export interface TimerOwner {
  readonly side: 'client' | 'server' | 'leg' | 'deferred';
}

/** The transactions of a user agent: keeps them by key, runs their machines and carries out their effects. */
export interface TransactionTable {
  startClient(
    key: string,
    request: SipRequest,
    text: string,
    route: Route,
    user: ClientUser,
  ): ClientTransaction;
  findClient(key: string): ClientTransaction | undefined;
  stepClient(transaction: ClientTransaction, input: ClientInput): void;
  startServer(
    key: string,
    mergeKey: string | undefined,
    request: SipRequest,
    target: SendTarget,
    reliable: boolean,
  ): ServerTransaction;
  findServer(key: string): ServerTransaction | undefined;
  /** Its answer comes later: after 64*T1 without one the transaction ends, so that a forgotten answer leaks nothing. */
  awaitAnswer(transaction: ServerTransaction): void;
  /** Whether another transaction serves a copy of the same request (RFC 3261 §8.2.2.2). */
  isMerged(mergeKey: string, key: string): boolean;
  stepServer(transaction: ServerTransaction, input: InviteServerInput, ack?: SipRequest): void;
  timerFired(owner: ClientTransaction | ServerTransaction, key: string): void;
  /** A connection is closed: the client transactions on it fail. */
  flowClosed(flow: string): void;
  size(): number;
  clear(): void;
}

/** The parts of the user agent that the table needs. */
export interface TransactionTableDeps {
  readonly durations: TimerDurations;
  readonly counters: UserAgentCounters;
  now(): number;
  send(target: SendTarget, text: string): void;
  startTimer(owner: TimerOwner, key: string, at: number): WheelTimer<TimerOwner>;
  cancelTimer(timer: WheelTimer<TimerOwner>): void;
}

/** An empty table. */
export function createTransactionTable(deps: TransactionTableDeps): TransactionTable {
  const clients = new Map<string, ClientTransaction>();
  const servers = new Map<string, ServerTransaction>();
  const merges = new Map<string, string>();
  const byFlow = new Map<string, Set<ClientTransaction>>();
  const reliableSetting: TransactionSetting = { reliable: true, timers: deps.durations };
  const unreliableSetting: TransactionSetting = { reliable: false, timers: deps.durations };

  function startTimer(owner: ClientTransaction | ServerTransaction, key: TransactionTimer, at: number): void {
    cancelTimer(owner, key);
    owner.timers.push(deps.startTimer(owner, key, at));
  }

  function cancelTimer(owner: ClientTransaction | ServerTransaction, key: TransactionTimer): void {
    const index = owner.timers.findIndex((timer) => timer.key === key);
    if (index >= 0) deps.cancelTimer(owner.timers.splice(index, 1)[0]!);
  }

  function stopTimers(owner: ClientTransaction | ServerTransaction): void {
    for (const timer of owner.timers) deps.cancelTimer(timer);
    owner.timers.length = 0;
  }

  function count(failure: TransactionFailure): void {
    if (failure === 'timeout') deps.counters.timeouts += 1;
    else deps.counters.transportFailures += 1;
  }

  function performShared(owner: ClientTransaction | ServerTransaction, effect: TransactionEffect): void {
    switch (effect.do) {
      case 'send':
        // Empty: an answer above the limit of an unauthenticated sender.
        if (effect.text !== '') deps.send(owner.target, effect.text);
        return;
      case 'start-timer':
        startTimer(owner, effect.key, effect.at);
        return;
      case 'cancel-timer':
        cancelTimer(owner, effect.key);
        return;
      case 'report':
        count(effect.failure);
        owner.user?.failed(effect.failure);
        return;
      case 'terminate':
        stopTimers(owner);
        owner.side === 'client' ? forgetClient(owner) : forgetServer(owner);
        return;
    }
  }

  function forgetClient(transaction: ClientTransaction): void {
    if (!clients.delete(transaction.key)) return;
    if (transaction.flow !== undefined) {
      const onFlow = byFlow.get(transaction.flow);
      onFlow?.delete(transaction);
      if (onFlow?.size === 0) byFlow.delete(transaction.flow);
    }
    transaction.user.terminated();
  }

  function forgetServer(transaction: ServerTransaction): void {
    servers.delete(transaction.key);
    forgetMerge(transaction);
  }

  function forgetMerge({ key, mergeKey }: ServerTransaction): void {
    if (mergeKey !== undefined && merges.get(mergeKey) === key) merges.delete(mergeKey);
  }

  function performClient(transaction: ClientTransaction, effects: readonly ClientEffect[]): void {
    for (const effect of effects) {
      if (effect.do === 'deliver') transaction.user.response(effect.response);
      else performShared(transaction, effect);
    }
  }

  function performServer(
    transaction: ServerTransaction,
    effects: readonly InviteServerEffect[],
    ack: SipRequest | undefined,
  ): void {
    for (const effect of effects) {
      if (effect.do === 'trying-due') transaction.user?.tryingDue();
      else if (effect.do === 'deliver-ack') {
        if (ack !== undefined) transaction.user?.acknowledged(ack);
      } else performShared(transaction, effect);
    }
  }

  function stepClient(transaction: ClientTransaction, input: ClientInput): void {
    const { machine } = transaction;
    if (machine.kind === 'invite') {
      const step: Step<InviteClientState, ClientEffect> = stepInviteClient(machine.state, input, deps.now());
      machine.state = step.state;
      performClient(transaction, step.effects);
    } else {
      const step = stepNonInviteClient(machine.state, input, deps.now());
      machine.state = step.state;
      performClient(transaction, step.effects);
    }
  }

  function stepServer(transaction: ServerTransaction, input: InviteServerInput, ack?: SipRequest): void {
    const { machine } = transaction;
    // RFC 3261 §8.1.3.5 demands a new CSeq with credentials. A proxy that answers for a phone cannot change it; its retry is no copy.
    if (input.type === 'respond' && (input.status === 401 || input.status === 407)) forgetMerge(transaction);
    if (machine.kind === 'invite') {
      const step = stepInviteServer(machine.state, input, deps.now());
      machine.state = step.state;
      // After a final response only "accepted" still reports ACKs and failures.
      if (input.type === 'respond' && input.status >= 200) transaction.request = undefined;
      if (input.type === 'respond' && input.status >= 300) transaction.user = undefined;
      performServer(transaction, step.effects, ack);
    } else if (input.type !== 'ack') {
      const step = stepNonInviteServer(machine.state, input, deps.now());
      machine.state = step.state;
      if (input.type === 'respond' && input.status >= 200) {
        transaction.request = undefined;
        transaction.user = undefined;
      }
      performServer(transaction, step.effects, undefined);
    }
  }

  return {
    startClient(key, request, text, route, user) {
      const setting = route.reliable ? reliableSetting : unreliableSetting;
      const isInvite = request.method === 'INVITE';
      const step = isInvite
        ? startInviteClient(request, text, setting, deps.now())
        : startNonInviteClient(text, setting, deps.now());
      const flow = route.reliable && 'flow' in route.target ? route.target.flow : undefined;
      const machine = isInvite
        ? { kind: 'invite' as const, state: step.state as InviteClientState }
        : { kind: 'non-invite' as const, state: step.state as NonInviteClientState };
      const { target } = route;
      const transaction: ClientTransaction = {
        side: 'client',
        key,
        request,
        target,
        user,
        flow,
        machine,
        timers: [],
      };
      clients.set(key, transaction);
      if (flow !== undefined) {
        const onFlow = byFlow.get(flow);
        if (onFlow) onFlow.add(transaction);
        else byFlow.set(flow, new Set([transaction]));
      }
      performClient(transaction, step.effects);
      return transaction;
    },
    findClient: (key) => clients.get(key),
    stepClient,
    startServer(key, mergeKey, request, target, reliable) {
      const setting = reliable ? reliableSetting : unreliableSetting;
      const isInvite = request.method === 'INVITE';
      const step = isInvite ? startInviteServer(setting, deps.now()) : undefined;
      const transaction: ServerTransaction = {
        side: 'server',
        key,
        mergeKey,
        target,
        request,
        limit: undefined,
        owesTrying: false,
        user: undefined,
        machine: step
          ? { kind: 'invite', state: step.state }
          : { kind: 'non-invite', state: startNonInviteServer(setting) },
        timers: [],
      };
      servers.set(key, transaction);
      if (mergeKey !== undefined && !merges.has(mergeKey)) merges.set(mergeKey, key);
      if (step) performServer(transaction, step.effects, undefined);
      return transaction;
    },
    findServer: (key) => servers.get(key),
    awaitAnswer: (transaction) => startTimer(transaction, 'unanswered', deps.now() + 64 * deps.durations.t1),
    isMerged(mergeKey, key) {
      const other = merges.get(mergeKey);
      return other !== undefined && other !== key;
    },
    stepServer,
    timerFired(owner, key) {
      const timer = key as TransactionTimer;
      const index = owner.timers.findIndex((each) => each.key === key);
      if (index >= 0) owner.timers.splice(index, 1);
      if (owner.side === 'client') stepClient(owner, { type: 'timer-fired', key: timer });
      else stepServer(owner, { type: 'timer-fired', key: timer });
    },
    flowClosed(flow) {
      for (const transaction of [...(byFlow.get(flow) ?? [])])
        stepClient(transaction, { type: 'transport-failed' });
    },
    size: () => clients.size + servers.size,
    clear() {
      clients.clear();
      servers.clear();
      merges.clear();
      byFlow.clear();
    },
  };
}
