import {
  type CallRoute,
  type CallRoutes,
  type DialTarget,
  type LegEnd,
  type Logger,
  sipUriAt,
  type TargetFailure,
} from '@jackfield/ports';
import { callerIdFor, callerNameFor } from '../domain/caller-id.ts';
import type { Carrier } from '../domain/carrier.ts';
import { endOfPassedOver, type PassedOver } from '../domain/passed-over.ts';
import type { CarrierBooks } from './carrier-books.ts';

/** A carrier that did not carry the call, and why. */
export interface Tried {
  readonly carrier: string;
  readonly because: PassedOver | TargetFailure['because'];
  readonly sipStatus?: number;
}

export interface CarrierRoutesDeps {
  readonly log: Logger;
  readonly books: CarrierBooks;
  /** In the order in which they are tried. */
  readonly carriersOf: (number: string) => readonly Carrier[];
  readonly isReachable: (carrier: string) => boolean;
  readonly passedOver: (leg: string, tried: Tried) => void;
  /** A carrier has refused a call, and other calls for so long. */
  readonly refused: (carrier: string, retryAfterSeconds: number) => void;
}

/** The scheme of a number until its carrier is chosen (RFC 3966). */
const numberScheme = 'tel:';

export function targetOfNumber(number: string): DialTarget {
  return { uri: `${numberScheme}${number}` };
}

/** Tries a number at its carriers; each call is reserved within the caps of its carrier before it is placed. */
export function createCarrierRoutes(deps: CarrierRoutesDeps): CallRoutes {
  const { log, books } = deps;
  return {
    owner: 'carriers',
    routeOf({ leg, spec, callee, targets }): CallRoute | undefined {
      const uri = targets[0]?.uri;
      if (!uri?.startsWith(numberScheme)) return undefined;
      const number = uri.slice(numberScheme.length);
      const call = { leg, number, timeLimitSeconds: spec.timeLimitSeconds };
      const { from, callerName: name } = spec;
      const tries = deps.carriersOf(number).map((carrier) => {
        const caller = callerIdFor(carrier.callerId, from);
        return {
          carrier,
          caller,
          callerName: callerNameFor(carrier.callerId, { from, name, caller: caller ?? '' }),
        };
      });
      const passOver = (carrier: Carrier, because: PassedOver): LegEnd => {
        deps.passedOver(leg, { carrier: carrier.name, because });
        return endOfPassedOver(because);
      };
      return {
        targets: tries.map(({ carrier, caller, callerName }) => ({
          target: { uri: sipUriAt(carrier, callee), account: carrier.name },
          ...(caller === undefined ? {} : { caller, callerName }),
          ringingWithinMs: carrier.ringingWithinSeconds * 1000,
          carrier: carrier.name,
        })),
        reserve(at) {
          const { carrier, caller } = tries[at]!;
          if (!deps.isReachable(carrier.name)) return passOver(carrier, 'unreachable');
          if (caller === undefined) return passOver(carrier, 'caller-id');
          const reserved = books.reserve(carrier, call);
          if (typeof reserved === 'string') return passOver(carrier, reserved);
          return reserved.then(
            (reached) => (reached === undefined ? undefined : passOver(carrier, reached)),
            (error: unknown) => {
              log.error({ leg, carrier: carrier.name, err: error }, 'worst-case cost not recorded');
              books.settle(carrier, call, 0);
              return passOver(carrier, 'broken');
            },
          );
        },
        settle: (at, answeredMs) => books.settle(tries[at]!.carrier, call, answeredMs),
        failed(at, { retryAfterSeconds, ...failure }) {
          const carrier = tries[at]!.carrier.name;
          if (retryAfterSeconds !== undefined) deps.refused(carrier, retryAfterSeconds);
          deps.passedOver(leg, { carrier, ...failure });
        },
      };
    },
  };
}
