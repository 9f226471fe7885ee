import type { OperatedCarrier, OperatedGateway } from '@jackfield/contract/console';
import type { Clock, SourceBans } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import type { ListedRates } from '../usage/index.ts';
import { createCurrentBans } from './bans/current-bans.ts';
import { operatorRoutes } from './routes.ts';

export interface OperatorViewDeps {
  readonly clock: Clock;
  /** The operator's account, which is the first; undefined before it is known. */
  readonly operator: () => string | undefined;
  readonly carriers: () => readonly OperatedCarrier[];
  readonly rates: ListedRates;
}

export interface OperatorViewFeature extends Feature {
  /** For signalling, together with the reports of bans. */
  readonly bans: SourceBans;
  /** Called once, before the first request: gateways are created after the signalling ports. */
  follow(gateways: () => readonly OperatedGateway[]): void;
}

/** What the operator of the installation sees beyond an account: carriers, gateways, rates and banned sources. */
export function createOperatorView({
  clock,
  operator,
  carriers,
  rates,
}: OperatorViewDeps): OperatorViewFeature {
  const bans = createCurrentBans(clock);
  let gateways: () => readonly OperatedGateway[] = () => [];
  return {
    name: 'operator-view',
    bans,
    routes: [operatorRoutes({ operator, carriers, gateways: () => gateways(), rates, bans: bans.list })],
    follow(states) {
      gateways = states;
    },
  };
}
