import type {
  CallRoute,
  Clock,
  DialRequest,
  LegListener,
  LegNotice,
  LegStatistics,
  Logger,
  RouteOwner,
} from '@jackfield/ports';
import { type RoutedLeg, type RoutedLegEffect, type RoutedLegInput, routedLegMachine } from './routed-leg.ts';

export interface RoutedLegRunnerDeps {
  readonly clock: Pick<Clock, 'now' | 'startTimer'>;
  readonly log: Logger;
  /** Dials targets at once; their events go to `listener` only. */
  readonly dial: (request: DialRequest, listener: LegListener) => void;
  readonly hangUp: (leg: string, status: number | undefined, completedElsewhere: boolean) => void;
  /** Calls the next address of the leg's target, unless the present one has responded; see `DialledCall.nextAddress`. */
  readonly nextAddress: (leg: string, silentMs: number) => number | undefined;
  /** Reports one leg, however many targets were tried for it. */
  readonly notify: LegListener;
}

/** A leg with a route while it runs: the state of its machine, and the objects that its effects act on. */
export interface LiveRoutedLeg {
  readonly owner: RouteOwner;
  readonly request: DialRequest;
  readonly route: CallRoute;
  state: RoutedLeg;
  /** Inputs that arrived while an effect was running. */
  readonly inputs: RoutedLegInput[];
  isBusy: boolean;
  cancelTimer: (() => void) | undefined;
  /** The dialog of the answer, for a successor of this process. */
  dialog: string | undefined;
  /** Statistics of the last target that was called; reported with the end of the leg. */
  media: LegStatistics | undefined;
}

/** Runs the machines of legs with routes; `legs` holds those that have not ended. */
export function createRoutedLegRunner(
  deps: RoutedLegRunnerDeps,
  legs: Map<string, LiveRoutedLeg>,
): (leg: LiveRoutedLeg, input: RoutedLegInput) => void {
  const { clock } = deps;

  /** An effect may cause the next input before it returns; inputs are still handled one after another. */
  function send(leg: LiveRoutedLeg, input: RoutedLegInput): void {
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

  function perform(leg: LiveRoutedLeg, effect: RoutedLegEffect) {
    const { route, request } = leg;
    switch (effect.do) {
      case 'reserve':
        return reserve(leg, effect.at);
      case 'settle':
        return route.settle?.(effect.at, effect.answeredMs);
      case 'invite':
        return deps.dial(requestTo(leg, effect.at), (notice) => observe(leg, notice));
      case 'next-address': {
        const until = deps.nextAddress(request.leg, effect.silentMs);
        return send(leg, until === undefined ? { type: 'silent' } : { type: 'waits', until });
      }
      case 'hang-up':
        return deps.hangUp(request.leg, undefined, effect.completedElsewhere);
      case 'start-timer':
        leg.cancelTimer?.();
        leg.cancelTimer = clock.startTimer(effect.at, () => send(leg, { type: 'timer-fired' }));
        return;
      case 'cancel-timer':
        leg.cancelTimer?.();
        leg.cancelTimer = undefined;
        return;
      case 'report-failure':
        return route.failed(effect.at, effect.failure);
      case 'report':
        return deps.notify({ type: effect.notice, leg: request.leg, ...dialogIn(effect.notice, leg) });
      case 'report-end':
        legs.delete(request.leg);
        return deps.notify(endOf(leg, effect));
    }
  }

  function reserve(leg: LiveRoutedLeg, at: number) {
    const refused = leg.route.reserve?.(at);
    if (refused === undefined) return send(leg, { type: 'reserved' });
    if (!(refused instanceof Promise)) return send(leg, { type: 'passed-over', end: refused });
    refused.then(
      (end) => send(leg, end === undefined ? { type: 'reserved' } : { type: 'passed-over', end }),
      (error: unknown) => {
        deps.log.error({ leg: leg.request.leg, err: error }, 'call target reservation failed');
        send(leg, { type: 'passed-over', end: { by: 'media-failed' } });
      },
    );
  }

  /** Events of the target that is being tried. */
  function observe(leg: LiveRoutedLeg, notice: LegNotice) {
    if (legs.get(leg.request.leg) !== leg) return;
    switch (notice.type) {
      case 'leg-ringing':
        return send(leg, { type: 'ringing' });
      case 'leg-answered':
        leg.dialog = notice.dialog;
        return send(leg, { type: 'answered' });
      case 'leg-ended':
        leg.media = notice.media;
        return send(leg, { type: 'ended', end: notice.end });
      default:
        // Early media of a target that is being given up has no use.
        if (leg.state.phase === 'taken') deps.notify(notice);
    }
  }

  return send;
}

function dialogIn(notice: string, { dialog }: LiveRoutedLeg): { readonly dialog?: string } {
  return notice === 'leg-answered' && dialog !== undefined ? { dialog } : {};
}

/** The dial request for one target of the route. */
function requestTo({ request, route }: LiveRoutedLeg, at: number): DialRequest {
  const { target, caller, callerName } = route.targets[at]!;
  return {
    ...request,
    targets: [target],
    ...(caller !== undefined && { caller }),
    ...(callerName !== undefined && { callerName }),
  };
}

function endOf(
  { request, route, media }: LiveRoutedLeg,
  { end, at }: Extract<RoutedLegEffect, { readonly do: 'report-end' }>,
): LegNotice {
  const carrier = at === undefined ? undefined : route.targets[at]?.carrier;
  return {
    type: 'leg-ended',
    leg: request.leg,
    end: carrier === undefined ? end : { ...end, carrier },
    ...(media && { media }),
  };
}
