import { type Instant, type Machine, type Step, stay, type TimerFired } from '@jackfield/ports';
import { greetingTimes, heardVoice, nothingHeard } from './greeting.ts';
import {
  type Attempt,
  type ChannelStatus,
  isClosed,
  isOpen,
  type SessionEffect,
  type SessionEvent,
  type SessionInput,
  type VerifySession,
} from './session.ts';

type Stepped = Step<VerifySession, SessionEffect>;

export interface SessionTimes {
  /** How long after its end a session accepts receipts: messages are valid as long as the code, and gateways are late. */
  readonly receiptWindowMs: number;
}

export const sessionTimes: SessionTimes = { receiptWindowMs: 3_600_000 };

/** The error code when the requested key is not pressed. */
const notPressed = 'no-input';
/** The same after a long greeting: docs/interface/calls.md#hangup-causes "Machine Detected". */
const machineHeard = '9100';

/**
 * `in-progress → verified | expired`, both final. An attempt has states of its own (`queued → sent → delivered | undelivered |
 * failed`, or `in-progress → completed | no-answer`), also after the end of the session, until no attempt is open or the window ends.
 */
export function sessionMachine(
  times: SessionTimes = sessionTimes,
): Machine<VerifySession, SessionInput | TimerFired, SessionEffect> {
  return {
    step(session, input, now) {
      if (isClosed(session)) return { state: session, effects: repliesOfOver(input) };
      return closedIfDone(stepOpen(session, input, now), now, times);
    },
  };
}

function stepOpen(session: VerifySession, input: SessionInput | TimerFired, now: Instant): Stepped {
  switch (input.type) {
    case 'attempt-asked':
      return attemptAsked(session, input, now);
    case 'sms-accepted':
      return accepted(session, input, now);
    case 'sms-refused':
      return fallenBack(
        changed(session, input.attempt, ['queued'], 'failed', now, { errorCode: input.errorCode }),
        input.attempt,
      );
    case 'receipt':
      return receipt(session, input, now);
    case 'call-answered':
      return answered(session, input.attempt, now);
    case 'call-voice':
      return voiceHeard(session, input, now);
    case 'call-digit':
      return digit(session, input.attempt, input.digit);
    case 'spoken':
      return spoken(session, input, now);
    case 'call-ended':
      return callEnded(session, input, now);
    case 'code-matched': {
      const isTaken = session.status === 'in-progress' && now < session.expiresAt;
      const step = isTaken ? over(session, 'verified', now) : stay(session);
      return { ...step, effects: [...step.effects, { do: 'reply', reply: isTaken }] };
    }
    case 'process-restarted':
      return restarted(session, now);
    case 'timer-fired':
      if (input.key === 'expiry') return over(session, 'expired', now);
      if (input.key.startsWith(greetingTimer(''))) return greetingOver(session, input.key);
      return { state: { ...session, closedAt: now }, effects: [] };
  }
}

function repliesOfOver(input: SessionInput | TimerFired): SessionEffect[] {
  if (input.type === 'attempt-asked') return [{ do: 'reply', reply: 'over' }];
  return input.type === 'code-matched' ? [{ do: 'reply', reply: false }] : [];
}

function attemptAsked(
  session: VerifySession,
  { attempt: requested, callback }: Extract<SessionInput, { type: 'attempt-asked' }>,
  now: Instant,
): Stepped {
  if (session.status !== 'in-progress') {
    return { state: session, effects: [{ do: 'reply', reply: 'over' }] };
  }
  if (now >= session.expiresAt) {
    // The timer is late; the code has expired.
    const expired = over(session, 'expired', now);
    return { ...expired, effects: [...expired.effects, { do: 'reply', reply: 'over' }] };
  }
  if (session.attempts.length >= session.maxAttempts) {
    return { state: session, effects: [{ do: 'reply', reply: 'exhausted' }] };
  }
  const { blockedBy, ...parameters } = requested;
  const isSms = requested.channel === 'sms';
  const attempt: Attempt = {
    ...parameters,
    sequence: session.attempts.length + 1,
    status: blockedBy === null ? (isSms ? 'queued' : 'in-progress') : isSms ? 'failed' : 'no-answer',
    errorCode: blockedBy,
    at: now,
    message: null,
    isSpeaking: false,
  };
  const effects: SessionEffect[] = [];
  if (attempt.sequence === 1) effects.push({ do: 'start-timer', key: 'expiry', at: session.expiresAt });
  if (blockedBy !== null) effects.push({ do: 'emit', event: 'blocked', attempt });
  effects.push({ do: 'emit', event: attempt.status, attempt });
  if (blockedBy === null) effects.push({ do: isSms ? 'send-sms' : 'dial', attempt });
  effects.push({ do: 'reply', reply: 'begun' });
  const attempts = [...session.attempts, attempt];
  return { state: { ...session, attempts, callback: callback ?? session.callback, updatedAt: now }, effects };
}

