import type { Database, Logger, Sms, SmsReceipt } from '@jackfield/ports';
import type { SessionInput } from '../domain/session.ts';
import { findByMessage } from '../store.ts';

export interface ReceiptDeps {
  readonly database: Database;
  readonly log: Logger;
  readonly sms: Pick<Sms, 'listen'>;
}

/** Receipts without a known attempt; beyond this the oldest are dropped. */
const maxWaiting = 10_000;

/**
 * Matches receipts to attempts by the gateway's name of the message. A receipt may arrive before that name is stored: the later
 * of the two, receipt or name, makes the match.
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
      (err: unknown) => log.error({ err, message }, 'attempt of a receipt could not be read'),
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
