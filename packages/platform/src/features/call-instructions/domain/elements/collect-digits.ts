import type { ActionRequest, GetDigits, GetInput, Prompt } from '../instruction.ts';
import {
  actionOrNext,
  type ElementContext,
  type ElementEffect,
  type ElementInput,
  type ElementStep,
  goesOn,
  isOver,
} from './element.ts';
import { beepItem, itemOfPrompt } from './play-items.ts';

/** GetDigits and GetInput: prompts that a key interrupts, then keys until enough, an ending key, or silence. */
export interface CollectState {
  readonly kind: 'collect';
  readonly wanted: Collection;
  /** `objecting`: what was pressed is not valid, and the caller is told. */
  readonly phase: 'prompting' | 'collecting' | 'objecting';
  readonly digits: string;
  /** Rounds of prompts that are still to come. */
  readonly roundsLeft: number;
}

interface Collection {
  readonly prompts: readonly Prompt[];
  readonly playBeep: boolean;
  /** Until the first key, from the end of the prompts. */
  readonly timeoutMs: number;
  readonly digitTimeoutMs: number;
  /** True: `timeoutMs` is for all keys together. */
  readonly isTimeoutForAll: boolean;
  readonly numDigits: number;
  readonly rounds: number;
  readonly finishOnKey: string;
  readonly validDigits: string;
  readonly invalidDigitsSound: string | null;
  readonly action: ActionRequest | null;
  readonly redirect: boolean;
  readonly isLogged: boolean;
  /** Told to the action beside `Digits`. */
  readonly fields: Readonly<Record<string, string>>;
}

const everyKey = '0123456789*#ABCD';
/** docs/interface/documents.md#getdigits-and-getinput: digitEndTimeout is automatic unless given; 2 s is the least that can be given. */
const automaticDigitEndMs = 2_000;

export function beginGetDigits(wanted: GetDigits, context: ElementContext): ElementStep<CollectState> {
  return begin(
    {
      ...wanted,
      isTimeoutForAll: false,
      rounds: Math.max(1, wanted.retries),
      isLogged: wanted.log,
      fields: {},
    },
    context,
  );
}

export function beginGetInput(wanted: GetInput, context: ElementContext): ElementStep<CollectState> {
  return begin(
    {
      ...wanted,
      playBeep: false,
      timeoutMs: wanted.executionTimeoutMs,
      isTimeoutForAll: true,
      digitTimeoutMs: wanted.digitEndTimeoutMs ?? automaticDigitEndMs,
      rounds: 1,
      validDigits: everyKey,
      invalidDigitsSound: null,
      isLogged: wanted.log,
      fields: { InputType: 'dtmf' },
    },
    context,
  );
}

function begin(wanted: Collection, context: ElementContext): ElementStep<CollectState> {
  return round(
    { kind: 'collect', wanted, phase: 'prompting', digits: '', roundsLeft: wanted.rounds },
    context,
  );
}

export function stepCollect(
  state: CollectState,
  input: ElementInput,
  context: ElementContext,
): ElementStep<CollectState> {
  switch (input.type) {
    case 'digit':
      return pressed(state, input.digit, context);
    case 'play-over':
      if (state.phase === 'prompting') return waitsForFirst(state, context);
      return state.phase === 'objecting' ? failed(state, context) : goesOn(state);
    case 'timer-fired':
      return state.digits === '' ? failed(state, context) : finished(state);
    default:
      return goesOn(state);
  }
}

function round(state: CollectState, context: ElementContext): ElementStep<CollectState> {
  const { prompts, playBeep } = state.wanted;
  const items = [...prompts.map(itemOfPrompt), ...(playBeep ? [beepItem] : [])];
  const next: CollectState = { ...state, phase: 'prompting', digits: '', roundsLeft: state.roundsLeft - 1 };
  if (items.length === 0) return waitsForFirst(next, context);
  return goesOn(next, { do: 'play', key: 'prompts', items, loop: 1 });
}

function waitsForFirst(state: CollectState, { now }: ElementContext): ElementStep<CollectState> {
  const at = now + state.wanted.timeoutMs;
  return goesOn({ ...state, phase: 'collecting' }, { do: 'start-timer', key: 'timeout', at });
}

function pressed(state: CollectState, digit: string, context: ElementContext): ElementStep<CollectState> {
  const { wanted, phase } = state;
  if (phase === 'objecting' && state.roundsLeft === 0) return goesOn(state);
  // Whoever knows the prompts need not hear them.
  const interrupted: ElementEffect[] =
    phase === 'prompting'
      ? [{ do: 'stop-play', key: 'prompts' }]
      : phase === 'objecting'
        ? [{ do: 'stop-play', key: 'objection' }]
        : [];
  const collecting: CollectState = {
    ...state,
    phase: 'collecting',
    roundsLeft: state.roundsLeft - (phase === 'objecting' ? 1 : 0),
  };
  if (wanted.finishOnKey.includes(digit)) {
    return after(interrupted, collecting.digits === '' ? failed(collecting, context) : finished(collecting));
  }
  if (!wanted.validDigits.includes(digit)) return after(interrupted, objected(collecting, context));
  const next = { ...collecting, digits: collecting.digits + digit };
  if (next.digits.length >= wanted.numDigits) return after(interrupted, finished(next));
  return after(interrupted, waitsForNext(next, phase !== 'collecting', context));
}

function waitsForNext(
  state: CollectState,
  isFirstTimer: boolean,
  { now }: ElementContext,
): ElementStep<CollectState> {
  const { isTimeoutForAll, timeoutMs, digitTimeoutMs } = state.wanted;
  const next: ElementEffect = { do: 'start-timer', key: 'digit', at: now + digitTimeoutMs };
  if (!isTimeoutForAll) return goesOn(state, { do: 'cancel-timer', key: 'timeout' }, next);
  // Where the prompts were interrupted, the time for all keys begins with the first.
  return isFirstTimer
    ? goesOn(state, { do: 'start-timer', key: 'timeout', at: now + timeoutMs }, next)
    : goesOn(state, next);
}

function objected(state: CollectState, context: ElementContext): ElementStep<CollectState> {
  const { invalidDigitsSound } = state.wanted;
  if (invalidDigitsSound === null) return failed(state, context);
  return goesOn({ ...state, phase: 'objecting', digits: '' }, ...noTimers, {
    do: 'play',
    key: 'objection',
    items: [{ kind: 'file', url: invalidDigitsSound, loop: 1 }],
    loop: 1,
  });
}

/** Nothing valid was pressed: once more, or the next element. */
function failed(state: CollectState, context: ElementContext): ElementStep<CollectState> {
  return state.roundsLeft === 0 ? isOver(state) : after(noTimers, round(state, context));
}

function finished(state: CollectState): ElementStep<CollectState> {
  const { action, redirect, fields, isLogged } = state.wanted;
  return isOver(state, actionOrNext(action, redirect, { ...fields, Digits: state.digits }, isLogged));
}

const noTimers: readonly ElementEffect[] = [
  { do: 'cancel-timer', key: 'timeout' },
  { do: 'cancel-timer', key: 'digit' },
];

function after(
  effects: readonly ElementEffect[],
  step: ElementStep<CollectState>,
): ElementStep<CollectState> {
  return { ...step, effects: [...effects, ...step.effects] };
}
