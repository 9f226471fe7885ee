import { type CallEnd, type Instant, legSpec, type Step } from '@jackfield/ports';
import type { DialEffect, DialInput, DialledLeg, DialState } from './dial.ts';
import { confirmTimer, musicPlay, ringbackPlay, ringTimer, soundPlay, timeLimitTimer } from './dial-names.ts';
import { isLive, ordersOf } from './dial-orders.ts';
import { dialEnds, outcomeOfFailure } from './dial-outcome.ts';

/** Steps a dial; the effects follow from what the input changed. */
export function stepDial(state: DialState, input: DialInput, now: Instant): Step<DialState, DialEffect> {
  const next = state.phase === 'over' ? state : counted(state, changed(state, input, now));
  return { state: next, effects: next === state ? [] : ordersOf(state, next, input, now) };
}

/** Ringback that starts again, after the early media of a phone that is gone, is another play. */
function counted(before: DialState, after: DialState): DialState {
  const isNew = after.callerHears === 'ringback' && before.callerHears !== 'ringback';
  return isNew ? { ...after, ringbacks: before.ringbacks + 1 } : after;
}

function changed(state: DialState, input: DialInput, now: Instant): DialState {
  switch (input.type) {
    case 'begin':
      return state.phase === 'fresh' ? begun(state) : state;
    case 'leg-ringing':
      return legRinging(state, input.leg);
    case 'leg-early':
      return legEarly(state, input.leg);
    case 'leg-answered':
      return legAnswered(state, input.leg, now);
    case 'leg-ended':
      return legLost(state, input.leg, input.end);
    case 'leg-digit':
      return pressed(state, input.leg, input.digit);
    case 'leg-succeeding':
      return succeeding(state, input);
    case 'play-over':
      return playOver(state, input.play);
    case 'caller-early':
      return callerListens(state);
    case 'caller-answered':
      return callerAnswered(state);
    case 'give-up':
      return givenUp(state, input.source ?? 'Caller');
    case 'timer-fired':
      return timerFired(state, input.key);
  }
}

function begun(state: DialState): DialState {
  if (state.legs.length === 0) return over(state, outcomeOfFailure([]), dialEnds.lostRace);
  const dialling = withLegs({ ...state, phase: 'ringing' }, (leg) => ({ ...leg, phase: 'dialling' }));
  if (musicOf(state) === null) return dialling;
  return { ...dialling, callerHears: state.callerListens ? 'music' : 'opening' };
}

function legRinging(state: DialState, name: string): DialState {
  if (state.rang || legOf(state, name, 'dialling') === undefined) return state;
  return rung({ ...state, rang: true });
}

/** Early media does not interrupt the music of the document; of several phones the first is heard. */
function legEarly(state: DialState, name: string): DialState {
  const leg = state.legs.find((each) => each.leg === name && isAwaited(each));
  return leg === undefined ? state : listened(withLeg(state, { ...leg, isEarly: true }));
}

function isAwaited({ phase }: DialledLeg): boolean {
  return phase === 'dialling' || phase === 'succeeding';
}

/** Chooses anew the caller's audio while no phone has answered: the early media of one phone, or ringing. */
function listened(state: DialState): DialState {
  const { callerHears, winner, legs, phase } = state;
  if (callerHears === 'music' || callerHears === 'opening' || phase === 'bridged') return state;
  // The phone that is to be connected stays audible.
  const candidates = legs.filter((leg) => leg.isEarly && (isAwaited(leg) || leg.phase === 'chosen'));
  const meant = winner === null ? candidates : candidates.filter(({ leg }) => leg === winner);
  const heard = (meant.find(({ leg }) => leg === state.heard) ?? meant[0])?.leg ?? null;
  if (heard !== null) return { ...state, heard, callerHears: 'phone' };
  if (callerHears !== 'phone') return state;
  const silent: DialState = { ...state, heard, callerHears: 'nothing' };
  return state.rang ? rung(silent) : silent;
}

/** The caller's own ringback while no audio path is open, otherwise ours. */
function rung(state: DialState): DialState {
  if (state.callerHears !== 'nothing') return state;
  return { ...state, callerHears: state.callerListens ? 'ringback' : 'rung' };
}

