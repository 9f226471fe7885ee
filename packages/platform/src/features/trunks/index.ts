import type { RouteGroup } from '../../http/index.ts';
import type { Outbox } from '../../kernel/outbox.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Database, Migration, Write } from '../../ports/database.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Trunks } from '../../ports/trunks.ts';
import { createTrunkAccess } from './access.ts';
import { passOnAllOf, removeAllOf } from './deletion.ts';
import { trunksTables } from './migrations/0001-trunks.ts';
import { createRefusedCalls } from './refused-calls.ts';
import { trunkingRoutes } from './routes.ts';
import { createTrunkStore } from './store.ts';

export interface TrunksDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
  /** SIP domains that we serve; the first is the realm of digest, and trunks have their domains below it. */
  readonly domains: readonly [string, ...string[]];
  /** Takes what the feed is told; absent where nobody is told of anything. */
  readonly outbox?: Pick<Outbox, 'appendEvents' | 'wake'>;
}

export interface TrunksFeature {
  readonly routes: RouteGroup;
  readonly migrations: readonly Migration[];
  /** For signalling: who may call through a trunk. */
  readonly trunks: Trunks;
  /** What becomes of trunks and their parts when a subaccount is deleted; for the accounts feature. */
  readonly resources: {
    remove(write: Write, account: string): Promise<void>;
    passOn(write: Write, account: string, main: string): Promise<void>;
  };
}

/** Trunks, and the credentials, address lists and origination URIs that they are made of. */
export function createTrunks(given: TrunksDeps): TrunksFeature {
  const deps = { ...given, store: createTrunkStore(given.database), realm: given.domains[0] };
  const { database, clock, log, outbox } = given;
  return {
    routes: trunkingRoutes(deps),
    migrations: [trunksTables],
    trunks: {
      accessOf: createTrunkAccess(database, clock),
      refused: outbox === undefined ? () => {} : createRefusedCalls({ database, clock, log, outbox }),
    },
    resources: {
      remove: (write, account) => removeAllOf(deps, write, account),
      passOn: (write, account, main) => passOnAllOf(deps, write, account, main),
    },
  };
}
