import {
  type CallEnd,
  callEnds,
  type Instant,
  type Machine,
  type RefusalStatus,
  type Step,
  stay,
  withKey,
} from '@jackfield/ports';
import {
  type CallLeg,
  type CallLegEffect,
  type CallLegInput,
  durationOf,
  longestTimeLimitSeconds,
} from './call-leg.ts';
import { causeOfEnd, type SignalledEnd, statusOfEnd } from './cause-of-end.ts';
import {
  giveBack,
  lend,
  limitTimer,
  notifyListener,
  notifyOfEnd,
  offerTaken,
  refused,
  take,
} from './leg-ownership.ts';

type LegStep = Step<CallLeg, CallLegEffect>;

const ringTimer = 'ring-timeout';
/** Another phone of the same call has answered (docs/interface/calls.md#hangup-causes). */
const lostRace = 9000;

export const callLegMachine: Machine<CallLeg, CallLegInput, CallLegEffect> = { step };

function step(leg: CallLeg, input: CallLegInput, now: Instant): LegStep {
  if (leg.phase === 'ended') return afterEnd(leg, input);
  switch (input.type) {
    case 'offered':
      return stay(leg);
    case 'offer-taken':
      return offerTaken(leg, input);
    case 'offer-refused':
      return hangUp({ ...leg, missed: null }, input.end, input.status);
    case 'place':
      return {
        state: leg,
        effects: [
          { do: 'route', account: leg.account, mainAccount: leg.mainAccount, to: leg.spec.to },
          { do: 'start-timer', key: ringTimer, at: now + leg.spec.ringTimeoutSeconds * 1000 },
        ],
      };
    case 'routed':
      return routed(leg, input, now);
    case 'unreachable':
      return ended(leg, leg.requestedEnd ?? input.end, now);
    case 'ring':
      return leg.phase === 'offered'
        ? { state: { ...leg, phase: 'ringing' }, effects: [{ do: 'ring' }] }
        : stay(leg);
    case 'open-early':
      return isWaitingCaller(leg) ? { state: leg, effects: [{ do: 'open-early' }] } : stay(leg);
    case 'answer':
      return isWaitingCaller(leg) ? { state: leg, effects: [{ do: 'answer' }] } : stay(leg);
    case 'hang-up':
      return hangUp(leg, input.end, input.status);
    case 'take':
      return take(leg, input);
    case 'lend':
      return lend(leg, input);
    case 'give-back':
      return giveBack(leg, input);
    case 'extend':
      return extended(leg, input.seconds, now);
    case 'timer-fired':
      return timerFired(leg, input.key);
    case 'leg-ringing':
      return leg.phase === 'dialling' ? ringing({ ...leg, phase: 'ringing' }) : stay(leg);
    case 'leg-early':
      return early(leg);
    case 'leg-answered':
      return answered(leg, input.dialog ?? null, now);
    case 'leg-digit':
      return pressed(leg, input, now);
    case 'leg-voice':
      return notifyListener(leg, input);
    case 'leg-ended':
      return ended(
        { ...leg, quality: input.quality ?? null },
        causeOfEnd(
          leg.direction,
          isCancel(leg, input.end) ? { by: 'remote-cancel' } : input.end,
          leg.requestedEnd,
        ),
        now,
      );
  }
}

/** Only a leg whose taker has not answered stays: it waits for the owner that gets its end. */
function afterEnd(leg: CallLeg, input: CallLegInput): LegStep {
  switch (input.type) {
    case 'offer-taken':
      return offerTaken(leg, input);
    case 'offer-refused':
      return { state: { ...leg, missed: null }, effects: [{ do: 'emit', event: 'ended' }] };
    case 'take':
    case 'lend':
      return refused(leg);
    default:
      return stay(leg);
  }
}

function routed(leg: CallLeg, input: Extract<CallLegInput, { type: 'routed' }>, now: Instant): LegStep {
  if (leg.phase !== 'routing') return stay(leg);
  if (leg.requestedEnd !== null) return ended(leg, leg.requestedEnd, now);
  const { callee, targets } = input;
  const { spec, parentLeg, owner } = leg;
  const forwards = parentLeg !== null && { forwards: parentLeg };
  // A multiparty call gives its mix its own name.
  const beside = parentLeg ?? owner?.id;
  const near = beside === undefined ? {} : { beside };
  const request = { leg: leg.leg, spec, callee, targets, ...forwards, ...near };
  return {
    state: { ...leg, phase: 'dialling', trunk: targets[0]?.trunk ?? null },
    effects: [{ do: 'dial', request }],
  };
}

function ringing(leg: CallLeg): LegStep {
  const { state, effects } = notifyListener(leg, { type: 'leg-ringing' });
  return { state, effects: [{ do: 'emit', event: 'ringing' }, ...effects] };
}