function succeeding(
  state: DialState,
  { leg, from, to }: Extract<DialInput, { type: 'leg-succeeding' }>,
): DialState {
  if (!isReplaceable(state)) return state;
  const successor: DialledLeg = {
    leg,
    // Dialled without this dial, which reports its parties only.
    spec: legSpec({ from, to, callerName: '' }),
    phase: 'succeeding',
    answeredAt: null,
    isEarly: false,
    hearsSound: false,
    end: null,
  };
  return { ...state, legs: [...state.legs, successor] };
}

/** Whether the connected leg may get a successor: it has none yet. */
export function isReplaceable(state: DialState): boolean {
  return state.phase === 'bridged' && !state.legs.some(({ phase }) => phase === 'succeeding');
}

/** The successor has answered: the leg before it is hung up. */
function succeeded(state: DialState, successor: DialledLeg, now: Instant): DialState {
  const left = withLegs(state, (leg) => {
    if (leg.leg === successor.leg) return { ...leg, phase: 'chosen', answeredAt: now };
    return isLive(leg) ? ended(leg, dialEnds.normal('Call recipient')) : leg;
  });
  return bridged({ ...left, winner: successor.leg });
}

function legAnswered(state: DialState, name: string, now: Instant): DialState {
  const successor = legOf(state, name, 'succeeding');
  if (successor !== undefined) return succeeded(state, successor, now);
  const leg = legOf(state, name, 'dialling');
  if (leg === undefined) return state;
  const { confirmKey, confirmSound } = state.dial;
  const answered = withLeg(state, { ...leg, answeredAt: now });
  if (confirmKey === null && confirmSound === null) return chosen(answered, name);
  // The caller does not hear a phone that is confirming.
  return listened(
    withLeg(answered, {
      ...leg,
      answeredAt: now,
      phase: 'confirming',
      hearsSound: confirmSound !== null,
    }),
  );
}

/** The first phone that answered, and confirmed if required; all others have lost. */
function chosen(state: DialState, winner: string): DialState {
  const decided = withLegs(state, (leg) => {
    if (leg.leg === winner) return { ...leg, phase: 'chosen', hearsSound: false };
    return isLive(leg) ? ended(leg, dialEnds.lostRace) : leg;
  });
  const next = listened({ ...decided, winner, phase: 'connecting' });
  return state.callerAnswered ? bridged(next) : next;
}

function bridged(state: DialState): DialState {
  return { ...state, phase: 'bridged', callerHears: 'nothing', heard: null };
}

function callerListens(state: DialState): DialState {
  if (state.callerListens) return state;
  const { callerHears } = state;
  const hears = callerHears === 'opening' ? 'music' : callerHears === 'rung' ? 'ringback' : callerHears;
  return { ...state, callerListens: true, callerHears: hears };
}

function callerAnswered(state: DialState): DialState {
  if (state.callerAnswered) return state;
  const answered: DialState = { ...callerListens(state), callerAnswered: true };
  return state.phase === 'connecting' ? bridged(answered) : answered;
}

function pressed(state: DialState, name: string, digit: string): DialState {
  const leg = legOf(state, name, 'confirming');
  if (leg !== undefined && state.dial.confirmKey !== null) {
    return digit === state.dial.confirmKey
      ? chosen(state, name)
      : legLost(state, name, dialEnds.notConfirmed);
  }
  if (state.phase !== 'bridged') return state;
  const isCaller = name === state.context.aLeg;
  if (!isCaller && name !== state.winner) return state;
  const { digitsMatch, digitsMatchBLeg, hangupOnStar } = state.dial;
  const next: DialState = {
    ...state,
    pressed: isCaller
      ? { ...state.pressed, aLeg: tail(state.pressed.aLeg + digit, digitsMatch) }
      : { ...state.pressed, bLeg: tail(state.pressed.bLeg + digit, digitsMatchBLeg) },
  };
  if (!isCaller || digit !== '*' || !hangupOnStar) return next;
  return completed(next, dialEnds.normal('Caller'));
}

/** No more digits than the longest sequence needs. */
function tail(digits: string, sequences: readonly string[]): string {
  const longest = Math.max(0, ...sequences.map(({ length }) => length));
  return longest === 0 ? '' : digits.slice(-longest);
}

