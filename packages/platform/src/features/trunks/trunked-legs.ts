import type { Clock } from '../../ports/clock.ts';
import type { LegStatistics } from '../../ports/media-legs.ts';
import type { DialRequest, DialTarget, LegListener, LegNotice, Telephony } from '../../ports/telephony.ts';
import {
  newTrunkedLeg,
  type PlaceFailure,
  type TrunkedLeg,
  type TrunkedLegEffect,
  type TrunkedLegInput,
  trunkedLegMachine,
} from './domain/trunked-leg.ts';

export interface TrunkedLegsDeps {
  readonly clock: Clock;
  /** A place of a trunk did not take a call; it went on to the next one, if there is one. */
  readonly failed: (leg: string, failure: FailedPlace) => void;
  /** Signalling below; its listener is set through `listen`. */
  readonly telephony: Telephony;
}

export interface FailedPlace {
  readonly target: DialTarget;
  readonly isPrimary: boolean;
  readonly because: PlaceFailure;
  readonly sipStatus?: number;
}

interface Trunked {
  state: TrunkedLeg;
  readonly request: DialRequest;
  readonly inputs: TrunkedLegInput[];
  isBusy: boolean;
  cancelTimer: (() => void) | undefined;
  /** Of the last end; handed on with the one that is told. */
  media: LegStatistics | undefined;
}

/**
 * Signalling in which the places of an inbound trunk are one: whoever dials them hears of one leg. Legs that are dialled anywhere
 * else pass untouched.
 */
export function carryTrunkedLegs({ clock, telephony, failed }: TrunkedLegsDeps): {
  readonly telephony: Telephony;
  /** Stops waiting; legs hear nothing more. */
  close(): void;
} {
  const legs = new Map<string, Trunked>();
  let notify: LegListener = () => {};

  /** Carrying out an effect may bring the next input before it returns; they are taken one after another all the same. */
  function feed(leg: string, trunked: Trunked, input: TrunkedLegInput): void {
    trunked.inputs.push(input);
    if (trunked.isBusy) return;
    trunked.isBusy = true;
    for (let next = trunked.inputs.shift(); next !== undefined; next = trunked.inputs.shift()) {
      const { state, effects } = trunkedLegMachine.step(trunked.state, next, clock.now());
      trunked.state = state;
      for (const effect of effects) perform(leg, trunked, effect);
    }
    trunked.isBusy = false;
  }

  function perform(leg: string, trunked: Trunked, effect: TrunkedLegEffect) {
    const { request } = trunked;
    switch (effect.do) {
      case 'invite':
        return telephony.dial({ ...request, targets: [request.targets[effect.at]!] });
      case 'hang-up':
        return telephony.hangUp(leg);
      case 'start-timer':
        trunked.cancelTimer?.();
        trunked.cancelTimer = clock.startTimer(effect.at, () => feed(leg, trunked, { type: 'timer-fired' }));
        return;
      case 'cancel-timer':
        trunked.cancelTimer?.();
        trunked.cancelTimer = undefined;
        return;
      case 'tell-failed': {
        const { at, because, end } = effect;
        const status =
          end.sipStatus === undefined || because !== 'rejected' ? {} : { sipStatus: end.sipStatus };
        return failed(leg, { target: request.targets[at]!, isPrimary: at === 0, because, ...status });
      }
      case 'tell':
        return notify({ type: effect.notice, leg });
      case 'tell-end':
        legs.delete(leg);
        return notify({
          type: 'leg-ended',
          leg,
          end: effect.end,
          ...(trunked.media && { media: trunked.media }),
        });
    }
  }

  function heard(notice: LegNotice) {
    const trunked = legs.get(notice.leg);
    if (trunked === undefined) return notify(notice);
    switch (notice.type) {
      case 'leg-ringing':
        return feed(notice.leg, trunked, { type: 'ringing' });
      case 'leg-early':
        // Nobody hears of a place that is being given up.
        return trunked.state.phase === 'taken' ? notify(notice) : undefined;
      case 'leg-answered':
        return feed(notice.leg, trunked, { type: 'answered' });
      case 'leg-ended':
        trunked.media = notice.media;
        return feed(notice.leg, trunked, { type: 'ended', end: notice.end });
      default:
        return notify(notice);
    }
  }

  telephony.listen(heard);
  return {
    close() {
      for (const trunked of legs.values()) trunked.cancelTimer?.();
      legs.clear();
    },
    telephony: {
      ...telephony,
      listen(listener) {
        notify = listener;
      },
      dial(request) {
        if (request.targets[0]?.trunk === undefined) return telephony.dial(request);
        const trunked: Trunked = {
          state: newTrunkedLeg(request.targets.length),
          request,
          inputs: [],
          isBusy: false,
          cancelTimer: undefined,
          media: undefined,
        };
        legs.set(request.leg, trunked);
        feed(request.leg, trunked, { type: 'dialled' });
      },
      hangUp(leg, status) {
        const trunked = legs.get(leg);
        if (trunked === undefined) telephony.hangUp(leg, status);
        else feed(leg, trunked, { type: 'hang-up' });
      },
    },
  };
}
