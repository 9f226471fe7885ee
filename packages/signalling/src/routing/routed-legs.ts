import type {
  CallRoute,
  CallRoutes,
  Clock,
  DialRequest,
  LegListener,
  LegNotice,
  LegStatistics,
  Logger,
  RouteOwner,
} from '@jackfield/ports';
import {
  newRoutedLeg,
  type RoutedLeg,
  type RoutedLegEffect,
  type RoutedLegInput,
  routedLegMachine,
} from './routed-leg.ts';

export interface RoutedLegsDeps {
  readonly clock: Pick<Clock, 'now' | 'startTimer'>;
  readonly log: Logger;
  /** The first with a route for a call is used. */
  readonly routes: readonly CallRoutes[];
  /** Dials targets at once; their events go to `listener` only. */
  readonly dial: (request: DialRequest, listener: LegListener) => void;
  readonly hangUp: (leg: string, status?: number) => void;
  /** Reports one leg, however many targets were tried for it. */
  readonly notify: LegListener;
}

/** Outbound legs with a route, until they end. Inbound legs never pass here. */
export interface RoutedLegs {
  /** False for a call without a route: its targets are dialled at once. */
  dial(request: DialRequest): boolean;
  /** False for a leg without a route. */
  hangUp(leg: string): boolean;
  hangUpAll(): void;
  /** Legs that have not ended, those that still search for a target included. */
  census(): Readonly<Record<RouteOwner, number>>;
  /** Stops waiting for targets; nothing is reported afterwards. */
  close(): void;
}

interface Live {
  readonly owner: RouteOwner;
  readonly request: DialRequest;
  readonly route: CallRoute;
  state: RoutedLeg;
  readonly inputs: RoutedLegInput[];
  isBusy: boolean;
  cancelTimer: (() => void) | undefined;
  /** Statistics of the last target that was called; reported with the end of the leg. */
  media: LegStatistics | undefined;
}

/** Tries the targets of each routed leg by the rule of `routedLegMachine`. */
export function createRoutedLegs(deps: RoutedLegsDeps): RoutedLegs {
  const { clock, log, notify } = deps;
  const legs = new Map<string, Live>();

  /** An effect may cause the next input before it returns; inputs are still handled one after another. */
  function feed(leg: Live, input: RoutedLegInput): void {
    leg.inputs.push(input);
    if (leg.isBusy) return;
    leg.isBusy = true;
    try {
      for (let next = leg.inputs.shift(); next !== undefined; next = leg.inputs.shift()) {
        const { state, effects } = routedLegMachine.step(leg.state, next, clock.now());
        leg.state = state;
        for (const effect of effects) perform(leg, effect);
      }
    } finally {
      leg.isBusy = false;
    }
  }

  function perform(leg: Live, effect: RoutedLegEffect) {
    const { route, request } = leg;
    switch (effect.do) {
      case 'reserve':
        return reserve(leg, effect.at);
      case 'settle':
        return route.settle?.(effect.at, effect.answeredMs);
      case 'invite':
        return invite(leg, effect.at);
      case 'hang-up':
        return deps.hangUp(request.leg);
      case 'start-timer':
        leg.cancelTimer?.();
        leg.cancelTimer = clock.startTimer(effect.at, () => feed(leg, { type: 'timer-fired' }));
        return;
      case 'cancel-timer':
        leg.cancelTimer?.();
        leg.cancelTimer = undefined;
        return;
      case 'report-failure':
        return route.failed(effect.at, effect.failure);
      case 'report':
        return notify({ type: effect.notice, leg: request.leg });
      case 'report-end':
        return reportEnd(leg, effect);
    }
  }

  function reserve(leg: Live, at: number) {
    const refused = leg.route.reserve?.(at);
    if (refused === undefined) return feed(leg, { type: 'reserved' });
    if (!(refused instanceof Promise)) return feed(leg, { type: 'passed-over', end: refused });
    refused.then(
      (end) => feed(leg, end === undefined ? { type: 'reserved' } : { type: 'passed-over', end }),
      (error: unknown) => {
        log.error({ leg: leg.request.leg, err: error }, 'call target reservation failed');
        feed(leg, { type: 'passed-over', end: { by: 'media-failed' } });
      },
    );
  }

  function invite(leg: Live, at: number) {
    const { target, caller } = leg.route.targets[at]!;
    const request = { ...leg.request, targets: [target], ...(caller !== undefined && { caller }) };
    deps.dial(request, (notice) => heard(leg, notice));
  }

  function reportEnd({ request, route, media }: Live, { end, at }: RoutedLegEffect & { do: 'report-end' }) {
    legs.delete(request.leg);
    const carrier = at === undefined ? undefined : route.targets[at]?.carrier;
    notify({
      type: 'leg-ended',
      leg: request.leg,
      end: carrier === undefined ? end : { ...end, carrier },
      ...(media && { media }),
    });
  }

  function heard(leg: Live, notice: LegNotice) {
    if (legs.get(leg.request.leg) !== leg) return;
    switch (notice.type) {
      case 'leg-ringing':
        return feed(leg, { type: 'ringing' });
      case 'leg-answered':
        return feed(leg, { type: 'answered' });
      case 'leg-ended':
        leg.media = notice.media;
        return feed(leg, { type: 'ended', end: notice.end });
      default:
        // Early media of a target that is being given up has no use.
        if (leg.state.phase === 'taken') notify(notice);
    }
  }

  function hangUp(name: string): boolean {
    const leg = legs.get(name);
    if (leg !== undefined) feed(leg, { type: 'hang-up' });
    return leg !== undefined;
  }

  return {
    dial(request) {
      for (const { owner, routeOf } of deps.routes) {
        const route = routeOf(request);
        if (route === undefined) continue;
        const leg: Live = {
          owner,
          request,
          route,
          state: newRoutedLeg(route.targets.map(({ ringingWithinMs }) => ringingWithinMs)),
          inputs: [],
          isBusy: false,
          cancelTimer: undefined,
          media: undefined,
        };
        legs.set(request.leg, leg);
        feed(leg, { type: 'dialled' });
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
