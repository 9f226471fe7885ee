import type { OperatedGateway } from '@jackfield/contract/console';
import type { Database, Migration, Sms } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { EndedIncarnation } from '../../kernel/incarnation.ts';
import type { SessionRunner } from '../../kernel/session-runner.ts';
import { Inbox, type InboxDeps } from './inbox/inbox.ts';
import { sandboxMessagesTable } from './migrations/0001-sandbox-messages.ts';
import { sandboxMessageIncarnation } from './migrations/0002-incarnation.ts';
import { messageRoutes } from './routes.ts';
import { createMessageStore } from './store.ts';

export interface SandboxMessagesDeps extends Omit<InboxDeps, 'store'> {
  readonly database: Database;
  readonly runner?: Pick<SessionRunner, 'incarnation'>;
}

export interface SandboxMessagesFeature extends Feature {
  readonly sms: Sms;
  /** The inbox as a gateway of the operator. */
  states(): readonly OperatedGateway[];
  readonly migrations: readonly Migration[];
  readonly routes: readonly RouteGroup[];
  readonly resources: AccountResources;
  /** Sends its outstanding receipts; after `listen`. */
  endIncarnation(ended: Pick<EndedIncarnation, 'number'>): Promise<void>;
  close(): void;
}

/** The inbox of the sandbox: stores every message, and sends receipts like a network. */
export function createSandboxMessages(deps: SandboxMessagesDeps): SandboxMessagesFeature {
  const store = createMessageStore(deps.database, deps.runner?.incarnation);
  const inbox = new Inbox({ ...deps, store });
  return {
    name: 'sandbox-messages',
    migrations: [sandboxMessagesTable, sandboxMessageIncarnation],
    routes: [messageRoutes(store, deps.clock)],
    resources: { remove: store.remove, passOn: store.passOn },
    sms: inbox,
    states: () => [{ name: 'sandbox-inbox', kind: 'sandbox-inbox', state: 'connected', problem: null }],
    endIncarnation: ({ number }) => inbox.endIncarnation(number),
    close: () => inbox.close(),
  };
}
