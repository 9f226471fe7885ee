import type {
  CaptureTrack,
  Instant,
  RecognitionProblem,
  SpeechRequestOptions,
  SpeechResult,
} from '@jackfield/ports';
import type { KernelEffect } from '../../../../kernel/kernel-effects.ts';
import type { RecordingOver, TranscriptRequest } from '../../../recordings/index.ts';
import type { PlayItem } from '../../../sounds/index.ts';
import type { ActionRequest, MultiPartyCall, Stream } from '../instruction.ts';

/** The call that an element runs on. */
export interface ElementContext {
  readonly leg: string;
  /** False: no audio path is open in either direction. */
  readonly isAudible: boolean;
  /** The detected answering machine has beeped. */
  readonly hasBeeped: boolean;
  readonly now: Instant;
}

/** Inputs of an element. Keys of plays and timers are its own; inputs of stopped plays and timers do not arrive. */
export type ElementInput =
  | { readonly type: 'digit'; readonly digit: string }
  | { readonly type: 'voice'; readonly speaking: boolean }
  | { readonly type: 'beeped' }
  | { readonly type: 'play-over'; readonly key: string }
  | { readonly type: 'timer-fired'; readonly key: string }
  | { readonly type: 'recording-over'; readonly over: RecordingOver }
  | { readonly type: 'stream-ended'; readonly stream: string }
  | { readonly type: 'recognised'; readonly result: SpeechResult }
  /** The recognition has ended; `problem` is null when it is complete. */
  | { readonly type: 'recognition-over'; readonly problem: RecognitionProblem | null }
  | { readonly type: 'join-refused'; readonly sentence: string }
  | { readonly type: 'returned'; readonly fields: Readonly<Record<string, string>> };

/** Orders of an element. Plays, timers, a recognition and the watch over the voice are undone at its end, whatever the cause. */
export type ElementEffect =
  | {
      readonly do: 'play';
      readonly key: string;
      readonly items: readonly PlayItem[];
      readonly loop: number;
    }
  | { readonly do: 'stop-play'; readonly key: string }
  | { readonly do: 'watch-voice' }
  /** Recognises what the leg says; at most one at a time. */
  | { readonly do: 'start-recognition'; readonly request: SpeechRequestOptions }
  /** No more audio: results of what was said follow. */
  | { readonly do: 'finish-recognition' }
  /** Nothing of it is an input any more. */
  | { readonly do: 'cancel-recognition' }
  /** A request that is not stored, and whose answer is not read. */
  | {
      readonly do: 'report';
      readonly request: ActionRequest;
      readonly fields: Readonly<Record<string, string>>;
    }
  | { readonly do: 'start-recording'; readonly recording: StartedRecording }
  | { readonly do: 'stop-recording'; readonly uuid: string }
  | { readonly do: 'send-digits'; readonly digits: string }
  | { readonly do: 'join'; readonly instruction: MultiPartyCall }
  /** A stream that cannot be started emits a warning and `stream-ended`. */
  | { readonly do: 'start-stream'; readonly stream: string; readonly instruction: Stream }
  /** A sentence for the customer. */
  | { readonly do: 'warn'; readonly sentence: string }
  | Extract<KernelEffect, { readonly do: 'start-timer' | 'cancel-timer' }>;

export interface StartedRecording {
  readonly uuid: string;
  readonly url: string;
  readonly format: 'mp3' | 'wav';
  readonly tracks: readonly CaptureTrack[];
  readonly maxSeconds: number;
  readonly action: ActionRequest | null;
  readonly callback: ActionRequest | null;
  readonly transcript: TranscriptRequest | null;
  /** Runs until the call ends. */
  readonly isOfSession: boolean;
}

/** What follows an element. */
export type Outcome =
  | { readonly type: 'next' }
  | {
      readonly type: 'action';
      readonly request: ActionRequest;
      /** False: the answer is not read, and the next element follows at once. */
      readonly redirect: boolean;
      readonly fields: Readonly<Record<string, string>>;
      /** False: the fields are not stored. */
      readonly isLogged: boolean;
    };

export interface ElementStep<State> {
  readonly state: State;
  readonly effects: readonly ElementEffect[];
  /** Absent while it goes on. */
  readonly outcome?: Outcome;
}

/** The element continues. */
export function goesOn<State>(state: State, ...effects: readonly ElementEffect[]): ElementStep<State> {
  return { state, effects };
}

export function isOver<State>(
  state: State,
  outcome: Outcome = { type: 'next' },
  ...effects: readonly ElementEffect[]
): ElementStep<State> {
  return { state, effects, outcome };
}

/** Requests the action, or continues with the next element without one. */
export function actionOrNext(
  action: ActionRequest | null,
  redirect: boolean,
  fields: Readonly<Record<string, string>>,
  isLogged = true,
): Outcome {
  return action === null ? { type: 'next' } : { type: 'action', request: action, redirect, fields, isLogged };
}
