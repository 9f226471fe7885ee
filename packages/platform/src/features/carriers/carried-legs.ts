import type { Clock } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { LegStatistics } from '../../ports/media-legs.ts';
import type { DialRequest, LegListener, LegNotice, Telephony } from '../../ports/telephony.ts';
import type { CarrierBooks, PricedCall } from './carrier-books.ts';
import { callerIdFor } from './domain/caller-id.ts';
import {
  type CarriedLeg,
  type CarriedLegEffect,
  type CarriedLegInput,
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
  state: CarriedLeg;
  readonly request: DialRequest;
  readonly call: PricedCall;
  readonly carriers: ReadonlyMap<string, Carrier>;
  readonly inputs: CarriedLegInput[];
  isBusy: boolean;
  cancelTimer: (() => void) | undefined;
  /** Of the last end; handed on with the one that is told. */
  media: LegStatistics | undefined;
}

/**
 * Signalling in which numbers are places: whoever dials one hears of one leg, however many carriers were asked. Legs that are
 * dialled anywhere else pass untouched.
 */
export function carryLegs(deps: CarriedLegsDeps): {
  readonly telephony: Telephony;
  /** Stops waiting for carriers; legs hear nothing more. */
  close(): void;
} {
  const { clock, log, books, telephony } = deps;
  const legs = new Map<string, Carried>();
  let notify: LegListener = () => {};

  /** Carrying out an effect may bring the next input before it returns; they are taken one after another all the same. */
  function feed(leg: string, carried: Carried, input: CarriedLegInput): void {
    carried.inputs.push(input);
    if (carried.isBusy) return;
    carried.isBusy = true;
    for (let next = carried.inputs.shift(); next !== undefined; next = carried.inputs.shift()) {
      const { state, effects } = carriedLegMachine.step(carried.state, next, clock.now());
      carried.state = state;
      for (const effect of effects) perform(leg, carried, effect);
    }
    carried.isBusy = false;
  }

  function perform(leg: string, carried: Carried, effect: CarriedLegEffect) {
    switch (effect.do) {
      case 'reserve':
        return reserve(leg, carried, carried.carriers.get(effect.carrier)!);
      case 'settle':
        return books.settle(carried.carriers.get(effect.carrier)!, carried.call, effect.answeredMs);
      case 'invite':
        return invite(carried, carried.carriers.get(effect.carrier)!);
      case 'hang-up':
        return telephony.hangUp(leg);
      case 'start-timer':
        carried.cancelTimer?.();
        carried.cancelTimer = clock.startTimer(effect.at, () => feed(leg, carried, { type: 'timer-fired' }));
        return;
      case 'cancel-timer':
        carried.cancelTimer?.();
        carried.cancelTimer = undefined;
        return;
      case 'tell-passed':
        return deps.passedOver(leg, effect.tried);
      case 'tell':
        return notify({ type: effect.notice, leg });
      case 'tell-end':
        legs.delete(leg);
        return notify({
          type: 'leg-ended',
          leg,
          end: effect.end,
          ...(carried.media && { media: carried.media }),
        });
    }
  }

  function reserve(leg: string, carried: Carried, carrier: Carrier) {
    const pass = (because: PassedOver) => feed(leg, carried, { type: 'passed-over', because });
    if (!deps.isReachable(carrier.name)) return pass('unreachable');
    if (callerIdFor(carrier.callerId, carried.request.from.user) === undefined) return pass('caller-id');
    const reserved = books.reserve(carrier, carried.call);
    if (typeof reserved === 'string') return pass(reserved);
    reserved.then(
      () => feed(leg, carried, { type: 'reserved' }),
      (error: unknown) => {
        log.error({ leg, carrier: carrier.name, err: error }, 'The worst-case cost could not be recorded.');
        books.settle(carrier, carried.call, 0);
        pass('broken');
      },
    );
  }

  function invite({ request }: Carried, carrier: Carrier): void {
    const user = callerIdFor(carrier.callerId, request.from.user) ?? request.from.user;
    telephony.dial({
      ...request,
      from: { ...request.from, user },
      targets: [{ uri: uriAt(carrier, request.to.user), account: carrier.name }],
    });
  }

  function carry(request: DialRequest, number: string): void {
    const carriers = deps.carriersOf(number);
    const onTheWay = carriers.map(({ name, ringingWithinSeconds }) => ({
      name,
      ringingWithinMs: ringingWithinSeconds * 1000,
    }));
    const { leg, timeLimitSeconds = defaultTimeLimitSeconds } = request;
    const carried: Carried = {
      state: newCarriedLeg(onTheWay),
      request,
      call: { leg, number, timeLimitSeconds },
      carriers: new Map(carriers.map((carrier) => [carrier.name, carrier])),
      inputs: [],
      isBusy: false,
      cancelTimer: undefined,
      media: undefined,
    };
    legs.set(leg, carried);
    feed(leg, carried, { type: 'dialled' });
  }

  function heard(notice: LegNotice) {
    const carried = legs.get(notice.leg);
    if (carried === undefined) return notify(notice);
    switch (notice.type) {
      case 'leg-ringing':
        return feed(notice.leg, carried, { type: 'ringing' });
      case 'leg-early':
        // Nobody hears of a place that is being given up.
        return carried.state.phase === 'taken' ? notify(notice) : undefined;
      case 'leg-answered':
        return feed(notice.leg, carried, { type: 'answered' });
      case 'leg-ended':
        carried.media = notice.media;
        return feed(notice.leg, carried, { type: 'ended', end: notice.end });
      default:
        return notify(notice);
    }
  }

  telephony.listen(heard);
  return {
    close() {
      for (const carried of legs.values()) carried.cancelTimer?.();
      legs.clear();
    },
    telephony: {
      ...telephony,
      listen(listener) {
        notify = listener;
      },
      dial(request) {
        const [target] = request.targets;
        if (target?.uri.startsWith(numberScheme)) carry(request, target.uri.slice(numberScheme.length));
        else telephony.dial(request);
      },
      hangUp(leg, status) {
        const carried = legs.get(leg);
        if (carried === undefined) telephony.hangUp(leg, status);
        else feed(leg, carried, { type: 'hang-up' });
      },
    },
  };
}
