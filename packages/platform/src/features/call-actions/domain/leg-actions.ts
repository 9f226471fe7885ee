import type { Machine, Step, TimerFired } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';

/** What was begun on one live leg and goes on: at most one play of each kind, and recordings. All of it ends with the leg. */
export interface LegActions {
  readonly leg: string;
  readonly play: RunningPlay | null;
  readonly speech: RunningPlay | null;
  /** In the order of their beginning. */
  readonly recordings: readonly RunningRecording[];
  readonly phase: 'live' | 'over';
}

export type PlayKind = 'play' | 'speech';

export interface RunningPlay {
  readonly play: string;
  /** The call that the request named: this leg, or its partner. Whoever asks by that name may stop it. */
  readonly through: string;
}

export interface RunningRecording {
  readonly recording: string;
  readonly url: string;
}

/** What a play is made of is nothing to the machine; it hands it on. */
export type LegActionsInput<Order> =
  | {
      readonly type: 'begin-play';
      readonly kind: PlayKind;
      readonly play: RunningPlay;
      readonly order: Order;
    }
  | { readonly type: 'end-play'; readonly kind: PlayKind; readonly through: string }
  | { readonly type: 'play-over'; readonly play: string }
  | { readonly type: 'begin-recording'; readonly recording: RunningRecording }
  /** All of them, or the one of this name or URL. */
  | { readonly type: 'end-recordings'; readonly which: string | null }
  | { readonly type: 'recording-over'; readonly recording: string }
  | { readonly type: 'leg-over' };

/** `none`: there was nothing of the kind. */
export type LegActionsReply = 'done' | 'none' | 'full' | 'over';

export type LegActionsEffect<Order> =
  | KernelEffect<never, LegActionsReply>
  | { readonly do: 'play'; readonly play: string; readonly order: Order }
  | { readonly do: 'stop-play'; readonly play: string }
  | { readonly do: 'stop-recording'; readonly recording: string };

/** Files that one leg is written into at the same time by this API; more of them are a program gone astray. */
export const maxRecordingsOfLeg = 4;

export function newLegActions(leg: string): LegActions {
  return { leg, play: null, speech: null, recordings: [], phase: 'live' };
}

export function legActionsMachine<Order>(): Machine<
  LegActions,
  LegActionsInput<Order> | TimerFired,
  LegActionsEffect<Order>
> {
  return { step };
}

function step<Order>(
  state: LegActions,
  input: LegActionsInput<Order> | TimerFired,
): Step<LegActions, LegActionsEffect<Order>> {
  if (state.phase === 'over') return { state, effects: isWish(input) ? [reply('over')] : [] };
  switch (input.type) {
    case 'begin-play': {
      const { kind, play, order } = input;
      return {
        state: { ...state, [kind]: play },
        effects: [...stopped(state[kind]), { do: 'play', play: play.play, order }, reply('done')],
      };
    }
    case 'end-play': {
      const running = state[input.kind];
      const isTheirs = running !== null && (input.through === state.leg || input.through === running.through);
      if (!isTheirs) return { state, effects: [reply('none')] };
      return { state: { ...state, [input.kind]: null }, effects: [...stopped(running), reply('done')] };
    }
    case 'play-over': {
      // One that was replaced or stopped is named here no more.
      const kind = (['play', 'speech'] as const).find((each) => state[each]?.play === input.play);
      return { state: kind === undefined ? state : { ...state, [kind]: null }, effects: [] };
    }
    case 'begin-recording':
      if (state.recordings.length >= maxRecordingsOfLeg) return { state, effects: [reply('full')] };
      return {
        state: { ...state, recordings: [...state.recordings, input.recording] },
        effects: [reply('done')],
      };
    case 'end-recordings': {
      const { which } = input;
      const meant = state.recordings.filter(
        ({ recording, url }) => which === null || which === recording || which === url,
      );
      if (meant.length === 0) return { state, effects: [reply('none')] };
      return {
        state: { ...state, recordings: state.recordings.filter((each) => !meant.includes(each)) },
        effects: [...meant.map(stopRecording), reply('done')],
      };
    }
    case 'recording-over': {
      const recordings = state.recordings.filter(({ recording }) => recording !== input.recording);
      return { state: { ...state, recordings }, effects: [] };
    }
    case 'leg-over':
      return {
        state: { ...newLegActions(state.leg), phase: 'over' },
        effects: [...stopped(state.play), ...stopped(state.speech), ...state.recordings.map(stopRecording)],
      };
    case 'timer-fired':
      return { state, effects: [] };
  }
}

function isWish(input: { readonly type: string }): boolean {
  return input.type.startsWith('begin-') || input.type.startsWith('end-');
}

const reply = (answer: LegActionsReply) => ({ do: 'reply', reply: answer }) as const;

const stopRecording = ({ recording }: RunningRecording) => ({ do: 'stop-recording', recording }) as const;

function stopped(running: RunningPlay | null) {
  return running === null ? [] : [{ do: 'stop-play', play: running.play } as const];
}
