import type { LegStatistics, Logger, MediaLegs, OpenedLeg } from '@jackfield/ports';
import type { CallListener, UserAgent } from '@jackfield/sip';
import { inviteOf } from '../parties/parties.ts';
import { unavailable } from '../requests/fault-answer.ts';
import { confinedAudio, type DialTermsDeps, dialledAudioReach, dialTerms } from './dial-terms.ts';
import { leftDialogOf } from './left-dialogs.ts';
import { sdpType } from './leg-audio.ts';
import type { LegEffect, LegInput } from './leg-state.ts';
import { callOf, type LiveLeg } from './live-leg.ts';
import type { Transfers } from './transfers.ts';

export interface LegEffectsDeps extends DialTermsDeps {
  readonly mediaLegs: MediaLegs;
  readonly log: Logger;
  /** The host part of From in our INVITEs. */
  readonly domain: string;
  readonly invite: UserAgent['invite'];
  /** `leg-answered` carries the dialog, for a successor of this process. */
  readonly leavesDialogs?: boolean;
  readonly transfers: Transfers;
  readonly listenerOf: (live: LiveLeg) => CallListener;
  /** The leg has ended. */
  readonly forget: (live: LiveLeg) => void;
}

/** Accepts the outcomes of effects. */
export interface LegInbox {
  send(live: LiveLeg, input: LegInput): void;
  /** The work for an effect threw. */
  broken(live: LiveLeg, error: unknown): void;
}

type FinishEffect = Extract<LegEffect, { readonly do: 'finish' }>;

type DialogEffect = Extract<
  LegEffect,
  { readonly do: 'send-provisional' | 'accept' | 'reject' | 'answer-session' | 'refuse-session' | 'hang-up' }
>;

/** Carries out the effects of legs on their dialogs and media ports. */
export interface LegEffects {
  perform(live: LiveLeg, effect: LegEffect): void;
  /** Releases all that the leg has, and reports its end. */
  finish(live: LiveLeg, effect: Omit<FinishEffect, 'do'>): void;
}

export function createLegEffects(deps: LegEffectsDeps, inbox: LegInbox): LegEffects {
  const { log, transfers, mediaLegs } = deps;

  async function openPort(live: LiveLeg): Promise<void> {
    if (live.request !== undefined) {
      live.audioReach = dialledAudioReach(deps, live.request.targets);
      live.terms = await dialTerms(deps, live.request);
    }
    let opened: OpenedLeg;
    try {
      opened = await mediaLegs.open(live.leg, iceOf(live), live.request?.beside);
    } catch (error) {
      log.warn({ leg: live.leg, err: error }, 'media port open failed');
      inbox.send(live, { type: 'port-failed' });
      return;
    }
    inbox.send(live, { type: 'port-opened', opened });
  }

  function dialogIn(notice: string, live: LiveLeg): { readonly dialog?: string } {
    const dialog = deps.leavesDialogs && notice === 'leg-answered' ? leftDialogOf(live) : undefined;
    return dialog === undefined ? {} : { dialog };
  }

  function closePort(leg: string): Promise<LegStatistics | undefined> {
    return mediaLegs.close(leg).catch((error: unknown) => {
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
      live.outgoing = deps.invite({ ...order, ...terms }, deps.listenerOf(live));
    } catch (error) {
      log.error({ leg, err: error }, 'INVITE could not be written');
      inbox.send(live, { type: 'invite-failed' });
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

  return {
    finish,
    perform(live, effect) {
      const { leg } = live;
      switch (effect.do) {
        case 'open-port':
          openPort(live).catch((error: unknown) => inbox.broken(live, error));
          break;
        case 'close-port':
          void closePort(leg);
          break;
        case 'connect-media':
          mediaLegs.connect(leg, confinedAudio(effect.agreed, sourceOf(live), live.audioReach));
          break;
        case 'invite':
          invite(live, effect.offer);
          break;
        case 'notify':
          live.listener({ type: effect.notice, leg, ...dialogIn(effect.notice, live) });
          break;
        case 'finish':
          finish(live, effect);
          break;
        default:
          orderDialog(live, effect);
      }
    },
  };
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
      if (effect.status === 'unavailable') incoming?.reject(unavailable.status, unavailable.fields);
      else incoming?.reject(effect.status);
      break;
    case 'answer-session':
      callOf(live)?.answerOffer(contentOf(effect.description));
      break;
    case 'refuse-session':
      callOf(live)?.refuseOffer(effect.status);
      break;
    case 'hang-up':
      if (live.outgoing === undefined) incoming?.hangUp();
      else live.outgoing.hangUp(effect.completedElsewhere);
      break;
  }
}

function contentOf(body: string) {
  return { body, contentType: sdpType };
}

function headersOf(leg: string): readonly (readonly [string, string])[] {
  return [['X-CallUUID', leg]];
}

/** The credentials of a leg of WebRTC. */
function iceOf({ state }: LiveLeg) {
  return 'audio' in state ? state.audio.webrtc?.ice : undefined;
}

/** The source address of the peer's last message. */
function sourceOf({ state }: LiveLeg): string | undefined {
  return 'audio' in state ? state.audio.peer.source : undefined;
}
