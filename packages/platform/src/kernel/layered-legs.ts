import type {
  Clock,
  DialRequest,
  Instant,
  LegEnd,
  LegListener,
  LegNotice,
  LegStatistics,
  Machine,
  Telephony,
} from '@jackfield/ports';

/** What every machine hears that tries several places for one leg. */
export type PlaceInput =
  | { readonly type: 'dialled' }
  | { readonly type: 'ringing' }
  | { readonly type: 'answered' }
  | { readonly type: 'ended'; readonly end: LegEnd }
  | { readonly type: 'hang-up' }
  | { readonly type: 'timer-fired' };

/** What every such machine can order. */
export type PlaceEffect =
  | { readonly do: 'hang-up' }
  | { readonly do: 'start-timer'; readonly at: Instant }
  | { readonly do: 'cancel-timer' }
  | { readonly do: 'tell'; readonly notice: 'leg-ringing' | 'leg-answered' }
  | { readonly do: 'tell-end'; readonly end: LegEnd };

/** One leg, for who carries out what its machine orders beyond that. */
export interface LayeredLeg<Input, About> {
  readonly request: DialRequest;
  readonly about: About;
  feed(input: Input): void;
}

export interface LayerDeps<State extends { readonly phase: string }, Input, Effect, About> {
  readonly clock: Clock;
  /** Signalling below; its listener is set through `listen`. */
  readonly telephony: Telephony;
  /** In the phase `taken` a place has the call. */
  readonly machine: Machine<State, Input | PlaceInput, Effect | PlaceEffect>;
  /** Undefined for what is dialled anywhere else, and passes untouched. */
  readonly begin: (request: DialRequest) => { readonly state: State; readonly about: About } | undefined;
  readonly perform: (effect: Effect, leg: LayeredLeg<Input, About>) => void;
}

interface Live<State, Input, About> extends LayeredLeg<Input | PlaceInput, About> {
  state: State;
  readonly inputs: (Input | PlaceInput)[];
  isBusy: boolean;
  cancelTimer: (() => void) | undefined;
  /** Of the last end; handed on with the one that is told. */
  media: LegStatistics | undefined;
}

/** What lies over signalling, once for all legs. */
export interface LegLayer {
  readonly telephony: Telephony;
  /** How many of its legs have not ended: for metrics and for the census after a test. */
  census(): number;
  /** Stops waiting for places; legs hear nothing more. */
  close(): void;
}

/** Signalling in which several places are one: whoever dials them hears of one leg, however many were asked. */
export function layerLegs<State extends { readonly phase: string }, Input, Effect, About>(
  deps: LayerDeps<State, Input, Effect, About>,
): LegLayer {
  type Leg = Live<State, Input, About>;
  const { clock, telephony, machine } = deps;
  const legs = new Map<string, Leg>();
  let notify: LegListener = () => {};

  /** Carrying out an effect may bring the next input before it returns; they are taken one after another all the same. */
  function feed(leg: Leg, input: Input | PlaceInput): void {
    leg.inputs.push(input);
    if (leg.isBusy) return;
    leg.isBusy = true;
    try {
      for (let next = leg.inputs.shift(); next !== undefined; next = leg.inputs.shift()) {
        const { state, effects } = machine.step(leg.state, next, clock.now());
        leg.state = state;
        for (const effect of effects) perform(leg, effect as PlaceEffect);
      }
    } finally {
      leg.isBusy = false;
    }
  }

  function perform(leg: Leg, effect: PlaceEffect) {
    const name = leg.request.leg;
    switch (effect.do) {
      case 'hang-up':
        return telephony.hangUp(name);
      case 'start-timer':
        leg.cancelTimer?.();
        leg.cancelTimer = clock.startTimer(effect.at, () => leg.feed({ type: 'timer-fired' }));
        return;
      case 'cancel-timer':
        leg.cancelTimer?.();
        leg.cancelTimer = undefined;
        return;
      case 'tell':
        return notify({ type: effect.notice, leg: name });
      case 'tell-end':
        legs.delete(name);
        return notify({
          type: 'leg-ended',
          leg: name,
          end: effect.end,
          ...(leg.media && { media: leg.media }),
        });
      default:
        deps.perform(effect as Effect, leg);
    }
  }

  function heard(notice: LegNotice) {
    const leg = legs.get(notice.leg);
    if (leg === undefined) return notify(notice);
    switch (notice.type) {
      case 'leg-ringing':
        return leg.feed({ type: 'ringing' });
      case 'leg-early':
        // Nobody hears of a place that is being given up.
        return leg.state.phase === 'taken' ? notify(notice) : undefined;
      case 'leg-answered':
        return leg.feed({ type: 'answered' });
      case 'leg-ended':
        leg.media = notice.media;
        return leg.feed({ type: 'ended', end: notice.end });
      default:
        return notify(notice);
    }
  }

  telephony.listen(heard);
  return {
    census: () => legs.size,
    close() {
      for (const leg of legs.values()) leg.cancelTimer?.();
      legs.clear();
    },
    telephony: {
      ...telephony,
      listen(listener) {
        notify = listener;
      },
      dial(request) {
        const begun = deps.begin(request);
        if (begun === undefined) return telephony.dial(request);
        const leg: Leg = {
          ...begun,
          request,
          feed: (input) => feed(leg, input),
          inputs: [],
          isBusy: false,
          cancelTimer: undefined,
          media: undefined,
        };
        legs.set(request.leg, leg);
        leg.feed({ type: 'dialled' });
      },
      hangUp(name, status) {
        const leg = legs.get(name);
        if (leg === undefined) telephony.hangUp(name, status);
        else leg.feed({ type: 'hang-up' });
      },
    },
  };
}
