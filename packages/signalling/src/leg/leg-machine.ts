import type { Machine } from '@jackfield/ports';
import { stepDialled, stepPreparing } from './dialled-leg.ts';
import { withKeys } from './leg-srtp.ts';
import type { LegEffect, LegInput, LegState } from './leg-state.ts';
import { type LegStep, stay } from './leg-steps.ts';
import { withNextIce } from './leg-webrtc.ts';
import { stepAccepted, stepAnswered, stepOffered } from './offered-leg.ts';

/**
 * One SIP leg from its INVITE to its end. It draws no random number: the runner sends `keys-drawn` while `lacksKeys` holds for
 * `audio.srtp`, and `ice-drawn` while `lacksIce` holds for `audio.webrtc`.
 */
export const legMachine: Machine<LegState, LegInput, LegEffect> = {
  step(state, input): LegStep {
    if (state.phase === 'ended') return input.type === 'port-opened' ? closePort(state) : stay(state);
    if (input.type === 'keys-drawn') {
      const { audio } = state;
      return stay({ ...state, audio: { ...audio, srtp: withKeys(audio.srtp, input.keys) } });
    }
    if (input.type === 'ice-drawn') {
      const { audio } = state;
      return stay({
        ...state,
        audio: { ...audio, webrtc: audio.webrtc && withNextIce(audio.webrtc, input.ice) },
      });
    }
    switch (state.phase) {
      case 'offered':
        return stepOffered(state, input);
      case 'accepted':
        return stepAccepted(state, input);
      case 'preparing':
        return stepPreparing(state, input);
      case 'dialling':
      case 'early':
        return stepDialled(state, input);
      case 'answered':
        return stepAnswered(state, input);
    }
  },
};

/** The leg ended while its port was being opened. */
function closePort(state: LegState): LegStep {
  return { state, effects: [{ do: 'close-port' }] };
}