/** After a restart the gateway may accept the message a second time, under another name. */
function accepted(
  session: VerifySession,
  { attempt: uuid, message }: Extract<SessionInput, { type: 'sms-accepted' }>,
  now: Instant,
): Stepped {
  const step = changed(session, uuid, ['queued'], 'sent', now, { message });
  const attempt = attemptOf(step.state, uuid);
  if (attempt?.message !== message) return step;
  return { ...step, effects: [...step.effects, { do: 'match-receipt', attempt, message }] };
}

/** A receipt may overtake the gateway's answer, come twice or change; `delivered` is final. */
function receipt(
  session: VerifySession,
  { attempt, status, errorCode }: Extract<SessionInput, { type: 'receipt' }>,
  now: Instant,
): Stepped {
  const from: ChannelStatus[] =
    status === 'delivered' ? ['queued', 'sent', 'undelivered'] : ['queued', 'sent'];
  const step = changed(session, attempt, from, status, now, { errorCode });
  return status === 'delivered' ? step : fallenBack(step, attempt);
}

function fallenBack(step: Stepped, uuid: string): Stepped {
  const { state, effects } = step;
  const attempt = attemptOf(state, uuid);
  const isLast = attempt !== undefined && attempt.sequence === state.attempts.length;
  const isDue = state.voiceFallback && state.status === 'in-progress' && isLast && effects.length > 0;
  return isDue ? { state, effects: [...effects, { do: 'fall-back', attempt }] } : step;
}

function answered(session: VerifySession, uuid: string, now: Instant): Stepped {
  const attempt = attemptOf(session, uuid);
  if (attempt?.status !== 'in-progress' || attempt.greeting !== undefined) return stay(session);
  if (session.status !== 'in-progress') return { state: session, effects: [{ do: 'hang-up', attempt }] };
  if (attempt.dtmf) return { state: session, effects: [{ do: 'speak', attempt, part: 'prompt' }] };
  const { state, effects } = withAttempt(session, attempt, { greeting: nothingHeard });
  const at = now + greetingTimes.silentMs;
  return {
    state,
    effects: [
      ...effects,
      { do: 'listen', attempt, isOn: true },
      { do: 'start-timer', key: greetingTimer(uuid), at },
    ],
  };
}

/** The callee begins or ends to talk before the code is spoken. */
function voiceHeard(
  session: VerifySession,
  { attempt: uuid, speaking }: Extract<SessionInput, { type: 'call-voice' }>,
  now: Instant,
): Stepped {
  const attempt = attemptOf(session, uuid);
  if (attempt?.status !== 'in-progress' || attempt.isSpeaking) return stay(session);
  const heard = attempt.greeting && heardVoice(attempt.greeting, speaking, now);
  if (heard === undefined) return stay(session);
  const { state, effects } = withAttempt(session, attempt, { greeting: heard.greeting });
  const timer = { do: 'start-timer', key: greetingTimer(uuid), at: heard.decideAt } as const;
  return { state, effects: [...effects, timer] };
}

/** A callee who still talks may be a machine: a person can press the key 1 to get the code. */
function greetingOver(session: VerifySession, key: string): Stepped {
  const attempt = session.attempts.find(({ uuid }) => greetingTimer(uuid) === key);
  const { greeting } = attempt ?? {};
  if (attempt?.status !== 'in-progress' || attempt.isSpeaking || greeting === undefined) return stay(session);
  if (session.status !== 'in-progress' || greeting.isLong) return stay(session);
  const listened: SessionEffect = { do: 'listen', attempt, isOn: false };
  if (!greeting.isTalking) {
    const step = speaking(session, attempt);
    return { ...step, effects: [listened, ...step.effects] };
  }
  const { state } = withAttempt(session, attempt, { greeting: { ...greeting, isLong: true } });
  return { state, effects: [listened, { do: 'speak', attempt, part: 'prompt' }] };
}

function greetingTimer(attempt: string): `greeting/${string}` {
  return `greeting/${attempt}`;
}

function speaking(session: VerifySession, attempt: Attempt): Stepped {
  const { state } = withAttempt(session, attempt, { isSpeaking: true });
  return { state, effects: [{ do: 'speak', attempt, part: 'code' }] };
}

/** Changes the unrecorded state of a live call. */
function withAttempt(
  session: VerifySession,
  attempt: Attempt,
  over: Partial<Pick<Attempt, 'isSpeaking' | 'greeting'>>,
): Stepped {
  const attempts = session.attempts.map((each) => (each === attempt ? { ...each, ...over } : each));
  return stay({ ...session, attempts });
}

/** A hangup while the code is spoken counts as completed, an earlier one as no-answer. */
function callEnded(
  session: VerifySession,
  { attempt: uuid, errorCode }: Extract<SessionInput, { type: 'call-ended' }>,
  now: Instant,
): Stepped {
  const attempt = attemptOf(session, uuid);
  if (attempt === undefined) return stay(session);
  const { isSpeaking, greeting } = attempt;
  const step = changed(session, uuid, ['in-progress'], isSpeaking ? 'completed' : 'no-answer', now, {
    errorCode: isSpeaking ? null : greeting?.isLong ? machineHeard : errorCode,
    isSpeaking: false,
  });
  if (step.effects.length === 0) return step;
  const parts: SessionEffect[] = [
    ...(greeting === undefined ? [] : [{ do: 'cancel-timer', key: greetingTimer(uuid) } as const]),
    { do: 'stop-speaking', attempt, part: 'prompt' },
    { do: 'stop-speaking', attempt, part: 'code' },
  ];
  return { ...step, effects: [...step.effects, ...parts] };
}