function playOver(state: DialState, play: string): DialState {
  if (play === ringbackPlay(state) && state.callerHears === 'ringback') {
    return { ...state, callerHears: 'nothing' };
  }
  if (play === musicPlay(state)) {
    // Music lasts until it is stopped: it could not be played, so the caller hears ringing instead of silence.
    if (state.callerHears !== 'music') return state;
    const silent: DialState = { ...state, callerHears: 'nothing' };
    const next = listened(silent);
    return next.callerHears === 'nothing' && state.rang ? rung(next) : next;
  }
  const leg = state.legs.find((each) => each.hearsSound && play === soundPlay(each.leg));
  if (leg === undefined) return state;
  // Without a confirmKey the sound is an announcement, after which the leg is connected.
  return state.dial.confirmKey === null
    ? chosen(state, leg.leg)
    : withLeg(state, { ...leg, hearsSound: false });
}

function timerFired(state: DialState, key: string): DialState {
  if (key === ringTimer) {
    if (!state.legs.some(({ phase }) => phase === 'dialling')) return state;
    const left = withLegs(state, (leg) =>
      leg.phase === 'dialling' ? ended(leg, dialEnds.ringTimeout) : leg,
    );
    return overWithoutLegs(listened(left));
  }
  if (key === timeLimitTimer) {
    return state.phase === 'bridged' ? completed(state, dialEnds.timeLimit) : state;
  }
  const leg = state.legs.find((each) => each.phase === 'confirming' && confirmTimer(each.leg) === key);
  if (leg === undefined) return state;
  return state.dial.confirmKey === null
    ? chosen(state, leg.leg)
    : legLost(state, leg.leg, dialEnds.notConfirmed);
}

function legLost(state: DialState, name: string, end: CallEnd): DialState {
  const leg = state.legs.find((each) => each.leg === name);
  if (leg === undefined || !isLive(leg)) return state;
  const left = withLeg(state, ended(leg, end));
  const successor = left.legs.find(({ phase }) => phase === 'succeeding');
  if (name === state.winner && successor !== undefined) {
    return listened({ ...left, winner: successor.leg, phase: 'connecting', callerHears: 'ringback' });
  }
  return name === state.winner
    ? over(left, { status: 'completed', end }, end)
    : overWithoutLegs(listened(left));
}

function overWithoutLegs(state: DialState): DialState {
  if (state.legs.some(isLive)) return state;
  const ends = state.legs.flatMap(({ end }) => (end === null ? [] : [end]));
  return over(state, outcomeOfFailure(ends), dialEnds.lostRace);
}

function givenUp(state: DialState, source: CallEnd['source']): DialState {
  // A dial that waits for a successor has been connected before.
  const wasBridged = state.legs.some(({ phase }) => phase === 'succeeding');
  if (state.phase === 'bridged' || wasBridged) return completed(state, dialEnds.normal(source));
  const end = dialEnds.canceled(source);
  return over(state, { status: 'cancel', end }, end);
}

function completed(state: DialState, end: CallEnd): DialState {
  return over(state, { status: 'completed', end }, end);
}

/** `rest` is the cause for legs that are still live. */
function over(state: DialState, outcome: NonNullable<DialState['outcome']>, rest: CallEnd): DialState {
  const left = withLegs(state, (leg) => (isLive(leg) ? ended(leg, rest) : leg));
  return { ...left, phase: 'over', callerHears: 'nothing', heard: null, outcome };
}

function ended(leg: DialledLeg, end: CallEnd): DialledLeg {
  return { ...leg, phase: 'ended', hearsSound: false, end };
}

function legOf(state: DialState, name: string, phase: DialledLeg['phase']): DialledLeg | undefined {
  return state.legs.find((each) => each.leg === name && each.phase === phase);
}

function withLeg(state: DialState, leg: DialledLeg): DialState {
  return withLegs(state, (each) => (each.leg === leg.leg ? leg : each));
}

function withLegs(state: DialState, change: (leg: DialledLeg) => DialledLeg): DialState {
  return { ...state, legs: state.legs.map(change) };
}

/** The URL that the caller hears; null: ringback. */
function musicOf(state: DialState): string | null {
  const { dialMusic } = state.dial;
  return dialMusic === null || dialMusic.toLowerCase() === 'real' ? null : dialMusic;
}
