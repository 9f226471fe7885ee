import type { CaptureTrack, Instant } from '@jackfield/ports';
import type { KernelEffect } from '../../../../kernel/kernel-effects.ts';
import type { RecordingOver } from '../../../recordings/index.ts';
import type { PlayItem } from '../../../sounds/index.ts';
import type { ActionRequest, MultiPartyCall, Stream } from '../instruction.ts';

/** What an element knows of the call that it runs on. */
export interface ElementContext {
  readonly leg: string;
  /** False: nothing that is played is heard, and nothing that the caller says is received. */
  readonly isAudible: boolean;
  readonly now: Instant;
}

/** What an element is told. Keys of plays and timers are its own; what it no longer waits for does not arrive. */
export type ElementInput =
  | { readonly type: 'digit'; readonly digit: string }
  | { readonly type: 'voice'; readonly speaking: boolean }
  | { readonly type: 'play-over'; readonly key: string }
  | { readonly type: 'timer-fired'; readonly key: string }
  | { readonly type: 'recording-over'; readonly over: RecordingOver }
  | { readonly type: 'stream-ended'; readonly stream: string }
  | { readonly type: 'join-refused'; readonly sentence: string }
  | { readonly type: 'returned'; readonly remarks: Readonly<Record<string, string>> };

/** Orders of an element. Plays, timers and the watch over the voice are taken back when it is over, whoever ended it. */
export type ElementEffect =
  | {
      readonly do: 'play';
      readonly key: string;
      readonly items: readonly PlayItem[];
      readonly loop: number;
    }
  | { readonly do: 'stop-play'; readonly key: string }
  | { readonly do: 'watch-voice' }
  | { readonly do: 'start-recording'; readonly recording: StartedRecording }
  | { readonly do: 'stop-recording'; readonly uuid: string }
  | { readonly do: 'send-digits'; readonly digits: string }
  | { readonly do: 'join'; readonly instruction: MultiPartyCall }
  /** Where it cannot be started, a remark says so, and it has ended. */
  | { readonly do: 'start-stream'; readonly stream: string; readonly instruction: Stream }
  /** A sentence for the customer. */
  | { readonly do: 'remark'; readonly sentence: string }
  | Extract<KernelEffect, { readonly do: 'start-timer' | 'cancel-timer' }>;

export interface StartedRecording {
  readonly uuid: string;
  readonly url: string;
  readonly format: 'mp3' | 'wav';
  readonly tracks: readonly CaptureTrack[];
  readonly maxSeconds: number;
  readonly action: ActionRequest | null;
  readonly callback: ActionRequest | null;
  /** Runs until the call ends, whatever becomes of the element. */
  readonly isOfSession: boolean;
}

/** How an element is over. */
export type Outcome =
  | { readonly type: 'next' }
  | {
      readonly type: 'action';
      readonly request: ActionRequest;
      /** False: the answer is not read, and the next element follows at once. */
      readonly redirect: boolean;
      readonly fields: Readonly<Record<string, string>>;
      /** False: the fields are kept nowhere. */
      readonly isLogged: boolean;
    };

export interface ElementStep<State> {
  readonly state: State;
  readonly effects: readonly ElementEffect[];
  /** Absent while it goes on. */
  readonly outcome?: Outcome;
}

/** Stays as it is. */
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

/** An action is told, or the next element follows where there is none. */
export function actionOrNext(
  action: ActionRequest | null,
  redirect: boolean,
  fields: Readonly<Record<string, string>>,
  isLogged = true,
): Outcome {
  return action === null ? { type: 'next' } : { type: 'action', request: action, redirect, fields, isLogged };
}
