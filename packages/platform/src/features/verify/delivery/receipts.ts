import type { Database, Logger, Sms, SmsReceipt } from '@jackfield/ports';
import type { SessionInput } from '../domain/session.ts';
import { findByMessage } from '../store.ts';

export interface ReceiptDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly sms: Pick<Sms, 'listen'>;
}

/** Receipts for which no attempt is known yet; beyond so many the oldest are given up. */
const maxWaiting = 10_000;

/**
 * Brings receipts to their attempts by the gateway's name of the message. One may be here before that name was written down: it
 * waits, and whoever is later, the receipt or the name, brings the two together.
 */
export function createReceipts(
  { database, log, sms }: ReceiptDeps,
  send: (session: string, input: SessionInput) => void,
): { match(session: string, attempt: string, message: string): void } {
  const waiting = new Map<string, SmsReceipt>();

  function give(session: string, attempt: string, receipt: SmsReceipt): void {
    const { status, errorCode } = receipt;
    send(session, { type: 'receipt', attempt, status, errorCode });
  }

  sms.listen((receipt) => {
    const { message } = receipt;
    if (waiting.size >= maxWaiting) waiting.delete(waiting.keys().next().value!);
    waiting.set(message, receipt);
    findByMessage(database, message).then(
      (found) => {
        if (found === undefined || waiting.get(message) !== receipt) return;
        waiting.delete(message);
        give(found.session, found.attempt, receipt);
      },
      (err: unknown) => log.error({ err, message }, 'A receipt could not be looked up.'),
    );
  });

  return {
    match(session, attempt, message) {
      const receipt = waiting.get(message);
      if (receipt === undefined) return;
      waiting.delete(message);
      give(session, attempt, receipt);
    },
  };
}
