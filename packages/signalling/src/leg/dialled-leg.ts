import { answerEarlyOffer, noEarlyAnswers, takeFinalAnswer, takeProvisional } from './early-answers.ts';
import { type LegAudio, makeDowngradedOffer, makeOffer, withoutWebrtc, withPort } from './leg-audio.ts';
import type { DialledLeg, LegEffect, LegInput, PreparingLeg } from './leg-state.ts';
import {
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

/** A leg that we dial, before its INVITE: waits for its media port. */
export function stepPreparing(state: PreparingLeg, input: LegInput): LegStep {
  switch (input.type) {
    case 'dial':
      return dial(state, input);
    case 'port-opened': {
      const audio = withPort(state.audio, input.opened);
      // The leg was hung up while its port was being opened.
      if (state.cause !== undefined) return finish({ ...state, audio }, state.cause);
      const { audio: offered, description } = makeOffer(audio);
      return invite(offered, description);
    }
    case 'port-failed':
    case 'broken':
      return finish(state, mediaFailed);
    case 'hang-up':
      return stay({ ...state, cause: { by: 'local' } });
    default:
      return stay(state);
  }
}

/** A leg whose INVITE was sent to one or several phones. */
export function stepDialled(state: DialledLeg, input: LegInput): LegStep {
  switch (input.type) {
    case 'provisional':
      return takeRinging(state, input);
    case 'accepted-by-peer': {
      const { audio, answer, ...agreed } = takeFinalAnswer(state.answers, state.audio, input.response);
      const { state: next, effects } = answerWith({ ...state, audio }, answer);
      return { state: next, effects: [...connectEffects(agreed), ...effects] };
    }
    case 'session-offered':
      return answerSession(state, input, (held) => {
        const tag = input.request.headers.address('From')?.tag ?? '';
        const { early, audio, ...described } = answerEarlyOffer(
          held.answers,
          held.audio,
          tag,
          input.request.body,
        );
        return { ...described, state: { ...held, answers: early, audio } };
      });
    case 'session-answered':
      return renewSession(state, input.response);
    case 'hang-up':
      return {
        state: { ...state, isHungUp: true },
        effects: [{ do: 'hang-up', completedElsewhere: input.completedElsewhere ?? false }],
      };
    case 'broken':
      return hangUpWithoutMedia({ ...state, isHungUp: true });
    case 'invite-failed':
      return finish(state, mediaFailed);
    case 'dialog-ended':
      return dialAgain(state, input) ?? finish(state, input.end);
    default:
      return stay(state);
  }
}

function dial(state: PreparingLeg, { targets, forwardsLeft }: Extract<LegInput, { type: 'dial' }>): LegStep {
  if (targets === 0) return finish(state, { by: 'no-target' });
  // RFC 3261 §16.3, RFC 7332 §3: a call in a loop ends here.
  if (forwardsLeft < 0) return finish(state, { by: 'rejected', sipStatus: 483 });
  return { state, effects: [{ do: 'open-port' }] };
}

function invite(audio: LegAudio, offer: string): LegStep {
  return {
    state: { phase: 'dialling', audio, answers: noEarlyAnswers(offer), isHungUp: false },
    effects: [{ do: 'invite', offer }],
  };
}

function takeRinging(
  state: DialledLeg,
  { response }: Extract<LegInput, { readonly type: 'provisional' }>,
): LegStep {
  const { early: answers, isPlaying, ...agreed } = takeProvisional(state.answers, state.audio, response);
  const { audio } = agreed;
  const effects: LegEffect[] = [{ do: 'notify', notice: 'leg-ringing' }, ...connectEffects(agreed)];
  if (!isPlaying || state.phase === 'early') return { state: { ...state, answers, audio }, effects };
  effects.push({ do: 'notify', notice: 'leg-early' });
  return { state: { ...state, phase: 'early', answers, audio }, effects };
}

/**
 * Another INVITE after the description was refused: without WebRTC, on a port of its own, and then without an offer of SRTP (RFC 8643).
 */
function dialAgain(
  { audio, isHungUp }: DialledLeg,
  { status }: Extract<LegInput, { readonly type: 'dialog-ended' }>,
): LegStep | undefined {
  if (status === undefined || isHungUp) return undefined;
  const plain = withoutWebrtc(audio, status);
  if (plain !== undefined) {
    return { state: { phase: 'preparing', audio: plain }, effects: [{ do: 'open-port' }] };
  }
  const again = makeDowngradedOffer(audio, status);
  return again && invite(again.audio, again.description);
}
