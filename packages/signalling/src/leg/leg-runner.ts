import type { LegKey, LegStatistics, Logger, MediaLegs } from '@jackfield/ports';
import { type CallListener, keyOfInfo, type UserAgent } from '@jackfield/sip';
import { inviteOf } from '../parties/parties.ts';
import { confinedAudio, type DialTermsDeps, dialledAudioReach, dialTerms } from './dial-terms.ts';
import { sdpType } from './leg-audio.ts';
import { legEndOf } from './leg-end.ts';
import { legMachine } from './leg-machine.ts';
import { lacksKeys, newKeys } from './leg-srtp.ts';
import type { LegEffect, LegInput } from './leg-state.ts';
import { mediaFailed } from './leg-steps.ts';
import { callOf, type LiveLeg } from './live-leg.ts';
import type { Transfers } from './transfers.ts';

export interface LegRunnerDeps extends DialTermsDeps {
  readonly mediaLegs: MediaLegs;
  readonly log: Logger;
  /** The host part of From in our INVITEs. */
  readonly domain: string;
  readonly invite: UserAgent['invite'];
  /** Unpredictable bytes for SRTP keys; absent without SRTP. */
  readonly randomBytes: ((count: number) => Uint8Array) | undefined;
  readonly transfers: Transfers;
  readonly press: (key: LegKey) => void;
  /** The leg has ended. */
  readonly forget: (live: LiveLeg) => void;
}

type FinishEffect = Extract<LegEffect, { readonly do: 'finish' }>;

type DialogEffect = Extract<
  LegEffect,
  { readonly do: 'send-provisional' | 'accept' | 'reject' | 'answer-session' | 'refuse-session' | 'hang-up' }
>;

/** Runs the machines of legs: one input at a time; its effects come before the next input. */
export interface LegRunner {
  feed(live: LiveLeg, input: LegInput): void;
  /** Turns what the dialog of a leg reports into inputs. */
  listenerOf(live: LiveLeg): CallListener;
}

