import type { LegEnd, Step } from '@jackfield/ports';
import type { SipResponse } from '@jackfield/sip';
import {
  type Agreed,
  type Described,
  heardFrom,
  isDescription,
  type LegAudio,
  makeAnswer,
  makeOffer,
  renewAnswer,
  takeAnswer,
} from './leg-audio.ts';
import type { EndedLeg, LegEffect, LegInput, LegState } from './leg-state.ts';

/** One step of a leg. */
export type LegStep<State extends LegState = LegState> = Step<State, LegEffect>;

/** A leg with audio, whose session can change. */
export type LegWithAudio = Exclude<LegState, EndedLeg>;

/** The cause of a leg whose media could not be negotiated or opened. */
export const mediaFailed: LegEnd = { by: 'media-failed' };

/** Keeps the state without effects. */
export function stay<State extends LegState>(state: State): LegStep<State> {
  return { state, effects: [] };
}

/** The end: reported once, because the ended leg accepts no further input. */
export function finish(state: LegWithAudio, end: LegEnd): LegStep {
  const hasPort = state.audio.port !== 0;
  return { state: { phase: 'ended' }, effects: [{ do: 'finish', end: state.cause ?? end, hasPort }] };
}

/** What answers a session offer; without a description there was nothing in common. */
export type SessionAnswer<State extends LegWithAudio> = { readonly state: State } & Partial<Described> &
  Pick<Agreed, 'connect'>;

/** The effect on the media engine, where an agreement changed. */
export function connectEffects({ connect }: Pick<Agreed, 'connect'>): LegEffect[] {
  return connect === undefined ? [] : [{ do: 'connect-media', agreed: connect }];
}

/** Ends a dialog whose answer describes no audio in common. */
export function hangUpWithoutMedia<State extends LegWithAudio>(state: State): LegStep {
  return { state: { ...state, cause: mediaFailed }, effects: [{ do: 'hang-up', completedElsewhere: false }] };
}

/** Applies the answer of the phone and reports the leg as answered; without common audio the dialog ends. */
export function answerWith(state: LegWithAudio, answer: string): LegStep {
  const agreed = takeAnswer(state.audio, answer);
  if (agreed === undefined) return hangUpWithoutMedia(state);
  return {
    state: answered(state, agreed.audio),
    effects: [...connectEffects(agreed), { do: 'notify', notice: 'leg-answered' }],
  };
}

/** The answered form of a leg. */
export function answered({ cause }: LegWithAudio, audio: LegAudio): LegState {
  return { phase: 'answered', audio, ...(cause && { cause }) };
}

/** A re-INVITE, UPDATE or PRACK whose offer any live leg answers in the same way; `answer` differs for a forked call. */
export function answerSession<State extends LegWithAudio>(
  before: State,
  { request }: Extract<LegInput, { readonly type: 'session-offered' }>,
  answer: (state: State) => SessionAnswer<State> = (state) => answerAs(state, request.body),
): LegStep {
  const state = { ...before, audio: heardFrom(before.audio, request) };
  if (!isDescription(request)) return { state, effects: [{ do: 'refuse-session', status: 415 }] };
  if (request.body === '') {
    const { audio, description } = makeOffer(state.audio);
    return { state: { ...state, audio }, effects: [{ do: 'answer-session', description }] };
  }
  const next = answer(state);
  const { description } = next;
  if (description === undefined) {
    return { state: next.state, effects: [{ do: 'refuse-session', status: 488 }] };
  }
  return {
    state: next.state,
    effects: [...connectEffects(next), { do: 'answer-session', description }],
  };
}

function answerAs<State extends LegWithAudio>(state: State, offer: string): SessionAnswer<State> {
  const described = makeAnswer(state.audio, offer);
  return described === undefined ? { state } : { ...described, state: { ...state, audio: described.audio } };
}

/** The 2xx to a description that we repeated. */
export function renewSession<State extends LegWithAudio>(state: State, response: SipResponse): LegStep {
  const agreed = renewAnswer(state.audio, response);
  return { state: { ...state, audio: agreed.audio }, effects: connectEffects(agreed) };
}
