import type { TransactionEffect, TransactionTimer } from '../transaction/effects.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import type { UserAgentCounters } from './counters.ts';
import type { SendTarget } from './send-target.ts';
import type { WheelTimer } from './timer-wheel.ts';
import type { ClientTransaction, ServerTransaction, TimerOwner } from './transactions.ts';

/** The parts of the user agent that transactions need. */
export interface TransactionDeps {
  readonly durations: TimerDurations;
  readonly counters: UserAgentCounters;
  now(): number;
  send(target: SendTarget, text: string): void;
  startTimer(owner: TimerOwner, key: string, at: number): WheelTimer<TimerOwner>;
  cancelTimer(timer: WheelTimer<TimerOwner>): void;
}

type Transaction = ClientTransaction | ServerTransaction;

/** Carries out an effect that client and server transactions share, except the removal of an ended one from its table. */
export function performShared(
  deps: TransactionDeps,
  owner: Transaction,
  effect: Exclude<TransactionEffect, { readonly do: 'terminate' }>,
): void {
  switch (effect.do) {
    case 'send':
      // Empty: an answer above the limit of an unauthenticated sender.
      if (effect.text !== '') deps.send(owner.target, effect.text);
      return;
    case 'start-timer':
      startTransactionTimer(deps, owner, effect.key, effect.at);
      return;
    case 'cancel-timer':
      cancelTransactionTimer(deps, owner, effect.key);
      return;
    case 'report':
      if (effect.failure === 'timeout') deps.counters.timeouts += 1;
      else deps.counters.transportFailures += 1;
      owner.user?.failed(effect.failure);
      return;
  }
}

/** Starts a timer of a transaction; one with the same key is replaced. */
export function startTransactionTimer(
  deps: TransactionDeps,
  owner: Transaction,
  key: TransactionTimer,
  at: number,
): void {
  cancelTransactionTimer(deps, owner, key);
  // Not `push`, which reserves space for sixteen more.
  owner.timers = owner.timers.concat(deps.startTimer(owner, key, at));
}

function cancelTransactionTimer(deps: TransactionDeps, owner: Transaction, key: TransactionTimer): void {
  const timer = owner.timers.find((each) => each.key === key);
  if (timer === undefined) return;
  deps.cancelTimer(timer);
  forgetFiredTimer(owner, key);
}

/** Stops all timers of an ended transaction. */
export function stopTransactionTimers(deps: TransactionDeps, owner: Transaction): void {
  for (const timer of owner.timers) deps.cancelTimer(timer);
  owner.timers = [];
}

/** A timer of the wheel fell due: its transaction no longer holds it. */
export function forgetFiredTimer(owner: Transaction, key: string): void {
  const index = owner.timers.findIndex((each) => each.key === key);
  if (index >= 0) owner.timers = owner.timers.toSpliced(index, 1);
}
