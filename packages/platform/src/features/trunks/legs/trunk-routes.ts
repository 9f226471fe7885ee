import type { CallRoutes, DialTarget, TargetFailure } from '@jackfield/ports';

/** An origination URI that did not accept a call, which goes to the next URI, if any. */
export interface FailedTarget extends TargetFailure {
  readonly target: DialTarget;
  readonly isPrimary: boolean;
}

/** How long a URI may be silent before the call goes to the next, as for carriers (docs/decisions/0014-carriers.md). */
const silentMs = 8_000;

/** The origination URIs of an inbound trunk are tried one after another. */
export function createTrunkRoutes(failed: (leg: string, failure: FailedTarget) => void): CallRoutes {
  return {
    owner: 'trunks',
    routeOf({ leg, targets }) {
      if (targets[0]?.trunk === undefined) return undefined;
      const last = targets.length - 1;
      return {
        // The last URI may be silent until the ring timeout of the call.
        targets: targets.map((target, at) => ({
          target,
          ringingWithinMs: silentMs,
          ...(at === last && { mayBeSilent: true }),
        })),
        failed: (at, failure) => failed(leg, { target: targets[at]!, isPrimary: at === 0, ...failure }),
      };
    },
  };
}
