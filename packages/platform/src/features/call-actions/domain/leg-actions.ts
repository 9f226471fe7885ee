import type { Machine, Step, TimerFired } from '@jackfield/ports';
import type { KernelEffect } from '../../../kernel/kernel-effects.ts';

/** Running actions on one live leg: at most one play of each kind, and recordings. All end with the leg. */
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
  /** The call that the request named: this leg, or its partner. A request that names the same call may stop the play. */
  readonly through: string;
}

export interface RunningRecording {
  readonly recording: string;
  readonly url: string;
}

/** The machine passes the order of a play on without reading it. */
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
  /** All recordings, or the recording with this name or URL. */
  | { readonly type: 'end-recordings'; readonly which: string | null }
  | { readonly type: 'recording-over'; readonly recording: string }
  | { readonly type: 'leg-over' };

/** `none`: no such play or recording. */
export type LegActionsReply = 'done' | 'none' | 'full' | 'over';

export type LegActionsEffect<Order> =
  | KernelEffect<never, LegActionsReply>
  | { readonly do: 'play'; readonly play: string; readonly order: Order }
  | { readonly do: 'stop-play'; readonly play: string }
  | { readonly do: 'stop-recording'; readonly recording: string };

/** Recordings of one leg by this API at the same time; only a faulty program needs more. */
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
  if (state.phase === 'over') return { state, effects: isRequest(input) ? [reply('over')] : [] };
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
      // A play that was replaced or stopped is unknown here.
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
      const matching = state.recordings.filter(
        ({ recording, url }) => which === null || which === recording || which === url,
      );
      if (matching.length === 0) return { state, effects: [reply('none')] };
      return {
        state: { ...state, recordings: state.recordings.filter((each) => !matching.includes(each)) },
        effects: [...matching.map(stopRecording), reply('done')],
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

function isRequest(input: { readonly type: string }): boolean {
  return input.type.startsWith('begin-') || input.type.startsWith('end-');
}

const reply = (answer: LegActionsReply) => ({ do: 'reply', reply: answer }) as const;

const stopRecording = ({ recording }: RunningRecording) => ({ do: 'stop-recording', recording }) as const;

function stopped(running: RunningPlay | null) {
  return running === null ? [] : [{ do: 'stop-play', play: running.play } as const];
}
