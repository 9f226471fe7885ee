import type { SipRequest } from '../message/message.ts';
import type { ClientEffect, ClientInput, Step, TransactionTimer } from '../transaction/effects.ts';
import { type InviteClientState, startInviteClient, stepInviteClient } from '../transaction/invite-client.ts';
import {
  type NonInviteClientState,
  startNonInviteClient,
  stepNonInviteClient,
} from '../transaction/non-invite-client.ts';
import type { TransactionSetting } from '../transaction/timers.ts';
import type { Route } from './send-target.ts';
import {
  forgetFiredTimer,
  performShared,
  stopTransactionTimers,
  type TransactionDeps,
} from './transaction-effects.ts';
import type { ClientTransaction, ClientUser } from './transactions.ts';

/** The client transactions of a user agent, by key and by connection: runs their machines and carries out their effects. */
export class ClientTransactions {
  readonly #deps: TransactionDeps;
  readonly #byKey = new Map<string, ClientTransaction>();
  readonly #byFlow = new Map<string, Set<ClientTransaction>>();
  readonly #reliable: TransactionSetting;
  readonly #unreliable: TransactionSetting;

  constructor(deps: TransactionDeps) {
    this.#deps = deps;
    this.#reliable = { reliable: true, timers: deps.durations };
    this.#unreliable = { reliable: false, timers: deps.durations };
  }

  get size(): number {
    return this.#byKey.size;
  }

  find(key: string): ClientTransaction | undefined {
    return this.#byKey.get(key);
  }

  start(key: string, request: SipRequest, text: string, route: Route, user: ClientUser): ClientTransaction {
    const setting = route.reliable ? this.#reliable : this.#unreliable;
    const isInvite = request.method === 'INVITE';
    const step = isInvite
      ? startInviteClient(request, text, setting, this.#deps.now())
      : startNonInviteClient(text, setting, this.#deps.now());
    const flow = route.reliable && 'flow' in route.target ? route.target.flow : undefined;
    const machine = isInvite
      ? { kind: 'invite' as const, state: step.state as InviteClientState }
      : { kind: 'non-invite' as const, state: step.state as NonInviteClientState };
    const { target } = route;
    const transaction: ClientTransaction = {
      side: 'client',
      key,
      target,
      user,
      flow,
      machine,
      timer: undefined,
    };
    this.#byKey.set(key, transaction);
    if (flow !== undefined) {
      const onFlow = this.#byFlow.get(flow);
      if (onFlow) onFlow.add(transaction);
      else this.#byFlow.set(flow, new Set([transaction]));
    }
    this.#perform(transaction, step.effects);
    return transaction;
  }

  step(transaction: ClientTransaction, input: ClientInput): void {
    const { machine } = transaction;
    const now = this.#deps.now();
    if (machine.kind === 'invite') {
      const step: Step<InviteClientState, ClientEffect> = stepInviteClient(machine.state, input, now);
      machine.state = step.state;
      this.#perform(transaction, step.effects);
    } else {
      const step = stepNonInviteClient(machine.state, input, now);
      machine.state = step.state;
      this.#perform(transaction, step.effects);
    }
  }

  timerFired(transaction: ClientTransaction, key: TransactionTimer): void {
    forgetFiredTimer(transaction, key);
    this.step(transaction, { type: 'timer-fired', key });
  }

  /** A connection is closed: the transactions on it fail. */
  flowClosed(flow: string): void {
    for (const transaction of [...(this.#byFlow.get(flow) ?? [])])
      this.step(transaction, { type: 'transport-failed' });
  }

  clear(): void {
    this.#byKey.clear();
    this.#byFlow.clear();
  }

  #perform(transaction: ClientTransaction, effects: readonly ClientEffect[]): void {
    for (const effect of effects) {
      if (effect.do === 'deliver') transaction.user.response(effect.response);
      else if (effect.do === 'terminate') this.#forget(transaction);
      else performShared(this.#deps, transaction, effect);
    }
  }

  #forget(transaction: ClientTransaction): void {
    stopTransactionTimers(this.#deps, transaction);
    if (!this.#byKey.delete(transaction.key)) return;
    if (transaction.flow !== undefined) {
      const onFlow = this.#byFlow.get(transaction.flow);
      onFlow?.delete(transaction);
      if (onFlow?.size === 0) this.#byFlow.delete(transaction.flow);
    }
    transaction.user.terminated();
  }
}
