import { isChallenge } from '../message/is-challenge.ts';
import type { SipRequest } from '../message/message.ts';
import type { TransactionTimer } from '../transaction/effects.ts';
import {
  type InviteServerEffect,
  type InviteServerInput,
  startInviteServer,
  stepInviteServer,
} from '../transaction/invite-server.ts';
import { startNonInviteServer, stepNonInviteServer } from '../transaction/non-invite-server.ts';
import type { TransactionSetting } from '../transaction/timers.ts';
import type { SendTarget } from './send-target.ts';
import {
  forgetFiredTimer,
  performShared,
  startTransactionTimer,
  stopTransactionTimers,
  type TransactionDeps,
} from './transaction-effects.ts';
import type { ReceivedAck, ServerTransaction } from './transactions.ts';

/** The server transactions of a user agent. */
export type ServerTransactionTable = Pick<ServerTransactions, keyof ServerTransactions>;

/** Server transactions by key and by merge key: runs their machines and carries out their effects. */
export class ServerTransactions {
  readonly #deps: TransactionDeps;
  readonly #byKey = new Map<string, ServerTransaction>();
  readonly #merges = new Set<string>();
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

  find(key: string): ServerTransaction | undefined {
    return this.#byKey.get(key);
  }

  /** Starts a transaction; `mergeKey` is a key that it has claimed. `own` replaces the setting of its transport. */
  start(
    key: string,
    mergeKey: string | undefined,
    request: SipRequest,
    target: SendTarget,
    reliable: boolean,
    own?: TransactionSetting,
  ): ServerTransaction {
    const setting = own ?? (reliable ? this.#reliable : this.#unreliable);
    const step = request.method === 'INVITE' ? startInviteServer(setting, this.#deps.now()) : undefined;
    const transaction = {
      side: 'server',
      key,
      mergeKey,
      target,
      request,
      limit: undefined,
      owesTrying: false,
      user: undefined,
      timer: undefined,
      kind: step ? 'invite' : 'non-invite',
      state: step ? step.state : startNonInviteServer(setting),
    } as ServerTransaction;
    this.#byKey.set(key, transaction);
    if (step) this.#perform(transaction, step.effects, undefined);
    return transaction;
  }

  /** Its answer comes later: after 64*T1 without one the transaction ends, so that a forgotten answer leaks nothing. */
  awaitAnswer(transaction: ServerTransaction): void {
    const at = this.#deps.now() + 64 * this.#deps.durations.t1;
    startTransactionTimer(this.#deps, transaction, 'unanswered', at);
  }

  /** Claims a request for the transaction that starts next; false while another one serves a copy of it (RFC 3261 §8.2.2.2). */
  claim(mergeKey: string): boolean {
    const { size } = this.#merges;
    // One lookup instead of two.
    return this.#merges.add(mergeKey).size > size;
  }

  step(transaction: ServerTransaction, input: InviteServerInput, ack?: ReceivedAck): void {
    // RFC 3261 §8.1.3.5 demands a new CSeq with credentials. A proxy that answers for a phone cannot change it; its retry is no copy.
    if (input.type === 'respond' && isChallenge(input.status)) this.#forgetMerge(transaction);
    if (transaction.kind === 'invite') {
      const step = stepInviteServer(transaction.state, input, this.#deps.now());
      transaction.state = step.state;
      // After a final response only "accepted" still reports ACKs and failures.
      if (input.type === 'respond' && input.status >= 200) transaction.request = undefined;
      if (input.type === 'respond' && input.status >= 300) transaction.user = undefined;
      this.#perform(transaction, step.effects, ack);
    } else if (input.type !== 'ack') {
      const step = stepNonInviteServer(transaction.state, input, this.#deps.now());
      transaction.state = step.state;
      if (input.type === 'respond' && input.status >= 200) {
        transaction.request = undefined;
        transaction.user = undefined;
      }
      this.#perform(transaction, step.effects, undefined);
    }
  }

  timerFired(transaction: ServerTransaction, key: TransactionTimer): void {
    forgetFiredTimer(transaction, key);
    this.step(transaction, { type: 'timer-fired', key });
  }

  clear(): void {
    this.#byKey.clear();
    this.#merges.clear();
  }

  #perform(
    transaction: ServerTransaction,
    effects: readonly InviteServerEffect[],
    ack: ReceivedAck | undefined,
  ): void {
    for (const effect of effects) {
      if (effect.do === 'trying-due') transaction.user?.tryingDue();
      else if (effect.do === 'deliver-ack') {
        if (ack !== undefined) transaction.user?.acknowledged(ack);
      } else if (effect.do === 'terminate') this.#forget(transaction);
      else performShared(this.#deps, transaction, effect);
    }
  }

  #forget(transaction: ServerTransaction): void {
    stopTransactionTimers(this.#deps, transaction);
    this.#byKey.delete(transaction.key);
    this.#forgetMerge(transaction);
  }

  #forgetMerge(transaction: ServerTransaction): void {
    if (transaction.mergeKey !== undefined) this.#merges.delete(transaction.mergeKey);
    transaction.mergeKey = undefined;
  }
}
