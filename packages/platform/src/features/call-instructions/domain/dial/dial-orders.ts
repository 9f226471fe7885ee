import type { Instant } from '@jackfield/ports';
import type { DialEffect, DialInput, DialledLeg, DialSound, DialState } from './dial.ts';
import { confirmTimer, musicPlay, ringbackPlay, ringTimer, soundPlay, timeLimitTimer } from './dial-names.ts';
import { endReport, reportOf } from './end-report.ts';

/**
 * The orders that lead from one state to the next. Stops come before starts: no music is heard in a conversation, and no leg is
 * hung up inside a bridge.
 */
export function ordersOf(
  before: DialState,
  after: DialState,
  input: DialInput,
  now: Instant,
): readonly DialEffect[] {
  const [had, has] = [playsOf(before), playsOf(after)];
  const [ran, runs] = [timersOf(before, now), timersOf(after, now)];
  const orders: DialEffect[] = [];
  for (const play of had.keys()) {
    const isOver = input.type === 'play-over' && input.play === play;
    if (!has.has(play) && !isOver) orders.push({ do: 'stop-play', play });
  }
  const isBridgeOther = before.winner !== after.winner || before.phase !== after.phase;
  const [overheard, overhears] = [overheardIn(before), overheardIn(after)];
  const isUnheard = overheard !== null && overheard !== overhears;
  if ((before.phase === 'bridged' && isBridgeOther) || isUnheard) orders.push({ do: 'unbridge' });
  for (const [was, is] of legsOf(before, after)) {
    const endedItself = input.type === 'leg-ended' && input.leg === is.leg;
    if (isLive(was) && is.end !== null && !endedItself) {
      orders.push({ do: 'hang-up-leg', leg: is.leg, end: is.end });
    }
  }
  orders.push(...ordersToCaller(before, after));
  for (const [was, is] of legsOf(before, after)) {
    if (was.phase === 'fresh' && is.phase === 'dialling')
      orders.push({ do: 'dial-leg', leg: is.leg, spec: is.spec });
  }
  for (const [play, order] of has) {
    if (!had.has(play)) orders.push({ do: 'play', play, ...order });
  }
  if (overhears !== null && overhears !== overheard) orders.push({ do: 'overhear', leg: overhears });
  if (isBridgeOther && after.phase === 'bridged' && after.winner !== null) {
    orders.push({ do: 'bridge', leg: after.winner });
  }
  for (const key of ran.keys()) {
    const fired = input.type === 'timer-fired' && input.key === key;
    if (!runs.has(key) && !fired) orders.push({ do: 'cancel-timer', key });
  }
  for (const [key, at] of runs) {
    if (!ran.has(key)) orders.push({ do: 'start-timer', key, at });
  }
  if (after.dial.callback !== null) {
    for (const parameters of reports(before, after, input, now)) orders.push({ do: 'report', parameters });
  }
  return orders;
}

/** Dialled, and neither ended nor hung up. */
export function isLive({ phase }: DialledLeg): boolean {
  return phase === 'dialling' || phase === 'confirming' || phase === 'chosen' || phase === 'succeeding';
}

/** The leg whose early media the caller hears. */
function overheardIn({ callerHears, callerListens, heard }: DialState): string | null {
  return callerHears === 'phone' && callerListens ? heard : null;
}

function ordersToCaller(before: DialState, after: DialState): readonly DialEffect[] {
  const orders: DialEffect[] = [];
  if (before.callerHears !== after.callerHears) {
    if (after.callerHears === 'rung') orders.push({ do: 'ring-caller' });
    const isOpened = after.callerHears === 'opening' || after.callerHears === 'phone';
    if (isOpened && !after.callerListens) orders.push({ do: 'early-caller' });
  }
  const isConnecting = before.phase !== 'connecting' && after.phase === 'connecting';
  // The caller of a dial that waits for a successor has been answered before.
  if (isConnecting && !after.callerAnswered) orders.push({ do: 'answer-caller' });
  return orders;
}

type PlayOrder = Omit<Extract<DialEffect, { do: 'play' }>, 'do' | 'play'>;

