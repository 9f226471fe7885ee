import type { Clock, Logger, Telephony } from '@jackfield/ports';
import { type LayeredLeg, layerLegs } from '../../kernel/layered-legs.ts';
import type { CarrierBooks, PricedCall } from './carrier-books.ts';
import { callerIdFor } from './domain/caller-id.ts';
import {
  type CarrierEffect,
  type CarrierInput,
  carriedLegMachine,
  newCarriedLeg,
  type PassedOver,
  type Tried,
} from './domain/carried-leg.ts';
import { type Carrier, uriAt } from './domain/carrier.ts';

export interface CarriedLegsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly books: CarrierBooks;
  /** In the order in which they are tried. */
  readonly carriersOf: (number: string) => readonly Carrier[];
  readonly isReachable: (carrier: string) => boolean;
  readonly passedOver: (leg: string, tried: Tried) => void;
  /** Signalling below; its listener is set through `listen`. */
  readonly telephony: Telephony;
}

/** What a number is dialled as until its carrier is chosen (RFC 3966). */
const numberScheme = 'tel:';

/** conventions.md §12.2 `time_limit`, where the leg says nothing of its own. */
const defaultTimeLimitSeconds = 14_400;

export function targetOfNumber(number: string): { readonly uri: string } {
  return { uri: `${numberScheme}${number}` };
}

interface Carried {
  readonly call: PricedCall;
  readonly carriers: ReadonlyMap<string, Carrier>;
}

/**
 * Signalling in which numbers are places: whoever dials one hears of one leg, however many carriers were asked. Legs that are
 * dialled anywhere else pass untouched.
 */
export function carryLegs(deps: CarriedLegsDeps) {
  const { clock, log, books, telephony } = deps;

  function perform(effect: CarrierEffect, leg: LayeredLeg<CarrierInput, Carried>) {
    if (effect.do === 'tell-passed') return deps.passedOver(leg.request.leg, effect.tried);
    const { call, carriers } = leg.about;
    const carrier = carriers.get(effect.carrier)!;
    switch (effect.do) {
      case 'reserve':
        return reserve(leg, carrier);
      case 'settle':
        return books.settle(carrier, call, effect.answeredMs);
      case 'invite':
        return invite(leg, carrier);
    }
  }

  function reserve({ request, about: { call }, feed }: LayeredLeg<CarrierInput, Carried>, carrier: Carrier) {
    const pass = (because: PassedOver) => feed({ type: 'passed-over', because });
    if (!deps.isReachable(carrier.name)) return pass('unreachable');
    if (callerIdFor(carrier.callerId, request.from.user) === undefined) return pass('caller-id');
    const reserved = books.reserve(carrier, call);
    if (typeof reserved === 'string') return pass(reserved);
    reserved.then(
      () => feed({ type: 'reserved' }),
      (error: unknown) => {
        const { leg } = request;
        log.error({ leg, carrier: carrier.name, err: error }, 'The worst-case cost could not be recorded.');
        books.settle(carrier, call, 0);
        pass('broken');
      },
    );
  }

  function invite({ request }: LayeredLeg<CarrierInput, Carried>, carrier: Carrier): void {
    const user = callerIdFor(carrier.callerId, request.from.user) ?? request.from.user;
    telephony.dial({
      ...request,
      from: { ...request.from, user },
      targets: [{ uri: uriAt(carrier, request.to.user), account: carrier.name }],
    });
  }

  return layerLegs({
    clock,
    telephony,
    machine: carriedLegMachine,
    begin({ leg, targets, timeLimitSeconds = defaultTimeLimitSeconds }) {
      const uri = targets[0]?.uri;
      if (!uri?.startsWith(numberScheme)) return undefined;
      const number = uri.slice(numberScheme.length);
      const carriers = deps.carriersOf(number);
      const onTheWay = carriers.map(({ name, ringingWithinSeconds }) => ({
        name,
        ringingWithinMs: ringingWithinSeconds * 1000,
      }));
      return {
        state: newCarriedLeg(onTheWay),
        about: {
          call: { leg, number, timeLimitSeconds },
          carriers: new Map(carriers.map((carrier) => [carrier.name, carrier])),
        },
      };
    },
    perform,
  });
}
