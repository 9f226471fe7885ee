import type { CallRoutes, DialRequest, LegListener, RouteOwner } from '@jackfield/ports';
import { newRoutedLeg } from './routed-leg.ts';
import { createRoutedLegRunner, type LiveRoutedLeg, type RoutedLegRunnerDeps } from './routed-leg-runner.ts';

export interface RoutedLegsDeps extends Omit<RoutedLegRunnerDeps, 'notify'> {
  /** The owners of routes; the first with a route for a call is used. */
  readonly routes: readonly CallRoutes[];
}

/** Outbound legs with a route, until they end. Inbound legs never pass here. */
export interface RoutedLegs {
  /** Each change of a leg is reported once, however many targets were tried for it. */
  listen(listener: LegListener): void;
  /** False for a call without a route: its targets are dialled at once. */
  dial(request: DialRequest): boolean;
  /** False for a leg without a route. */
  hangUp(leg: string, completedElsewhere?: boolean): boolean;
  hangUpAll(): void;
  /** Legs that have not ended, those that still search for a target included. */
  census(): Readonly<Record<RouteOwner, number>>;
  /** Stops waiting for targets; nothing is reported afterwards. */
  close(): void;
}

/** Tries the targets of each routed leg by the rule of `routedLegMachine`. */
export function createRoutedLegs(deps: RoutedLegsDeps): RoutedLegs {
  const legs = new Map<string, LiveRoutedLeg>();
  let listener: LegListener = () => {};
  const send = createRoutedLegRunner({ ...deps, notify: (notice) => listener(notice) }, legs);

  function hangUp(name: string, completedElsewhere = false): boolean {
    const leg = legs.get(name);
    if (leg !== undefined) send(leg, { type: 'hang-up', completedElsewhere });
    return leg !== undefined;
  }

  return {
    listen(given) {
      listener = given;
    },
    dial(request) {
      for (const { owner, routeOf } of deps.routes) {
        const route = routeOf(request);
        if (route === undefined) continue;
        const leg: LiveRoutedLeg = {
          owner,
          request,
          route,
          state: newRoutedLeg(route.targets),
          inputs: [],
          isBusy: false,
          cancelTimer: undefined,
          dialog: undefined,
          media: undefined,
        };
        legs.set(request.leg, leg);
        send(leg, { type: 'dialled' });
        return true;
      }
      return false;
    },
    hangUp,
    hangUpAll() {
      for (const name of [...legs.keys()]) hangUp(name);
    },
    census() {
      const counts = { carriers: 0, trunks: 0 };
      for (const { owner } of legs.values()) counts[owner] += 1;
      return counts;
    },
    close() {
      for (const leg of legs.values()) leg.cancelTimer?.();
      legs.clear();
    },
  };
}
