import type { DialogListenersDeps } from './dialog-listener.ts';
import { createDialogListeners } from './dialog-listener.ts';
import { createLegEffects, type LegEffectsDeps } from './leg-effects.ts';
import { legMachine } from './leg-machine.ts';
import { type DrawKeys, lacksKeys } from './leg-srtp.ts';
import type { LegInput } from './leg-state.ts';
import { mediaFailed } from './leg-steps.ts';
import { type DrawIce, lacksIce } from './leg-webrtc.ts';
import type { LiveLeg } from './live-leg.ts';

export interface LegRunnerDeps extends Omit<LegEffectsDeps, 'listenerOf'>, Omit<DialogListenersDeps, 'send'> {
  /** Draws keys in place of abandoned ones; absent without SRTP. */
  readonly drawKeys: DrawKeys | undefined;
  /** Draws credentials in place of used ones; absent without WebRTC. */
  readonly drawIce: DrawIce | undefined;
}

/** Runs the machines of legs: one input at a time; its effects come before the next input. */
export interface LegRunner {
  send(live: LiveLeg, input: LegInput): void;
  /** Turns the events of the dialog of a leg into inputs. */
  readonly listenerOf: ReturnType<typeof createDialogListeners>;
}

export function createLegRunner(deps: LegRunnerDeps): LegRunner {
  const listenerOf = createDialogListeners({ ...deps, send });
  const effects = createLegEffects({ ...deps, listenerOf }, { send, broken });

  function send(live: LiveLeg, input: LegInput): void {
    live.inputs.push(input);
    if (live.isStepping) return;
    live.isStepping = true;
    try {
      for (let next = live.inputs.shift(); next !== undefined; next = live.inputs.shift()) step(live, next);
    } finally {
      live.isStepping = false;
    }
  }

  function step(live: LiveLeg, input: LegInput): void {
    try {
      // The machine of a leg measures no time: the dialog has the timers.
      const step = legMachine.step(live.state, input, 0);
      live.state = step.state;
      for (const effect of step.effects) effects.perform(live, effect);
    } catch (error) {
      broken(live, error, input);
    }
    draw(live);
  }

  function draw(live: LiveLeg): void {
    if (live.state.phase === 'ended') return;
    const { srtp, webrtc } = live.state.audio;
    const { drawKeys, drawIce } = deps;
    if (drawKeys !== undefined && lacksKeys(srtp)) send(live, { type: 'keys-drawn', keys: drawKeys() });
    if (drawIce !== undefined && lacksIce(webrtc)) send(live, { type: 'ice-drawn', ice: drawIce() });
  }

  /** An unforeseen error ends only the leg where it happened. */
  function broken(live: LiveLeg, error: unknown, input?: LegInput): void {
    deps.log.error({ leg: live.leg, err: error }, 'leg ended by an unexpected error');
    if (input?.type !== 'broken') {
      send(live, { type: 'broken' });
      return;
    }
    // The step towards an orderly end failed as well.
    live.state = { phase: 'ended' };
    effects.finish(live, { end: mediaFailed, hasPort: true });
  }

  return { send, listenerOf };
}
