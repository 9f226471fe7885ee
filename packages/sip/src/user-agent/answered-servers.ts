import { isChallenge } from '../message/is-challenge.ts';
import type { SipRequest } from '../message/message.ts';
import type { InviteServerInput } from '../transaction/invite-server.ts';
import type { TransactionSetting } from '../transaction/timers.ts';
import { AnsweredTable } from './answered-table.ts';
import type { SendTarget } from './send-target.ts';
import { ServerTransactions, type ServerTransactionTable } from './server-transactions.ts';
import type { TransactionDeps } from './transaction-effects.ts';
import type { Deferred, ReceivedAck, ServerTransaction } from './transactions.ts';

/**
 * Server transactions of a registrar. Over UDP the "completed" state lasts 32 s (RFC 3261 §17.2.2), so nearly all of its transactions are in
 * it. Here they end with their answer, and a table keeps the answer for the copies of its request.
 */
export class AnsweredServers implements ServerTransactionTable {
  readonly #deps: TransactionDeps;
  readonly #servers: ServerTransactions;
  readonly #secret: () => readonly [number, number];
  /** Created with the first answer: a user agent that only calls has none. */
  #answered: AnsweredTable | undefined;
  /** Of a transaction whose answer goes into the table. */
  readonly #brief: TransactionSetting;
  readonly #expiry: Deferred = { side: 'deferred', call: () => this.#expire() };
  #isArmed = false;

  /** `secret`: two unpredictable numbers of 32 bits. */
  constructor(deps: TransactionDeps, secret: () => readonly [number, number]) {
    this.#deps = deps;
    this.#servers = new ServerTransactions(deps);
    this.#secret = secret;
    this.#brief = { reliable: true, timers: deps.durations };
  }

  get size(): number {
    return this.#servers.size + (this.#answered?.size ?? 0);
  }

  find(key: string): ServerTransaction | undefined {
    return this.#servers.find(key) ?? this.#completed(key);
  }

  start(
    key: string,
    mergeKey: string | undefined,
    request: SipRequest,
    target: SendTarget,
    reliable: boolean,
  ): ServerTransaction {
    const isBrief = !reliable && request.method !== 'INVITE' && 'flow' in target;
    return this.#servers.start(key, mergeKey, request, target, reliable, isBrief ? this.#brief : undefined);
  }

  awaitAnswer(transaction: ServerTransaction): void {
    this.#servers.awaitAnswer(transaction);
  }

  claim(mergeKey: string): boolean {
    return !this.#answered?.hasMerge(mergeKey) && this.#servers.claim(mergeKey);
  }

  step(transaction: ServerTransaction, input: InviteServerInput, ack?: ReceivedAck): void {
    if (input.type === 'respond' && input.status >= 200) this.#keep(transaction, input.status, input.text);
    this.#servers.step(transaction, input, ack);
    if (input.type === 'transport-failed') this.#answered?.remove(transaction.key);
  }

  timerFired(transaction: ServerTransaction, key: Parameters<ServerTransactions['timerFired']>[1]): void {
    this.#servers.timerFired(transaction, key);
  }

  clear(): void {
    this.#servers.clear();
    this.#answered = undefined;
  }

  #keep(transaction: ServerTransaction, status: number, text: string): void {
    const { kind, state, key, target, limit } = transaction;
    if (kind !== 'non-invite' || !('setting' in state) || state.setting !== this.#brief) return;
    const end = this.#deps.now() + 64 * this.#deps.durations.t1;
    // See `ServerTransactions.step`.
    const mergeKey = isChallenge(status) ? undefined : transaction.mergeKey;
    const flow = 'flow' in target ? target.flow : '';
    this.#answered ??= new AnsweredTable(this.#secret());
    if (!this.#answered.add({ key, mergeKey, flow, limit, text }, end)) {
      transaction.state = { ...state, setting: { ...this.#brief, reliable: false } };
    } else if (!this.#isArmed) this.#arm(end);
  }

  /** The transaction of an answered request, as it was. */
  #completed(key: string): ServerTransaction | undefined {
    const answered = this.#answered?.find(key);
    return (
      answered && {
        side: 'server',
        key,
        mergeKey: undefined,
        target: { flow: answered.flow },
        request: undefined,
        limit: answered.limit,
        owesTrying: false,
        user: undefined,
        timer: undefined,
        kind: 'non-invite',
        state: { phase: 'completed', last: answered.text },
      }
    );
  }

  #arm(at: number): void {
    this.#isArmed = true;
    this.#deps.startTimer(this.#expiry, '', at);
  }

  #expire(): void {
    this.#isArmed = false;
    const next = this.#answered?.expire(this.#deps.now());
    if (next !== undefined) this.#arm(next);
  }
}
