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

/** GetDigits and GetInput: prompts that a key interrupts, then keys until their number, an ending key, or a timeout. */
export interface CollectState {
  readonly kind: 'collect';
  readonly collection: Collection;
  /** `objecting`: an invalid key was pressed, and its sound is played. */
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
  /** Fields of the action beside `Digits`. */
  readonly fields: Readonly<Record<string, string>>;
}

const everyKey = '0123456789*#ABCD';
/** docs/interface/documents.md#getdigits-and-getinput: digitEndTimeout is automatic unless given; 2 s is the least that can be given. */
const automaticDigitEndMs = 2_000;

export function beginGetDigits(collection: GetDigits, context: ElementContext): ElementStep<CollectState> {
  return begin(
    {
      ...collection,
      isTimeoutForAll: false,
      rounds: Math.max(1, collection.retries),
      isLogged: collection.log,
      fields: {},
    },
    context,
  );
}

export function beginGetInput(input: GetInput, context: ElementContext): ElementStep<CollectState> {
  return begin(keysOf(input), context);
}

/** Keys of a GetInput that has begun to listen for speech as well: its prompts and its timer `timeout` run already. */
export function continueWithKeys(input: GetInput, phase: 'prompting' | 'collecting'): CollectState {
  return { kind: 'collect', collection: keysOf(input), phase, digits: '', roundsLeft: 0 };
}

function keysOf(input: GetInput): Collection {
  return {
    ...input,
    playBeep: false,
    timeoutMs: input.executionTimeoutMs,
    isTimeoutForAll: true,
    digitTimeoutMs: input.digitEndTimeoutMs ?? automaticDigitEndMs,
    rounds: 1,
    validDigits: everyKey,
    invalidDigitsSound: null,
    isLogged: input.log,
    fields: { InputType: 'dtmf' },
  };
}

function begin(collection: Collection, context: ElementContext): ElementStep<CollectState> {
  return round(
    { kind: 'collect', collection, phase: 'prompting', digits: '', roundsLeft: collection.rounds },
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
  const { prompts, playBeep } = state.collection;
  const items = [...prompts.map(itemOfPrompt), ...(playBeep ? [beepItem] : [])];
  const next: CollectState = { ...state, phase: 'prompting', digits: '', roundsLeft: state.roundsLeft - 1 };
  if (items.length === 0) return waitsForFirst(next, context);
  return goesOn(next, { do: 'play', key: 'prompts', items, loop: 1 });
}

function waitsForFirst(state: CollectState, { now }: ElementContext): ElementStep<CollectState> {
  const at = now + state.collection.timeoutMs;
  return goesOn({ ...state, phase: 'collecting' }, { do: 'start-timer', key: 'timeout', at });
}

function pressed(state: CollectState, digit: string, context: ElementContext): ElementStep<CollectState> {
  const { collection, phase } = state;
  if (phase === 'objecting' && state.roundsLeft === 0) return goesOn(state);
  // A key interrupts the prompts.
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
  if (collection.finishOnKey.includes(digit)) {
    return after(interrupted, collecting.digits === '' ? failed(collecting, context) : finished(collecting));
  }
  if (!collection.validDigits.includes(digit)) return after(interrupted, objected(collecting, context));
  const next = { ...collecting, digits: collecting.digits + digit };
  if (next.digits.length >= collection.numDigits) return after(interrupted, finished(next));
  return after(interrupted, waitsForNext(next, phase !== 'collecting', context));
}

function waitsForNext(
  state: CollectState,
  isFirstTimer: boolean,
  { now }: ElementContext,
): ElementStep<CollectState> {
  const { isTimeoutForAll, timeoutMs, digitTimeoutMs } = state.collection;
  const next: ElementEffect = { do: 'start-timer', key: 'digit', at: now + digitTimeoutMs };
  if (!isTimeoutForAll) return goesOn(state, { do: 'cancel-timer', key: 'timeout' }, next);
  // After interrupted prompts, the time for all keys begins with the first key.
  return isFirstTimer
    ? goesOn(state, { do: 'start-timer', key: 'timeout', at: now + timeoutMs }, next)
    : goesOn(state, next);
}

function objected(state: CollectState, context: ElementContext): ElementStep<CollectState> {
  const { invalidDigitsSound } = state.collection;
  if (invalidDigitsSound === null) return failed(state, context);
  return goesOn({ ...state, phase: 'objecting', digits: '' }, ...noTimers, {
    do: 'play',
    key: 'objection',
    items: [{ kind: 'file', url: invalidDigitsSound, loop: 1 }],
    loop: 1,
  });
}

/** No valid input: another round, or the next element. */
function failed(state: CollectState, context: ElementContext): ElementStep<CollectState> {
  return state.roundsLeft === 0 ? isOver(state) : after(noTimers, round(state, context));
}

function finished(state: CollectState): ElementStep<CollectState> {
  const { action, redirect, fields, isLogged } = state.collection;
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
