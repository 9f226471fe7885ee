import type { Clock, DialTarget, Telephony } from '@jackfield/ports';
import { layerLegs } from '../../kernel/layered-legs.ts';
import {
  newTrunkedLeg,
  type PlaceFailure,
  type TrunkEffect,
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

/**
 * Signalling in which the places of an inbound trunk are one: whoever dials them hears of one leg. Legs that are dialled anywhere
 * else pass untouched.
 */
export function carryTrunkedLegs({ clock, telephony, failed }: TrunkedLegsDeps) {
  return layerLegs({
    clock,
    telephony,
    machine: trunkedLegMachine,
    begin({ targets }) {
      if (targets[0]?.trunk === undefined) return undefined;
      return { state: newTrunkedLeg(targets.length), about: undefined };
    },
    perform(effect: TrunkEffect, { request }) {
      const target = request.targets[effect.at]!;
      if (effect.do === 'invite') return telephony.dial({ ...request, targets: [target] });
      const { at, because, end } = effect;
      const status =
        end.sipStatus === undefined || because !== 'rejected' ? {} : { sipStatus: end.sipStatus };
      failed(request.leg, { target, isPrimary: at === 0, because, ...status });
    },
  });
}