export function createLegRunner(deps: LegRunnerDeps): LegRunner {
  const { log, transfers } = deps;

  function feed(live: LiveLeg, input: LegInput): void {
    live.inputs.push(input);
    if (live.isStepping) return;
    live.isStepping = true;
    try {
      for (let next = live.inputs.shift(); next !== undefined; next = live.inputs.shift()) take(live, next);
    } finally {
      live.isStepping = false;
    }
  }

  function take(live: LiveLeg, input: LegInput): void {
    try {
      // The machine of a leg measures no time: the dialog has the timers.
      const { state, effects } = legMachine.step(live.state, input, 0);
      live.state = state;
      for (const effect of effects) perform(live, effect);
    } catch (error) {
      broken(live, error, input);
    }
    const { randomBytes } = deps;
    if (randomBytes === undefined || live.state.phase === 'ended') return;
    if (lacksKeys(live.state.audio.srtp)) feed(live, { type: 'keys-drawn', keys: newKeys(randomBytes) });
  }

  /** An unforeseen error ends only the leg where it happened. */
  function broken(live: LiveLeg, error: unknown, input?: LegInput): void {
    log.error({ leg: live.leg, err: error }, 'leg ended by an unexpected error');
    if (input?.type !== 'broken') {
      feed(live, { type: 'broken' });
      return;
    }
    // The orderly end failed as well.
    live.state = { phase: 'ended' };
    finish(live, { end: mediaFailed, hasPort: true });
  }

  function perform(live: LiveLeg, effect: LegEffect): void {
    const { leg } = live;
    switch (effect.do) {
      case 'open-port':
        openPort(live).catch((error: unknown) => broken(live, error));
        break;
      case 'close-port':
        void closePort(leg);
        break;
      case 'connect-media':
        deps.mediaLegs.connect(leg, confinedAudio(effect.agreed, sourceOf(live), live.audioReach));
        break;
      case 'invite':
        invite(live, effect.offer);
        break;
      case 'notify':
        live.listener({ type: effect.notice, leg });
        break;
      case 'finish':
        finish(live, effect);
        break;
      default:
        orderDialog(live, effect);
    }
  }

  async function openPort(live: LiveLeg): Promise<void> {
    if (live.request !== undefined) {
      live.audioReach = dialledAudioReach(deps, live.request.targets);
      live.terms = await dialTerms(deps, live.request);
    }
    let port: number;
    try {
      ({ port } = await deps.mediaLegs.open(live.leg));
    } catch (error) {
      log.warn({ leg: live.leg, err: error }, 'media port open failed');
      feed(live, { type: 'port-failed' });
      return;
    }
    feed(live, { type: 'port-opened', port });
  }

  function closePort(leg: string): Promise<LegStatistics | undefined> {
    return deps.mediaLegs.close(leg).catch((error: unknown) => {
      log.error({ leg, err: error }, 'media port close failed');
      return undefined;
    });
  }

  function invite(live: LiveLeg, offer: string): void {
    const { leg, request, terms, forwardsLeft } = live;
    if (request === undefined) throw new Error('An incoming leg sends no INVITE');
    if (live.outgoing !== undefined) transfers.ended(live.outgoing);
    live.outgoing = undefined;
    const order = { ...inviteOf(request, deps.domain), maxForwards: forwardsLeft, content: contentOf(offer) };
    try {
      live.outgoing = deps.invite({ ...order, ...terms }, listenerOf(live));
    } catch (error) {
      log.error({ leg, err: error }, 'INVITE could not be written');
      feed(live, { type: 'invite-failed' });
      return;
    }
    transfers.began(leg, live.outgoing, request.targets);
  }

  function finish(live: LiveLeg, { end, hasPort }: Omit<FinishEffect, 'do'>): void {
    const { leg } = live;
    deps.forget(live);
    live.release?.();
    const call = callOf(live);
    if (call !== undefined) transfers.ended(call);
    const closed = hasPort ? closePort(leg) : Promise.resolve(undefined);
    void closed.then((media) => live.listener({ type: 'leg-ended', leg, end, ...(media && { media }) }));
  }

  function listenerOf(live: LiveLeg): CallListener {
    return {
      ringing: (response) => feed(live, { type: 'provisional', response }),
      answered: (response) => feed(live, { type: 'accepted-by-peer', response }),
      acknowledged: (answer) => feed(live, { type: 'acknowledged', answer }),
      offered: (request) => feed(live, { type: 'session-offered', request }),
      offerAnswered: (response) => feed(live, { type: 'session-answered', response }),
      info(request) {
        const key = keyOfInfo(request);
        if (key !== undefined) deps.press({ leg: live.leg, ...key });
      },
      referred(request) {
        const call = callOf(live);
        if (call === undefined) return;
        transfers.referred(live.leg, call, request).catch((error: unknown) => {
          log.error({ leg: live.leg, err: error }, 'REFER could not be answered');
          call.refuseReferral(500);
        });
      },
      ended(reason) {
        const refusal = reason.by === 'rejected' ? { status: reason.status } : {};
        feed(live, { type: 'dialog-ended', end: legEndOf(reason), ...refusal });
      },
    };
  }

  return { feed, listenerOf };
}

/** Effects on the dialog of a leg. */
function orderDialog(live: LiveLeg, effect: DialogEffect): void {
  const { leg, incoming } = live;
  switch (effect.do) {
    case 'send-provisional':
      incoming?.ring(effect.status, {
        headers: headersOf(leg),
        ...(effect.description === undefined ? {} : { content: contentOf(effect.description) }),
      });
      break;
    case 'accept':
      incoming?.accept(contentOf(effect.description), headersOf(leg));
      break;
    case 'reject':
      incoming?.reject(effect.status);
      break;
    case 'answer-session':
      callOf(live)?.answerOffer(contentOf(effect.description));
      break;
    case 'refuse-session':
      callOf(live)?.refuseOffer(effect.status);
      break;
    case 'hang-up':
      callOf(live)?.hangUp();
      break;
  }
}

function contentOf(body: string) {
  return { body, contentType: sdpType };
}

function headersOf(leg: string): readonly (readonly [string, string])[] {
  return [['X-CallUUID', leg]];
}

/** The source address of the peer's last message. */
function sourceOf({ state }: LiveLeg): string | undefined {
  return 'audio' in state ? state.audio.peer.source : undefined;
}
