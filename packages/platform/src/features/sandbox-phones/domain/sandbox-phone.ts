import type { Instant, KernelEffect, Machine, Step, TimerFired } from '../../../kernel/machine.ts';
import type { Behaviour } from './behaviours.ts';

/** A phone of the sandbox during one call: it does what its number promises, and nothing else. */
export interface SandboxPhone {
  readonly behaviour: Behaviour;
  readonly phase: 'ringing' | 'answered' | 'ended';
  readonly from: string;
  readonly to: string;
  /** A voicemail takes a message at this moment. */
  readonly records: boolean;
}

/** A message is cut off after this long. */
const longestMessageMs = 120_000;

/** A phone that has just been called. */
export function calledPhone(
  behaviour: Behaviour,
  { from, to }: { readonly from: string; readonly to: string },
): SandboxPhone {
  return { behaviour, phase: 'ringing', from, to, records: false };
}

export type SandboxPhoneInput =
  | { readonly type: 'invited' }
  | { readonly type: 'leg-answered' }
  | { readonly type: 'leg-ended' }
  | { readonly type: 'play-ended'; readonly key: string }
  | TimerFired;

export type SandboxPhoneEffect =
  | { readonly do: 'ring' }
  | { readonly do: 'answer' }
  | { readonly do: 'hang-up'; readonly status: number }
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
  const { pickUp } = phone.behaviour;
  switch (pickUp.kind) {
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
  const { behaviour } = phone;
  const effects: SandboxPhoneEffect[] = [];
  if (behaviour.press === undefined) effects.push(speak(behaviour));
  else effects.push({ do: 'start-timer', key: 'press', at: now + behaviour.press.afterMs });
  if (behaviour.hangUpAfterMs !== undefined) {
    effects.push({ do: 'start-timer', key: 'hang-up', at: now + behaviour.hangUpAfterMs });
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
  const { behaviour } = phone;
  switch (key) {
    case 'pick-up':
      return { state: phone, effects: [{ do: 'answer' }] };
    case 'press':
      return {
        state: phone,
        effects: behaviour.press
          ? [{ do: 'press', digits: behaviour.press.digits }, speak(behaviour)]
          : [speak(behaviour)],
      };
    case 'hang-up':
      return { state: phone, effects: [{ do: 'hang-up', status: 480 }] };
    default:
      return { state: phone, effects: [] };
  }
}

function speak(behaviour: Behaviour): SandboxPhoneEffect {
  switch (behaviour.sound.kind) {
    case 'echo':
      return { do: 'echo' };
    case 'talk':
      return { do: 'talk' };
    case 'voicemail':
      return { do: 'greet' };
    case 'tone':
      return { do: 'tone', frequencyHz: behaviour.sound.frequencyHz };
  }
}
