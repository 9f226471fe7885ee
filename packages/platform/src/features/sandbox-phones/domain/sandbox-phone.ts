import type { Instant, Machine, Step, TimerFired } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';
import type { Behaviour, Conduct } from './behaviours.ts';

/** A phone of the sandbox during one call, with the behaviour of its number or its order. */
export interface SandboxPhone {
  readonly conduct: Conduct;
  /** Null for a phone that calls. */
  readonly pickUp: Behaviour['pickUp'] | null;
  readonly phase: 'calling' | 'ringing' | 'answered' | 'ended';
  readonly from: string;
  readonly to: string;
  /** The voicemail records a message at this moment. */
  readonly records: boolean;
}

/** A message is cut off after this long. */
const longestMessageMs = 120_000;

/** A calling phone gives up after this long without an answer. */
const longestRingingMs = 120_000;

/** A phone at the begin of an incoming call. */
export function calledPhone(
  behaviour: Behaviour,
  { from, to }: { readonly from: string; readonly to: string },
): SandboxPhone {
  const { pickUp, ...conduct } = behaviour;
  return { conduct, pickUp, phase: 'ringing', from, to, records: false };
}

/** A phone before its outgoing call. */
export function callingPhone(
  conduct: Conduct,
  { from, to }: { readonly from: string; readonly to: string },
): SandboxPhone {
  return { conduct, pickUp: null, phase: 'calling', from, to, records: false };
}

export type SandboxPhoneInput =
  | { readonly type: 'invited' }
  /** Orders a calling phone to call. */
  | { readonly type: 'dialled'; readonly uri: string }
  | { readonly type: 'hung-up' }
  | { readonly type: 'leg-answered' }
  | { readonly type: 'leg-ended' }
  | { readonly type: 'play-ended'; readonly key: string }
  | TimerFired;

export type SandboxPhoneEffect =
  | { readonly do: 'dial'; readonly from: string; readonly to: string; readonly uri: string }
  | { readonly do: 'ring' }
  | { readonly do: 'answer' }
  | { readonly do: 'hang-up'; readonly status: number }
  | { readonly do: 'be-silent' }
  | { readonly do: 'echo' }
  | { readonly do: 'talk' }
  | { readonly do: 'tone'; readonly frequencyHz: number }
  | { readonly do: 'greet' }
  | { readonly do: 'beep' }
  | { readonly do: 'record'; readonly from: string; readonly to: string }
  | { readonly do: 'stop-recording' }
  | { readonly do: 'press'; readonly digits: string }
  | { readonly do: 'leave-mix' }
  | KernelEffect;

export const sandboxPhoneMachine: Machine<SandboxPhone, SandboxPhoneInput, SandboxPhoneEffect> = { step };

function step(
  phone: SandboxPhone,
  input: SandboxPhoneInput,
  now: Instant,
): Step<SandboxPhone, SandboxPhoneEffect> {
  if (phone.phase === 'ended') return { state: phone, effects: [] };
  switch (input.type) {
    case 'invited':
      return invited(phone, now);
    case 'dialled':
      return {
        state: phone,
        effects: [
          { do: 'dial', from: phone.from, to: phone.to, uri: input.uri },
          { do: 'start-timer', key: 'hang-up', at: now + longestRingingMs },
        ],
      };
    case 'hung-up':
      return { state: phone, effects: [{ do: 'hang-up', status: 480 }] };
    case 'leg-answered':
      return answered(phone, now);
    case 'leg-ended':
      return ended(phone);
    case 'play-ended':
      return playEnded(phone, input.key, now);
    case 'timer-fired':
      return timerFired(phone, input.key);
  }
}

function invited(phone: SandboxPhone, now: Instant): Step<SandboxPhone, SandboxPhoneEffect> {
  const { pickUp } = phone;
  switch (pickUp?.kind) {
    case undefined:
      return { state: phone, effects: [] };
    case 'reject':
      return { state: phone, effects: [{ do: 'hang-up', status: pickUp.status }] };
    case 'never':
      return { state: phone, effects: [{ do: 'ring' }] };
    case 'after':
      return pickUp.ms === 0
        ? { state: phone, effects: [{ do: 'answer' }] }
        : {
            state: phone,
            effects: [{ do: 'ring' }, { do: 'start-timer', key: 'pick-up', at: now + pickUp.ms }],
          };
  }
}

function answered(phone: SandboxPhone, now: Instant): Step<SandboxPhone, SandboxPhoneEffect> {
  const { press, soundAfterKeys, hangUpAfterMs } = phone.conduct;
  const effects: SandboxPhoneEffect[] = [];
  if (phone.pickUp === null) effects.push({ do: 'cancel-timer', key: 'hang-up' });
  if (!soundAfterKeys) effects.push(speak(phone.conduct));
  if (press !== undefined) effects.push({ do: 'start-timer', key: 'press', at: now + press.afterMs });
  if (hangUpAfterMs !== undefined) {
    effects.push({ do: 'start-timer', key: 'hang-up', at: now + hangUpAfterMs });
  }
  return { state: { ...phone, phase: 'answered' }, effects };
}

function ended(phone: SandboxPhone): Step<SandboxPhone, SandboxPhoneEffect> {
  const effects: SandboxPhoneEffect[] = phone.records ? [{ do: 'stop-recording' }] : [];
  if (phone.phase === 'answered') effects.push({ do: 'leave-mix' });
  return { state: { ...phone, phase: 'ended', records: false }, effects };
}

/** Only a voicemail plays anything to its end: the greeting, then the beep. */
function playEnded(phone: SandboxPhone, key: string, now: Instant): Step<SandboxPhone, SandboxPhoneEffect> {
  if (key === 'greeting') return { state: phone, effects: [{ do: 'beep' }] };
  if (key !== 'beep') return { state: phone, effects: [] };
  return {
    state: { ...phone, records: true },
    effects: [
      { do: 'record', from: phone.from, to: phone.to },
      { do: 'start-timer', key: 'hang-up', at: now + longestMessageMs },
    ],
  };
}

function timerFired(phone: SandboxPhone, key: string): Step<SandboxPhone, SandboxPhoneEffect> {
  const { press, soundAfterKeys } = phone.conduct;
  switch (key) {
    case 'pick-up':
      return { state: phone, effects: [{ do: 'answer' }] };
    case 'press': {
      const effects: SandboxPhoneEffect[] = press ? [{ do: 'press', digits: press.digits }] : [];
      if (soundAfterKeys) effects.push(speak(phone.conduct));
      return { state: phone, effects };
    }
    case 'hang-up':
      return { state: phone, effects: [{ do: 'hang-up', status: 480 }] };
    default:
      return { state: phone, effects: [] };
  }
}

function speak({ sound }: Conduct): SandboxPhoneEffect {
  switch (sound.kind) {
    case 'silence':
      return { do: 'be-silent' };
    case 'echo':
      return { do: 'echo' };
    case 'talk':
      return { do: 'talk' };
    case 'voicemail':
      return { do: 'greet' };
    case 'tone':
      return { do: 'tone', frequencyHz: sound.frequencyHz };
  }
}
