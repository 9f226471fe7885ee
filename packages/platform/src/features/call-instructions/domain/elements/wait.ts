import type { Wait } from '../instruction.ts';
import {
  type ElementContext,
  type ElementEffect,
  type ElementInput,
  type ElementStep,
  goesOn,
  isOver,
} from './element.ts';
import { beepItem } from './play-items.ts';
import { silenceAfter } from './silence.ts';

/** Wait: perhaps a beep, then hold music or silence for a time, or until the caller has been silent for `minSilenceMs`, or the machine has beeped. */
export interface WaitState {
  readonly kind: 'wait';
  readonly wait: Wait;
  readonly phase: 'beeping' | 'waiting';
  /** Whether a notice of the caller's voice has come since the wait began. */
  readonly hasHeard: boolean;
}

export function beginWait(wait: Wait, context: ElementContext): ElementStep<WaitState> {
  const state: WaitState = { kind: 'wait', wait, phase: 'beeping', hasHeard: false };
  // The beep may come while the document is fetched.
  if (wait.untilBeep === true && context.hasBeeped) return isOver(state);
  return wait.beep && context.isAudible
    ? goesOn(state, { do: 'play', key: 'beep', items: [beepItem], loop: 1 })
    : waits(state, context);
}

export function stepWait(
  state: WaitState,
  input: ElementInput,
  context: ElementContext,
): ElementStep<WaitState> {
  switch (input.type) {
    case 'play-over':
      return state.phase === 'beeping' ? waits(state, context) : goesOn(state);
    case 'timer-fired':
      return isOver(state);
    case 'beeped':
      return state.wait.untilBeep === true ? isOver(state) : goesOn(state);
    case 'voice': {
      const { minSilenceMs } = state.wait;
      if (minSilenceMs === null) return goesOn(state);
      const next = { ...state, hasHeard: true };
      if (input.speaking) return goesOn(next, { do: 'cancel-timer', key: 'silence' });
      const at = context.now + silenceAfter(minSilenceMs, state.hasHeard);
      return goesOn(next, { do: 'start-timer', key: 'silence', at });
    }
    default:
      return goesOn(state);
  }
}

function waits(state: WaitState, { now, isAudible }: ElementContext): ElementStep<WaitState> {
  const { lengthMs, silence, minSilenceMs } = state.wait;
  const effects: ElementEffect[] = [{ do: 'start-timer', key: 'length', at: now + lengthMs }];
  if (!silence && isAudible) {
    effects.push({
      do: 'play',
      key: 'music',
      items: [{ kind: 'built-in', sound: { kind: 'hold-music' }, loop: 0 }],
      loop: 0,
    });
  }
  if (minSilenceMs !== null && isAudible) effects.push({ do: 'watch-voice' });
  return goesOn({ ...state, phase: 'waiting' }, ...effects);
}
