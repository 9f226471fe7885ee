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
  const timer = deps.startTimer(owner, key, at);
  timer.sibling = owner.timer;
  owner.timer = timer;
}

function cancelTransactionTimer(deps: TransactionDeps, owner: Transaction, key: TransactionTimer): void {
  const timer = forgetFiredTimer(owner, key);
  if (timer !== undefined) deps.cancelTimer(timer);
}

/** Stops all timers of an ended transaction. */
export function stopTransactionTimers(deps: TransactionDeps, owner: Transaction): void {
  for (let timer = owner.timer; timer !== undefined; timer = timer.sibling) deps.cancelTimer(timer);
  owner.timer = undefined;
}

/** A timer of the wheel fell due: its transaction no longer holds it. Returns the timer. */
export function forgetFiredTimer(owner: Transaction, key: string): WheelTimer<TimerOwner> | undefined {
  let later: WheelTimer<TimerOwner> | undefined;
  let timer = owner.timer;
  while (timer !== undefined && timer.key !== key) {
    later = timer;
    timer = timer.sibling;
  }
  if (timer === undefined) return undefined;
  if (later === undefined) owner.timer = timer.sibling;
  else later.sibling = timer.sibling;
  return timer;
}