/** The first order counts: a kick that crosses the end of the whole call is still a kick. */
function hangUp(leg: CallLeg, end: CallEnd, status: RefusalStatus = statusOfEnd(end)): LegStep {
  if (leg.requestedEnd !== null) return stay(leg);
  // Signalling does not have the leg yet; `routed` will see the order.
  if (leg.phase === 'routing') return stay({ ...leg, requestedEnd: end });
  const elsewhere = end.code === lostRace && ({ completedElsewhere: true } as const);
  return { state: { ...leg, requestedEnd: end }, effects: [{ do: 'hang-up', status, ...elsewhere }] };
}

function extended(leg: CallLeg, seconds: number, now: Instant): LegStep {
  const { spec, answeredAt, direction } = leg;
  const since = answeredAt ?? now;
  const timeLimitSeconds = Math.min(longestTimeLimitSeconds, Math.ceil((now - since) / 1000) + seconds);
  // The spend cap of a carrier has reserved the limit with which a leg was dialled, and no more.
  if (direction === 'outbound' || timeLimitSeconds <= spec.timeLimitSeconds) return stay(leg);
  const state = { ...leg, spec: { ...spec, timeLimitSeconds } };
  if (answeredAt === null) return stay(state);
  const at = answeredAt + timeLimitSeconds * 1000;
  return { state, effects: [{ do: 'start-timer', key: limitTimer, at }] };
}

function timerFired(leg: CallLeg, key: string): LegStep {
  // docs/interface/calls.md#making-a-call time_limit and ring_timeout.
  if (key === limitTimer) return hangUp(leg, callEnds(6000, 'Service'));
  return leg.phase === 'answered' ? stay(leg) : hangUp(leg, callEnds(6010, 'Service'));
}

function answered(leg: CallLeg, dialog: string | null, now: Instant): LegStep {
  if (leg.phase === 'answered') return stay(leg);
  const answering: CallLeg = { ...leg, phase: 'answered', answeredAt: now, dialog, areDigitsSent: true };
  const timers: readonly CallLegEffect[] = [{ do: 'cancel-timer', key: ringTimer }];
  // The answer crossed our CANCEL: signalling ends the dialog, and the owner gets no notice of the answer.
  if (leg.requestedEnd !== null) return { state: answering, effects: timers };
  const { state, effects } = notifyListener(answering, { type: 'leg-answered' });
  return {
    state,
    effects: [
      ...timers,
      { do: 'start-timer', key: limitTimer, at: now + leg.spec.timeLimitSeconds * 1000 },
      ...(leg.missed === null ? [{ do: 'emit', event: 'answered' } as const] : []),
      ...sendingDigits(leg),
      ...effects,
    ],
  };
}

/** Early media to a caller, or from a phone before its answer: docs/interface/calls.md#making-a-call send_on_preanswer. */
function early(leg: CallLeg): LegStep {
  if (leg.phase === 'answered') return stay(leg);
  const { state, effects } = notifyListener(leg, { type: 'leg-early' });
  if (!leg.spec.sendOnPreanswer || leg.requestedEnd !== null) return { state, effects };
  return { state: { ...state, areDigitsSent: true }, effects: [...sendingDigits(leg), ...effects] };
}

function sendingDigits({ spec, areDigitsSent }: CallLeg): readonly CallLegEffect[] {
  return areDigitsSent || spec.sendDigits === '' ? [] : [{ do: 'send-digits', digits: spec.sendDigits }];
}

function pressed(leg: CallLeg, input: Extract<CallLegInput, { type: 'leg-digit' }>, now: Instant): LegStep {
  const { digit, heard } = input;
  if (heard === undefined) return passed(leg, digit);
  const key = { digit, as: heard.as, from: now - heard.durationMs, until: now };
  const { keys, isNew } = withKey(leg.pressedKeys, key);
  const knowing = { ...leg, pressedKeys: keys };
  return isNew ? passed(knowing, digit) : stay(knowing);
}

function passed(leg: CallLeg, digit: string): LegStep {
  const { state, effects } = notifyListener(leg, { type: 'leg-digit', digit });
  const { owner } = leg;
  return owner === null
    ? { state, effects }
    : { state, effects: [{ do: 'pass-key', owner, digit }, ...effects] };
}

function ended(leg: CallLeg, end: CallEnd, now: Instant): LegStep {
  const ending: CallLeg = { ...leg, phase: 'ended', endedAt: now, end };
  const durationSeconds = durationOf(ending);
  const { state, effects } = notifyOfEnd(ending, { type: 'leg-ended', end, durationSeconds });
  return {
    state,
    effects: [
      { do: 'cancel-timer', key: ringTimer },
      { do: 'cancel-timer', key: limitTimer },
      // The event waits until the leg has an owner, which decides its callbacks.
      ...(leg.missed === null ? [{ do: 'emit', event: 'ended' } as const] : []),
      ...effects,
      { do: 'leave' },
    ],
  };
}

/** RFC 3261 §15: a caller may end its early dialog by BYE as well. */
function isCancel({ direction, answeredAt }: CallLeg, { by }: SignalledEnd): boolean {
  return by === 'remote-bye' && direction === 'inbound' && answeredAt === null;
}

function isWaitingCaller(leg: CallLeg): boolean {
  return leg.direction === 'inbound' && (leg.phase === 'offered' || leg.phase === 'ringing');
}
