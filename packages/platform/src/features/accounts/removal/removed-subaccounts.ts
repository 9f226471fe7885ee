import { type Clock, type Database, everyone, jsonBody, type Logger, readJsonBody } from '@jackfield/ports';
import type { AccountResources } from '../../../feature.ts';
import type { ClusterNodes } from '../../../kernel/cluster-nodes.ts';
import { type AccountsTables, existing } from '../store.ts';

export interface RemovedSubaccountsDeps {
  readonly database: Pick<Database, 'read'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly resources: readonly AccountResources[];
  /** Absent where one process owns the database. */
  readonly nodes?: Pick<ClusterNodes, 'peers'>;
}

/** What lives of subaccounts that were deleted with their resources. */
export interface RemovedSubaccounts {
  /** Ends it at this node, and at the others, which are not waited for. */
  removed(account: string): Promise<void>;
  /** Begins to look for what a lost notice has left at this node. */
  open(): void;
  close(): Promise<void>;
}

const subject = 'subaccount-removed';
/** A notice to a node that the bus does not reach is lost. */
const lookMs = 10_000;

export function createRemovedSubaccounts(deps: RemovedSubaccountsDeps): RemovedSubaccounts {
  const { database, clock, log, resources, nodes } = deps;
  let cancelLook: (() => void) | undefined;
  let isClosed = false;
  let looking: Promise<void> = Promise.resolve();

  async function endLive(account: string): Promise<void> {
    for (const each of resources) await each.endLive?.(account);
  }

  /** The records say which account still owns a live call: those of an account that has passed them on name another one. */
  async function look(): Promise<void> {
    const listed = await Promise.all(resources.map((each) => each.liveSubaccounts?.() ?? []));
    const owners = listed.flat();
    if (owners.length === 0) return;
    const present = await existing(database.read.withTables<AccountsTables>(), owners);
    for (const account of owners) if (!present.includes(account)) await endLive(account);
  }

  function lookLater(): void {
    if (isClosed) return;
    cancelLook = clock.startTimer(clock.now() + lookMs, () => {
      looking = look()
        .catch((err: unknown) => log.warn({ err }, 'live calls of deleted subaccounts could not be read'))
        .finally(lookLater);
    });
  }

  nodes?.peers.listen(subject, (body) => {
    endLive(readJsonBody<string>(body)).catch((err: unknown) =>
      log.warn({ err }, 'live calls of a deleted subaccount could not be ended yet'),
    );
  });

  return {
    async removed(account) {
      nodes?.peers.notify(everyone, subject, jsonBody(account));
      await endLive(account);
    },
    open() {
      if (nodes !== undefined) lookLater();
    },
    async close() {
      isClosed = true;
      cancelLook?.();
      await looking;
    },
  };
}
