import type { Database, InboundTrunk, Migration, Write } from '@jackfield/ports';
import type { RouteGroup } from '../../http/index.ts';
import type { CommandDeps } from './commands.ts';
import { createDestinations, type NumberDestinations } from './destinations.ts';
import { numbersTable } from './migrations/0001-numbers.ts';
import { numberRoutes } from './routes.ts';
import { createNumberStore } from './store.ts';

export { attachedNumbers } from './destinations.ts';

export interface NumbersDeps extends Pick<CommandDeps, 'applications' | 'inboundTrunks' | 'isWithin'> {
  readonly database: Database;
  /** Where an inbound trunk takes a call for a number right now. */
  readonly trunkOf: (trunkId: string, number: string) => Promise<InboundTrunk | undefined>;
}

export interface NumbersFeature {
  readonly routes: RouteGroup;
  readonly migrations: readonly Migration[];
  readonly destinations: NumberDestinations;
  /** What becomes of numbers when a subaccount is deleted; for the accounts feature. */
  readonly resources: {
    remove(write: Write, account: string): Promise<void>;
    passOn(write: Write, account: string, main: string): Promise<void>;
  };
}

/** Numbers of the public network, and what takes calls to them. */
export function createNumbers(given: NumbersDeps): NumbersFeature {
  const store = createNumberStore(given.database);
  return {
    routes: numberRoutes({ ...given, store }),
    migrations: [numbersTable],
    destinations: createDestinations(given.database, given.trunkOf),
    resources: {
      // They were the main account's before, and go back to it; what took their calls is gone.
      // They go back to the main account, without their destinations.
      remove: (write, account) => store.passOn(write, account, { app_id: null, trunk_id: null }),
      passOn: (write, account) => store.passOn(write, account),
    },
  };
}