function playsOf(state: DialState): ReadonlyMap<string, PlayOrder> {
  const { dial, context, callerHears } = state;
  const plays = new Map<string, PlayOrder>();
  const toCaller = (item: DialSound): PlayOrder => ({ to: [context.aLeg], items: [item], loop: 0 });
  if (callerHears === 'music') {
    plays.set(musicPlay(state), toCaller({ kind: 'file', url: dial.dialMusic ?? '' }));
  }
  if (callerHears === 'ringback') {
    plays.set(ringbackPlay(state), toCaller({ kind: 'built-in', sound: { kind: 'ringback' } }));
  }
  for (const { leg } of state.legs.filter(({ hearsSound }) => hearsSound)) {
    const items: readonly DialSound[] = [{ kind: 'file', url: dial.confirmSound ?? '' }];
    // A question is repeated until its answer, an announcement is played once.
    plays.set(soundPlay(leg), { to: [leg], items, loop: dial.confirmKey === null ? 1 : 0 });
  }
  return plays;
}

/** The timers of a state; a due time counts from the step that starts the timer. */
function timersOf(state: DialState, now: Instant): ReadonlyMap<string, Instant> {
  const { dial, legs } = state;
  const timers = new Map<string, Instant>();
  const set = (key: string, seconds: number) => timers.set(key, now + seconds * 1000);
  if (legs.some(({ phase }) => phase === 'dialling')) set(ringTimer, dial.timeoutSeconds);
  for (const { leg } of legs.filter(({ phase }) => phase === 'confirming')) {
    set(confirmTimer(leg), dial.confirmTimeoutSeconds);
  }
  if (state.phase === 'bridged') set(timeLimitTimer, dial.timeLimitSeconds);
  return timers;
}

/** docs/interface/documents.md#dial: the callbacks to `callbackUrl` about each leg. */
function reports(
  before: DialState,
  after: DialState,
  input: DialInput,
  now: Instant,
): readonly Readonly<Record<string, string>>[] {
  const found: Readonly<Record<string, string>>[] = [];
  const { aLeg } = after.context;
  const report = (leg: DialledLeg, action: string, status: string, more: Readonly<Record<string, string>>) =>
    found.push({ ...reportOf(aLeg, { ...leg.spec, leg: leg.leg }, action, status), ...more });
  for (const [was, is] of legsOf(before, after)) {
    if (was.answeredAt === null && is.answeredAt !== null) report(is, 'answer', 'answer', {});
  }
  const winner = after.legs.find(({ leg }) => leg === after.winner);
  const isConnected = before.phase !== 'bridged' || before.winner !== after.winner;
  if (isConnected && after.phase === 'bridged' && winner !== undefined) {
    report(winner, 'connected', 'connected', {});
  }
  if (input.type === 'leg-digit' && before.phase === 'bridged' && winner !== undefined) {
    const by = input.leg === aLeg ? 'ALeg' : 'BLeg';
    for (const sequence of matches(after, by)) {
      report(winner, 'digits', 'connected', { DialDigitsMatch: sequence, DialDigitsPressedBy: by });
    }
  }
  for (const [was, is] of legsOf(before, after)) {
    if (!isLive(was) || is.end === null) continue;
    found.push(endReport(aLeg, { ...is.spec, leg: is.leg, end: is.end }, secondsOf(is, input, now)));
  }
  return found;
}

function matches(state: DialState, by: 'ALeg' | 'BLeg'): readonly string[] {
  const { dial, pressed } = state;
  const [sequences, digits] =
    by === 'ALeg' ? [dial.digitsMatch, pressed.aLeg] : [dial.digitsMatchBLeg, pressed.bLeg];
  return sequences.filter((each) => each !== '' && digits.endsWith(each));
}

function secondsOf(leg: DialledLeg, input: DialInput, now: Instant): number {
  const measured = input.type === 'leg-ended' && input.leg === leg.leg ? input.durationSeconds : 0;
  // A leg that continues without this dial has no measured duration.
  return Math.max(measured, leg.answeredAt === null ? 0 : (now - leg.answeredAt) / 1000);
}

function legsOf(before: DialState, after: DialState): readonly (readonly [DialledLeg, DialledLeg])[] {
  return after.legs.map((is, index) => [before.legs[index] ?? is, is]);
}