function digit(session: VerifySession, uuid: string, pressed: string): Stepped {
  const attempt = attemptOf(session, uuid);
  if (attempt?.status !== 'in-progress' || attempt.isSpeaking || pressed !== '1') return stay(session);
  if (session.status !== 'in-progress' || !(attempt.dtmf || attempt.greeting?.isLong)) return stay(session);
  return { state: session, effects: [{ do: 'stop-speaking', attempt, part: 'prompt' }] };
}

/** The code follows a prompt that the key has cut short; a prompt that ends without a key ends the call. */
function spoken(
  session: VerifySession,
  { attempt: uuid, part, isWhole }: Extract<SessionInput, { type: 'spoken' }>,
  now: Instant,
): Stepped {
  const attempt = attemptOf(session, uuid);
  if (attempt?.status !== 'in-progress') return stay(session);
  if (part === 'prompt' && !isWhole && session.status === 'in-progress') {
    return speaking(session, attempt);
  }
  const isHeard = part === 'code' && isWhole;
  const unanswered = attempt.greeting?.isLong ? machineHeard : notPressed;
  const errorCode = isHeard ? null : part === 'prompt' ? unanswered : 'not-spoken';
  const step = changed(session, uuid, ['in-progress'], isHeard ? 'completed' : 'no-answer', now, {
    errorCode,
    isSpeaking: false,
  });
  return { ...step, effects: [...step.effects, { do: 'hang-up', attempt }] };
}

/** Calls ended with the process; a message whose outcome is unknown is sent again, under the same name. */
function restarted(session: VerifySession, now: Instant): Stepped {
  let state = session;
  const effects: SessionEffect[] = [];
  for (const attempt of session.attempts) {
    if (attempt.status === 'in-progress') {
      const step = changed(state, attempt.uuid, ['in-progress'], 'no-answer', now, { errorCode: 'restart' });
      state = step.state;
      effects.push(...step.effects);
    }
    if (attempt.status === 'queued' && session.status === 'in-progress' && now < session.expiresAt) {
      effects.push({ do: 'send-sms', attempt });
    }
  }
  if (session.status === 'in-progress') {
    effects.push({ do: 'start-timer', key: 'expiry', at: session.expiresAt });
  } else {
    effects.push({ do: 'start-timer', key: 'close', at: session.updatedAt + sessionTimes.receiptWindowMs });
  }
  return { state, effects };
}

function over(session: VerifySession, status: 'verified' | 'expired', now: Instant): Stepped {
  if (session.status !== 'in-progress') return stay(session);
  const state: VerifySession = { ...session, status, sealedCode: null, updatedAt: now };
  const attempt = session.attempts.at(-1);
  const effects: SessionEffect[] = [{ do: 'cancel-timer', key: 'expiry' }];
  if (attempt !== undefined) effects.push({ do: 'emit', event: status, attempt });
  for (const each of session.attempts) {
    if (each.status === 'in-progress') effects.push({ do: 'hang-up', attempt: each });
  }
  return { state, effects };
}

/** Closes an ended session without open attempts; with open attempts it waits for receipts until the window ends. */
function closedIfDone(step: Stepped, now: Instant, { receiptWindowMs }: SessionTimes): Stepped {
  const { state, effects } = step;
  if (state.status === 'in-progress' || isClosed(state)) return step;
  if (!state.attempts.some(isOpen)) {
    return {
      state: { ...state, closedAt: now },
      effects: [...effects, { do: 'cancel-timer', key: 'close' }],
    };
  }
  const hasJustEnded = effects.some((effect) => effect.do === 'cancel-timer' && effect.key === 'expiry');
  if (!hasJustEnded) return step;
  return { state, effects: [...effects, { do: 'start-timer', key: 'close', at: now + receiptWindowMs }] };
}

function attemptOf({ attempts }: VerifySession, uuid: string): Attempt | undefined {
  return attempts.find((each) => each.uuid === uuid);
}

function changed(
  session: VerifySession,
  uuid: string,
  from: readonly ChannelStatus[],
  status: ChannelStatus & SessionEvent,
  now: Instant,
  over: Partial<Pick<Attempt, 'errorCode' | 'message' | 'isSpeaking'>>,
): Stepped {
  const before = attemptOf(session, uuid);
  if (before === undefined || !from.includes(before.status)) return stay(session);
  const attempt: Attempt = { ...before, ...over, status };
  const attempts = session.attempts.map((each) => (each === before ? attempt : each));
  return {
    state: { ...session, attempts, updatedAt: session.status === 'in-progress' ? now : session.updatedAt },
    effects: [{ do: 'emit', event: status, attempt }],
  };
}
