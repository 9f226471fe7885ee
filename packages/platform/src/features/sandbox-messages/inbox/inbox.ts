import type { Clock, Logger, Sms, SmsOrder, SmsOutcome, SmsReceipt } from '@jackfield/ports';
import type { MessageStore } from '../store.ts';

export interface InboxDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: MessageStore;
  /** How late the next message arrives; no delay when left out. */
  readonly lateMs?: () => number;
  /** Between a message and its receipt. */
  readonly receiptAfterMs?: number;
  /** How long the inbox keeps messages. */
  readonly keepMs?: number;
}

/** Numbers with these last digits have a fixed outcome (docs/guides/sandbox.md). */
const fates: Readonly<Record<string, 'failed' | 'undelivered' | 'none'>> = {
  '9901': 'failed',
  '9902': 'undelivered',
  '9903': 'none',
};
/** The error of a network, as in the SMPP receipt (3.4, appendix B). */
const errorCodes = { failed: 'REJECTD', undelivered: 'UNDELIV' } as const;

/** Accepts messages like a network: each has a receipt, at its time. */
export class Inbox implements Sms {
  readonly #deps: InboxDeps;
  readonly #pending = new Set<() => void>();
  #notify: ((receipt: SmsReceipt) => void) | undefined;

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  async send({ id, account, mainAccount, from, to, text }: SmsOrder): Promise<SmsOutcome> {
    const { clock, log, store, lateMs, receiptAfterMs = 200, keepMs = 7 * 86_400_000 } = this.#deps;
    const late = lateMs?.() ?? 0;
    const receiptAt = fates[to.slice(-4)] === 'none' ? null : clock.now() + late + receiptAfterMs;
    const message = {
      message_uuid: id,
      account,
      main_account: mainAccount,
      sender: from ?? '',
      recipient: to,
      text,
      status: 'sent',
      // Of its arrival: until then the inbox does not show it.
      created_at: clock.wallNow() + late,
      receipt_at: receiptAt,
    } as const;
    try {
      const isNew = await store.insert(message, clock.wallNow() - keepMs);
      if (isNew && receiptAt !== null) this.#giveReceipt(id, to, receiptAt);
      return { accepted: true, message: id };
    } catch (err) {
      log.error({ message: id, code: (err as { code?: unknown }).code }, 'sandbox inbox failed');
      return { accepted: false, errorCode: 'inbox-failed' };
    }
  }

  listen(listener: (receipt: SmsReceipt) => void): void {
    this.#notify = listener;
  }

  /** Sends the outstanding receipts of a process that ended. */
  async endIncarnation(number: number): Promise<void> {
    const { clock, store } = this.#deps;
    for (const { message_uuid, recipient, receipt_at } of await store.adoptDue(number)) {
      this.#giveReceipt(message_uuid, recipient, receipt_at ?? clock.now());
    }
  }

  close(): void {
    for (const cancel of this.#pending) cancel();
    this.#pending.clear();
  }

  #giveReceipt(message: string, to: string, at: number): void {
    const { clock, log, store } = this.#deps;
    const cancel = clock.startTimer(at, () => {
      this.#pending.delete(cancel);
      const fate = fates[to.slice(-4)];
      const status = fate === 'failed' || fate === 'undelivered' ? fate : 'delivered';
      const errorCode = status === 'delivered' ? null : errorCodes[status];
      store.settle(message, status).then(
        () => this.#notify?.({ message, status, errorCode }),
        (err: unknown) => log.error({ err, message }, 'receipt of the sandbox could not be written'),
      );
    });
    this.#pending.add(cancel);
  }
}
