import type { RecordingOver } from '../../../recordings/index.ts';
import type { Record as RecordElement } from '../instruction.ts';
import {
  actionOrNext,
  type ElementContext,
  type ElementInput,
  type ElementStep,
  goesOn,
  isOver,
  type StartedRecording,
} from './element.ts';
import { beepItem } from './play-items.ts';
import { silenceAfter } from './silence.ts';

/** Record: a beep, then the caller's voice until a key, a silence, or the greatest length. */
export interface RecordState {
  readonly kind: 'record';
  readonly element: RecordElement;
  readonly recording: StartedRecording;
  /** `completing`: the file is being closed. */
  readonly phase: 'beeping' | 'recording' | 'completing';
  readonly hasHeard: boolean;
  /** The key that ended it. */
  readonly digits: string;
}

export function beginRecord(
  element: RecordElement,
  name: { readonly uuid: string; readonly url: string },
  context: ElementContext,
): ElementStep<RecordState> {
  const state: RecordState = {
    kind: 'record',
    element,
    recording: startedRecording(element, name, context.leg, false),
    phase: 'beeping',
    hasHeard: false,
    digits: '',
  };
  return element.playBeep
    ? goesOn(state, { do: 'play', key: 'beep', items: [beepItem], loop: 1 })
    : starts(state, context);
}

export function stepRecord(
  state: RecordState,
  input: ElementInput,
  context: ElementContext,
): ElementStep<RecordState> {
  const { element, recording, phase } = state;
  switch (input.type) {
    case 'play-over':
      return phase === 'beeping' ? starts(state, context) : goesOn(state);
    case 'digit':
      return phase === 'recording' && element.finishOnKey.includes(input.digit)
        ? completes(state, input.digit)
        : goesOn(state);
    case 'voice': {
      if (phase !== 'recording') return goesOn(state);
      const next = { ...state, hasHeard: true };
      if (input.speaking) return goesOn(next, { do: 'cancel-timer', key: 'silence' });
      // The silence from the beginning is timed already.
      if (!state.hasHeard) return goesOn(next);
      const at = context.now + silenceAfter(element.timeoutMs, true);
      return goesOn(next, { do: 'start-timer', key: 'silence', at });
    }
    case 'timer-fired':
      return phase === 'recording' ? completes(state, '') : goesOn(state);
    case 'recording-over':
      return isOver(
        state,
        actionOrNext(element.action, element.redirect, fieldsOfRecording(input.over, state.digits)),
        ...(input.over.outcome === 'failed'
          ? [{ do: 'warn', sentence: `recording ${recording.uuid} failed` } as const]
          : []),
      );
    default:
      return goesOn(state);
  }
}

function starts(state: RecordState, { now }: ElementContext): ElementStep<RecordState> {
  return goesOn(
    { ...state, phase: 'recording' },
    { do: 'start-recording', recording: state.recording },
    { do: 'watch-voice' },
    { do: 'start-timer', key: 'silence', at: now + state.element.timeoutMs },
  );
}

function completes(state: RecordState, digits: string): ElementStep<RecordState> {
  return goesOn(
    { ...state, phase: 'completing', digits },
    { do: 'cancel-timer', key: 'silence' },
    { do: 'stop-recording', uuid: state.recording.uuid },
  );
}

/** Stereo: the caller's voice on the left, what it hears on the right. A mono recording of the session has both on one track. */
export function startedRecording(
  element: RecordElement,
  { uuid, url }: { readonly uuid: string; readonly url: string },
  leg: string,
  isOfSession: boolean,
): StartedRecording {
  const { format, channels, maxLengthSeconds, action, callback, transcript } = element;
  const said = { said: [leg], heard: [] };
  const tracks =
    channels === 'stereo'
      ? [said, { said: [], heard: [leg] }]
      : [isOfSession ? { said: [leg], heard: [leg] } : said];
  const maxSeconds = maxLengthSeconds;
  return { uuid, url, format, tracks, maxSeconds, action, callback, transcript, isOfSession };
}

/** Fields of `action` for a recording that is over, with the reason of a failure (docs/interface/documents.md#record). */
export function fieldsOfRecording(over: RecordingOver, digits: string): Readonly<Record<string, string>> {
  const { fault } = over;
  return {
    RecordUrl: over.url,
    RecordingID: over.recording,
    RecordingDuration: String(Math.round(over.durationMs / 1000)),
    RecordingDurationMs: String(Math.round(over.durationMs)),
    RecordingStartMs: String(over.startedAt),
    RecordingEndMs: String(over.endedAt),
    ...(fault === null ? {} : { RecordingError: fault.sentence, RecordingErrorCode: fault.code }),
    Digits: digits,
  };
}

/** The same for a recording that has just begun: unknown values are −1 (docs/interface/documents.md#record). */
export function fieldsOfBegunRecording({ uuid, url }: StartedRecording): Readonly<Record<string, string>> {
  return {
    RecordUrl: url,
    RecordingID: uuid,
    RecordingDuration: '-1',
    RecordingDurationMs: '-1',
    RecordingStartMs: '-1',
    RecordingEndMs: '-1',
    Digits: '',
  };
}
