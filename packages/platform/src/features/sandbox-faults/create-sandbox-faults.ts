import type { Clock } from '@jackfield/ports';
import type { Feature } from '../../feature.ts';
import { sandboxFaultRoutes } from './routes.ts';
import type { CurrentFaults } from './switches/current-faults.ts';

/** The phones of the sandbox, as far as faults concern them. */
export interface FaultyNetwork {
  /** `refusal` is asked at each call to a phone: the SIP status with which it is refused; undefined without a fault. */
  refuseWith(refusal: () => number | undefined): void;
}

export interface SandboxFaultsDeps {
  readonly clock: Clock;
  readonly faults: CurrentFaults;
  readonly network: FaultyNetwork;
}

/** RFC 3261 §21.5.4: a carrier that has no line left. */
const serviceUnavailable = 503;
/** RFC 3261 §21.4.26: no codec of the offer can be used. */
const notAcceptableHere = 488;

/** Switches that make the simulated public network fail. */
export function createSandboxFaults({ clock, faults, network }: SandboxFaultsDeps): Feature {
  let operator: string | undefined;
  network.refuseWith(() => {
    if (faults.isOn('carrier-busy')) return serviceUnavailable;
    return faults.isOn('codec-loss') ? notAcceptableHere : undefined;
  });
  return {
    name: 'sandbox-faults',
    routes: [sandboxFaultRoutes({ clock, faults, operator: () => operator })],
    open(account) {
      operator = account;
    },
  };
}
