import { makeAnswer, makeOffer, takeAnswer, withoutOpenOffer, withPort } from './leg-audio.ts';
import type { AcceptedLeg, AnsweredLeg, LegEffect, LegInput, OfferedLeg } from './leg-state.ts';
import {
  answered,
  answerSession,
  answerWith,
  connectEffects,
  finish,
  hangUpWithoutMedia,
  type LegStep,
  mediaFailed,
  renewSession,
  stay,
} from './leg-steps.ts';

/** An INVITE without a final response: rings, has early media, is answered or refused. */
export function stepOffered(state: OfferedLeg, input: LegInput): LegStep {
  switch (input.type) {
    case 'ring':
      return { state, effects: [{ do: 'send-provisional', status: 180 }] };
    case 'open-early':
      return state.requested === 'answer' ? stay(state) : request(state, 'early-media');
    case 'answer':
      return state.requested === 'answer' ? stay(state) : request(state, 'answer');
    case 'port-opened':
      return openAudio({ ...state, port: 'open', audio: withPort(state.audio, input.opened) });
    case 'port-failed':
      return reject(state, 503);
    case 'hang-up':
      return { state, effects: [{ do: 'reject', status: input.status }] };
    case 'broken':
      return reject(state, 500);
    case 'acknowledged':
      return takeEarlyAnswer(state, input.answer);
    case 'session-offered':
      return answerSession(state, input);
    case 'session-answered':
      return renewSession(state, input.response);
    case 'dialog-ended':
      return finish(state, input.end);
    default:
      return stay(state);
  }
}

/** Our 200 was sent: the ACK answers its offer, or proves that a caller without credentials receives what we send. */
export function stepAccepted(state: AcceptedLeg, input: LegInput): LegStep {
  switch (input.type) {
    case 'acknowledged':
      return answerWith(state, input.answer);
    default:
      return stepAnswered(state, input);
  }
}

/** A call in progress: its session changes until its dialog ends. */
export function stepAnswered(state: AnsweredLeg | AcceptedLeg, input: LegInput): LegStep {
  switch (input.type) {
    case 'acknowledged':
      return takeLateAnswer(state, input.answer);
    case 'session-offered':
      return answerSession(state, input);
    case 'session-answered':
      return renewSession(state, input.response);
    case 'hang-up':
      return { state, effects: [{ do: 'hang-up', completedElsewhere: false }] };
    case 'broken':
      return hangUpWithoutMedia(state);
    case 'dialog-ended':
      return finish(state, input.end);
    default:
      return stay(state);
  }
}

function request(state: OfferedLeg, requested: 'early-media' | 'answer'): LegStep {
  const next = { ...state, requested };
  if (state.port === 'open') return openAudio(next);
  if (state.port === 'opening') return stay(next);
  return { state: { ...next, port: 'opening' }, effects: [{ do: 'open-port' }] };
}

/** The media port is open: performs the requested action. */
function openAudio(state: OfferedLeg): LegStep {
  if (state.requested === 'nothing') return stay(state);
  return state.requested === 'answer' ? accept(state) : sendEarlyMedia(state);
}

function sendEarlyMedia(state: OfferedLeg): LegStep {
  const isHeard = !state.isExternal && (state.offer !== '' || state.takesReliable);
  // A caller without an offer, or without a proven address, gets no audio before its ACK; it rings instead.
  if (!isHeard) return withEarly(state, [{ do: 'send-provisional', status: 180 }]);
  const described = describe(state);
  if (described === undefined) return reject(state, 488);
  const { description, audio, effects } = described;
  const provisional: LegEffect = { do: 'send-provisional', status: 183, description };
  return withEarly({ ...state, audio, early: description }, [...effects, provisional]);
}

function withEarly(state: OfferedLeg, effects: readonly LegEffect[]): LegStep {
  return { state, effects: [...effects, { do: 'notify', notice: 'leg-early' }] };
}

function accept(state: OfferedLeg): LegStep {
  const described = describe(state);
  if (described === undefined) return reject(state, 488);
  const { description, audio, effects } = described;
  const accepted: readonly LegEffect[] = [...effects, { do: 'accept', description }];
  if (audio.awaitsAnswer || state.isExternal) {
    const { cause } = state;
    return { state: { phase: 'accepted', audio, ...(cause && { cause }) }, effects: accepted };
  }
  return {
    state: answered(state, audio),
    effects: [...accepted, { do: 'notify', notice: 'leg-answered' }],
  };
}

/** Our description for the INVITE: that of the 183, an answer to its offer, or an offer. */
function describe({ audio, early, offer }: OfferedLeg) {
  if (early !== undefined) return { audio, description: early, effects: [] };
  if (offer === '') return { ...makeOffer(audio), effects: [] };
  const answer = makeAnswer(audio, offer);
  return answer && { ...answer, effects: connectEffects(answer) };
}

function reject(state: OfferedLeg, status: number): LegStep {
  return { state: { ...state, cause: mediaFailed }, effects: [{ do: 'reject', status }] };
}

/** The PRACK of an early offer (RFC 3262 §5): the leg has audio, but the call is not answered. */
function takeEarlyAnswer(state: OfferedLeg, answer: string): LegStep {
  if (!state.audio.awaitsAnswer) return stay(state);
  const agreed = takeAnswer(state.audio, answer);
  if (agreed === undefined) return reject(state, 488);
  return { state: { ...state, audio: agreed.audio }, effects: connectEffects(agreed) };
}

/** The answer in the ACK of a re-INVITE without offer (RFC 3264 §4). Without it the call continues unchanged. */
function takeLateAnswer(state: AnsweredLeg | AcceptedLeg, answer: string): LegStep {
  const { audio } = state;
  if (!audio.awaitsAnswer) return stay(state);
  if (answer === '') return stay({ ...state, audio: withoutOpenOffer(audio) });
  const agreed = takeAnswer(audio, answer);
  if (agreed === undefined) return hangUpWithoutMedia(state);
  return { state: { ...state, audio: agreed.audio }, effects: connectEffects(agreed) };
}
