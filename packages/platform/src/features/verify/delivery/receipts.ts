import {
  type Clock,
  type Database,
  everyone,
  jsonBody,
  type Logger,
  readJsonBody,
  type Sms,
  type SmsReceipt,
} from '@jackfield/ports';
import type { ClusterNodes } from '../../../kernel/cluster-nodes.ts';
import { tokenOf } from '../../../kernel/incarnation.ts';
import type { SessionInput } from '../domain/session.ts';
import { findByMessage } from '../store.ts';

export interface ReceiptDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sms: Pick<Sms, 'listen'>;
  readonly runner: { readonly incarnation: number };
  /** Left out where one process owns the database. */
  readonly nodes?: Pick<ClusterNodes, 'request' | 'serve' | 'peers'>;
}

export interface Receipts {
  /** The gateway's name of a message is stored. */
  match(session: string, attempt: string, message: string): void;
  /** Forgets the receipts that have not reached their session. */
  close(): void;
}

/** Receipts without a known attempt; beyond this the oldest are dropped. */
const maxWaiting = 10_000;
/** A dead node has a successor long before the last try. */
const tries = 15;
const againMs = 2_000;
const deadlineMs = 2_000;
const givenSubject = 'verify-receipt';
const unmatchedSubject = 'verify-unmatched-receipt';

/**
 * Matches receipts to attempts by the gateway's name of the message. A receipt may arrive before that name is stored: the later
 * of the two, receipt or name, makes the match. It may arrive at any node, and goes to the one where the session lives; without a known
 * attempt it goes to all, because the name is stored at one of them.
 */
export function createReceipts(
  { database, clock, log, sms, runner, nodes }: ReceiptDeps,
  send: (session: string, input: SessionInput) => void,
): Receipts {
  const waiting = new Map<string, SmsReceipt>();
  const again = new Set<() => void>();
  let isClosed = false;

  function give(session: string, attempt: string, receipt: SmsReceipt): void {
    const { status, errorCode } = receipt;
    send(session, { type: 'receipt', attempt, status, errorCode });
  }

  /** Where the receipt came in: gives it to its session, at whichever node that lives. */
  async function deliver(receipt: SmsReceipt, left = tries): Promise<void> {
    const { message } = receipt;
    try {
      const found = await keptUntilFound(receipt);
      if (found === 'matched') return;
      if (found === undefined) nodes?.peers.notify(everyone, unmatchedSubject, jsonBody(receipt));
      else if (found.incarnation === runner.incarnation) give(found.session, found.attempt, receipt);
      else await nodes?.request(tokenOf(found.incarnation), givenSubject, jsonBody(receipt), deadlineMs);
    } catch (err) {
      if (isClosed) return;
      if (left > 1) return tryAgain(receipt, left - 1);
      log.error({ err, message }, 'receipt of a message has not reached its session');
    }
  }

  function tryAgain(receipt: SmsReceipt, left: number): void {
    const cancel = clock.startTimer(clock.now() + againMs, () => {
      again.delete(cancel);
      void deliver(receipt, left);
    });
    again.add(cancel);
  }

  /** The attempt, if it is known; else the receipt waits for its name. `matched`: the name came meanwhile. */
  async function keptUntilFound(receipt: SmsReceipt) {
    const { message } = receipt;
    if (waiting.size >= maxWaiting) waiting.delete(waiting.keys().next().value!);
    waiting.set(message, receipt);
    const found = await findByMessage(database, message);
    if (waiting.get(message) !== receipt) return 'matched';
    if (found !== undefined) waiting.delete(message);
    return found;
  }

  sms.listen((receipt) => void deliver(receipt));

  nodes?.serve(givenSubject, async (body) => {
    const receipt = readJsonBody<SmsReceipt>(body);
    const found = await findByMessage(database, receipt.message);
    if (found !== undefined) give(found.session, found.attempt, receipt);
    return new Uint8Array();
  });
  nodes?.peers.listen(unmatchedSubject, (body) => {
    const receipt = readJsonBody<SmsReceipt>(body);
    keptUntilFound(receipt).then(
      (found) => {
        if (found === undefined || found === 'matched' || found.incarnation !== runner.incarnation) return;
        give(found.session, found.attempt, receipt);
      },
      (err: unknown) =>
        log.error({ err, message: receipt.message }, 'attempt of a receipt could not be read'),
    );
  });

  return {
    match(session, attempt, message) {
      const receipt = waiting.get(message);
      if (receipt === undefined) return;
      waiting.delete(message);
      give(session, attempt, receipt);
    },
    close() {
      isClosed = true;
      for (const cancel of again) cancel();
      again.clear();
    },
  };
}
