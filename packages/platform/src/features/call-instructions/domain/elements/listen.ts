import type { RecognitionProblem, SpeechResult } from '@jackfield/ports';
import type { GetInput, SpokenInput } from '../instruction.ts';
import { type CollectState, continueWithKeys, stepCollect } from './collect-digits.ts';
import {
  actionOrNext,
  type ElementContext,
  type ElementEffect,
  type ElementInput,
  type ElementStep,
  goesOn,
  isOver,
} from './element.ts';
import { itemOfPrompt } from './play-items.ts';

/**
 * GetInput with speech: prompts that a voice or a key interrupts, then words until a silence, or the time for everything. The first key makes
 * it a collection of keys. Without an engine it collects keys alone, or ends.
 *
 *   prompting ──voice, words, end of prompts──→ listening ──silence, timeout──→ finishing ──engine is done, or slow──→ over
 *       └───────────────────────────────────────────┴──key──→ CollectState
 */
export interface ListenState {
  readonly kind: 'listen';
  readonly input: GetInput;
  readonly speech: SpokenInput;
  readonly phase: 'prompting' | 'listening' | 'finishing';
  /** False after the engine has gone: keys alone are awaited. */
  readonly hasEngine: boolean;
  readonly isSpeaking: boolean;
  /** The media engine has reported a voice, whose silence then ends the speech. */
  readonly hasVoice: boolean;
  /** A voice was heard, or words. */
  readonly hasSpoken: boolean;
  /** Final results, and the partial result behind them. */
  readonly words: readonly SpeechResult[];
  readonly partial: SpeechResult | null;
  readonly reported: { readonly count: number; readonly at: number };
}

type Step = ElementStep<ListenState | CollectState>;

/** docs/interface/documents.md#getdigits-and-getinput: speechEndTimeout is automatic unless given. */
const automaticEndMs = 1_000;
/** Silence that has passed when the media engine reports the end of a voice. */
const noticedSilenceMs = 500;
/** Time for the last words after the end of speech: the caller hears silence meanwhile. */
const engineMs = 5_000;
/** Partial results are reported no more often: some engines send one for each frame. */
const betweenReportsMs = 200;
/** Characters of the whole speech. */
const mostCharacters = 10_000;

export function beginListen(
  input: GetInput,
  speech: SpokenInput,
  context: ElementContext,
): ElementStep<ListenState> {
  const { language, hints, model, profanityFilter, interimCallback } = speech;
  const request = { language, hints, model, profanityFilter, interim: interimCallback !== null };
  const state: ListenState = {
    kind: 'listen',
    input,
    speech,
    phase: 'prompting',
    hasEngine: true,
    isSpeaking: false,
    hasVoice: false,
    hasSpoken: false,
    words: [],
    partial: null,
    reported: { count: 0, at: Number.NEGATIVE_INFINITY },
  };
  const start: readonly ElementEffect[] = [{ do: 'start-recognition', request }, { do: 'watch-voice' }];
  const items = input.prompts.map(itemOfPrompt);
  if (items.length === 0) return listens(state, start, context);
  return goesOn(state, ...start, { do: 'play', key: 'prompts', items, loop: 1 });
}

export function stepListen(state: ListenState, input: ElementInput, context: ElementContext): Step {
  switch (input.type) {
    case 'digit':
      return pressed(state, input, context);
    case 'voice':
      return voice(state, input.speaking, context);
    case 'play-over':
      if (state.phase !== 'prompting') return goesOn(state);
      return hasInput(state) ? listens(state, [], context) : isOver(state);
    case 'recognised':
      return recognised(state, input.result, context);
    case 'recognition-over':
      return input.problem === null ? complete(state) : engineGone(state, input.problem);
    case 'timer-fired':
      return timedOut(state, input.key, context);
    default:
      return goesOn(state);
  }
}

function listens(
  state: ListenState,
  before: readonly ElementEffect[],
  { now }: ElementContext,
): ElementStep<ListenState> {
  const timeout = {
    do: 'start-timer',
    key: 'timeout',
    at: now + state.input.executionTimeoutMs,
  } as const;
  return goesOn({ ...state, phase: 'listening' }, ...before, timeout);
}

/** The caller talks over the prompts. */
function interrupts(state: ListenState, context: ElementContext): ElementStep<ListenState> {
  if (state.phase !== 'prompting') return goesOn(state);
  return listens(state, [{ do: 'stop-play', key: 'prompts' }], context);
}

function voice(state: ListenState, isSpeaking: boolean, context: ElementContext): Step {
  if (!state.hasEngine || state.phase === 'finishing' || state.isSpeaking === isSpeaking)
    return goesOn(state);
  const heard = {
    ...state,
    isSpeaking,
    hasVoice: state.hasVoice || isSpeaking,
    hasSpoken: state.hasSpoken || isSpeaking,
  };
  if (!isSpeaking) return goesOn(heard, endOfSpeech(state, context, noticedSilenceMs));
  const { state: next, effects } = interrupts(heard, context);
  return goesOn(next, ...effects, { do: 'cancel-timer', key: 'speech-end' });
}

/** Runs from the last sound, of which `passedMs` have passed. */
function endOfSpeech({ speech }: ListenState, { now }: ElementContext, passedMs: number): ElementEffect {
  const at = now + (speech.endTimeoutMs ?? automaticEndMs) - passedMs;
  return { do: 'start-timer', key: 'speech-end', at };
}

