import type { Clock, Database, Logger, Migration, Sms, SmsReceipt } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import { sandboxMessagesTable } from './migrations/0001-sandbox-messages.ts';
import { sandboxMessageIncarnation } from './migrations/0002-incarnation.ts';
import { messageRoutes } from './routes.ts';
import { createMessageStore } from './store.ts';

export interface SandboxMessagesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly runner?: Pick<SessionRunner, 'incarnation'>;
  /** How late the next message arrives; no delay when left out. */
  readonly lateMs?: () => number;
  /** Between a message and its receipt. */
  readonly receiptAfterMs?: number;
  /** How long the inbox keeps messages. */
  readonly keepMs?: number;
}

export interface SandboxMessagesFeature extends Feature {
  readonly sms: Sms;
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  /** Sends its outstanding receipts; after `listen`. */
  endIncarnation(ended: Pick<EndedIncarnation, 'number'>): Promise<void>;
  close(): void;
}

/** Numbers with these last digits have a fixed outcome (docs/guides/sandbox.md). */
const fates: Readonly<Record<string, 'failed' | 'undelivered' | 'none'>> = {
  '9901': 'failed',
  '9902': 'undelivered',
  '9903': 'none',
};
/** The error of a network, as in the SMPP receipt (3.4, appendix B). */
const errorCodes = { failed: 'REJECTD', undelivered: 'UNDELIV' } as const;

/** The inbox of the sandbox: stores every message, and sends receipts like a network. */
export function createSandboxMessages(deps: SandboxMessagesDeps): SandboxMessagesFeature {
  const { database, clock, log, lateMs = () => 0, receiptAfterMs = 200, keepMs = 7 * 86_400_000 } = deps;
  const store = createMessageStore(database, deps.runner?.incarnation);
  const pending = new Set<() => void>();
  let notify: ((receipt: SmsReceipt) => void) | undefined;

  function giveReceipt(message: string, to: string, at: number): void {
    const cancel = clock.startTimer(at, () => {
      pending.delete(cancel);
      const fate = fates[to.slice(-4)];
      const status = fate === 'failed' || fate === 'undelivered' ? fate : 'delivered';
      store.settle(message, status).then(
        () => notify?.({ message, status, errorCode: status === 'delivered' ? null : errorCodes[status] }),
        (err: unknown) => log.error({ err, message }, 'receipt of the sandbox could not be written'),
      );
    });
    pending.add(cancel);
  }

  return {
    name: 'sandbox-messages',
    migrations: [sandboxMessagesTable, sandboxMessageIncarnation],
    routes: [messageRoutes(store, clock)],
    resources: { remove: store.remove, passOn: store.passOn },
    sms: {
      async send({ id, account, mainAccount, from, to, text }) {
        const late = lateMs();
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
          if (isNew && receiptAt !== null) giveReceipt(id, to, receiptAt);
          return { accepted: true, message: id };
        } catch (err) {
          log.error({ message: id, code: (err as { code?: unknown }).code }, 'sandbox inbox failed');
          return { accepted: false, errorCode: 'inbox-failed' };
        }
      },
      listen(listener) {
        notify = listener;
      },
    },
    async endIncarnation({ number }) {
      for (const { message_uuid, recipient, receipt_at } of await store.adoptDue(number)) {
        giveReceipt(message_uuid, recipient, receipt_at ?? clock.now());
      }
    },
    close() {
      for (const cancel of pending) cancel();
      pending.clear();
    },
  };
}
