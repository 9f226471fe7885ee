import type { Database, Migration } from '@jackfield/ports';
import type { AccountResources, Feature } from '../../feature.ts';
import type { RouteGroup } from '../../http/index.ts';
import type { CommandDeps } from './commands.ts';
import { numbersTable } from './migrations/0001-numbers.ts';
import { numberRoutes } from './routes.ts';
import { createDestinations, type DestinationDeps, type NumberDestinations } from './routing/destinations.ts';
import { searchNumbers } from './search-queries.ts';
import { createNumberStore } from './store.ts';

interface NumbersDeps
  extends Pick<CommandDeps, 'applications' | 'isWithin'>,
    Omit<DestinationDeps, 'inboundTrunks'> {
  readonly database: Database;
  readonly inboundTrunks: CommandDeps['inboundTrunks'] & DestinationDeps['inboundTrunks'];
}

interface NumbersFeature extends Feature {
  readonly routes: readonly RouteGroup[];
  readonly migrations: readonly Migration[];
  readonly destinations: NumberDestinations;
  /** What becomes of numbers when a subaccount is deleted; for the accounts feature. */
  readonly resources: AccountResources;
}

/** Numbers of the public network, and the destinations of calls to them. */
export function createNumbers(given: NumbersDeps): NumbersFeature {
  const store = createNumberStore(given.database);
  return {
    name: 'numbers',
    routes: [numberRoutes({ ...given, store })],
    migrations: [numbersTable],
    search: searchNumbers(store),
    destinations: createDestinations(given),
    resources: {
      // They go back to the main account, without their destinations.
      remove: (write, account) => store.passOn(write, account, { app_id: null, trunk_id: null }),
      passOn: (write, account) => store.passOn(write, account),
    },
  };
}
