import type { CallRoutes, DialTarget, TargetFailure } from '@jackfield/ports';

/** An origination URI that did not take a call; it went on to the next one, if there is one. */
export interface FailedTarget extends TargetFailure {
  readonly target: DialTarget;
  readonly isPrimary: boolean;
}

/** So long a URI may be silent before the call goes to the next one: what carriers are given (docs/decisions/0014-carriers.md). */
const silentMs = 8_000;

/** The origination URIs of an inbound trunk are tried one after another. */
export function createTrunkRoutes(failed: (leg: string, failure: FailedTarget) => void): CallRoutes {
  return {
    owner: 'trunks',
    routeOf({ leg, targets }) {
      if (targets[0]?.trunk === undefined) return undefined;
      const last = targets.length - 1;
      return {
        // The last one may be as silent as the ring timeout of the call allows.
        targets: targets.map((target, at) =>
          at < last ? { target, ringingWithinMs: silentMs } : { target },
        ),
        failed: (at, failure) => failed(leg, { target: targets[at]!, isPrimary: at === 0, ...failure }),
      };
    },
  };
}