function recognised(before: ListenState, result: SpeechResult, context: ElementContext): Step {
  if (!before.hasEngine) return goesOn(before);
  const state = withResult(before, result);
  if (result.text === '' || state.phase === 'finishing') return goesOn(state);
  const { state: listening, effects } = interrupts({ ...state, hasSpoken: true }, context);
  // A voice may be too quiet for the media engine and loud enough for the recogniser.
  const end = listening.hasVoice ? [] : [endOfSpeech(listening, context, 0)];
  const reported = report(listening, result, context);
  return goesOn(reported.state, ...effects, ...end, ...reported.effects);
}

function withResult(state: ListenState, result: SpeechResult): ListenState {
  if (!result.isFinal) return { ...state, partial: result };
  const left = mostCharacters - textOf(state.words).length;
  const text = result.text.slice(0, Math.max(0, left - 1));
  return {
    ...state,
    partial: null,
    words: text === '' ? state.words : [...state.words, { ...result, text }],
  };
}

/** docs/reference/webhooks.md names the fields. */
function report(state: ListenState, result: SpeechResult, { now }: ElementContext): ElementStep<ListenState> {
  const { interimCallback } = state.speech;
  const { count, at } = state.reported;
  if (interimCallback === null || (!result.isFinal && now - at < betweenReportsMs)) return goesOn(state);
  const fields = {
    StableSpeech: textOf(state.words),
    UnstableSpeech: state.partial?.text ?? '',
    SequenceNumber: String(count),
    ...(result.confidence === null ? {} : { Stability: shown(result.confidence) }),
  };
  const next = { ...state, reported: { count: count + 1, at: now } };
  return goesOn(next, { do: 'report', request: interimCallback, fields });
}

/** The first key decides for keys; a key that ends the input also ends speech. */
function pressed(
  state: ListenState,
  input: Extract<ElementInput, { type: 'digit' }>,
  context: ElementContext,
): Step {
  const { speech, phase, words, hasSpoken } = state;
  if (!speech.withKeys) return goesOn(state);
  if (phase === 'finishing' && words.length > 0) return goesOn(state);
  if (hasSpoken && state.input.finishOnKey.includes(input.digit)) return finish(state, context);
  const before = phase === 'prompting' ? 'prompting' : 'collecting';
  const keys = stepCollect(continueWithKeys(state.input, before), input, context);
  return { ...keys, effects: [...noSpeech, ...keys.effects] };
}

const noSpeech: readonly ElementEffect[] = [
  { do: 'cancel-recognition' },
  { do: 'cancel-timer', key: 'speech-end' },
  { do: 'cancel-timer', key: 'engine' },
];

function timedOut(state: ListenState, key: string, context: ElementContext): Step {
  if (key === 'engine') {
    const late = {
      code: 'engine-slow',
      sentence: `the speech engine did not complete its result within ${engineMs} ms`,
    } as const;
    return engineGone(state, late);
  }
  if (state.phase === 'finishing') return goesOn(state);
  if (key === 'timeout' && !(state.hasSpoken && state.hasEngine)) return isOver(state);
  return finish(state, context);
}

function finish(state: ListenState, { now }: ElementContext): Step {
  if (state.phase === 'finishing') return goesOn(state);
  return goesOn(
    { ...state, phase: 'finishing' },
    { do: 'finish-recognition' },
    { do: 'cancel-timer', key: 'speech-end' },
    { do: 'cancel-timer', key: 'timeout' },
    { do: 'start-timer', key: 'engine', at: now + engineMs },
  );
}

/** The engine has given its last result. */
function complete(state: ListenState): Step {
  if (state.words.length > 0) return answered(state);
  if (state.phase === 'finishing') return isOver(state);
  // It has heard enough, and the caller has said nothing: a fault of the engine.
  return engineGone(state, { code: 'engine-failed', sentence: 'the speech engine ended by itself' });
}

/** Recognised speech counts; without it the keys, where keys are an input. */
function engineGone(state: ListenState, { code, sentence }: RecognitionProblem): Step {
  const { partial, words, phase } = state;
  const warning: ElementEffect = { do: 'warn', sentence: `GetInput: ${sentence} (${code})` };
  const understood = partial === null ? words : [...words, partial];
  if (textOf(understood) !== '') {
    const step = answered({ ...state, words: understood });
    return { ...step, effects: [warning, ...step.effects] };
  }
  const without: ListenState = { ...state, hasEngine: false, hasSpoken: false, isSpeaking: false };
  // Prompts are heard to their end.
  const isEnded = phase === 'finishing' || (phase === 'listening' && !hasInput(without));
  if (isEnded) return isOver(without, { type: 'next' }, warning);
  return goesOn(without, warning, { do: 'cancel-timer', key: 'speech-end' });
}

/** Whether the caller can still give input. */
function hasInput({ hasEngine, speech }: ListenState): boolean {
  return hasEngine || speech.withKeys;
}

function answered(state: ListenState): Step {
  const { action, redirect, log } = state.input;
  const confidence = meanConfidence(state.words);
  const fields = {
    InputType: 'speech',
    Digits: '',
    Speech: textOf(state.words),
    ...(confidence === null ? {} : { SpeechConfidenceScore: shown(confidence) }),
  };
  return isOver(state, actionOrNext(action, redirect, fields, log));
}

function textOf(words: readonly SpeechResult[]): string {
  return words.map(({ text }) => text).join(' ');
}

/** By the length of the texts; null where no result has a confidence. */
function meanConfidence(words: readonly SpeechResult[]): number | null {
  let sum = 0;
  let length = 0;
  for (const { confidence, text } of words) {
    if (confidence === null) continue;
    sum += confidence * text.length;
    length += text.length;
  }
  return length === 0 ? null : sum / length;
}

function shown(confidence: number): string {
  return Math.min(1, Math.max(0, confidence)).toFixed(2);
}
