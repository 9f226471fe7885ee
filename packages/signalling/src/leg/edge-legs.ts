import type {
  DialRequest,
  LegEnd,
  LegKey,
  LegListener,
  LegStatistics,
  Logger,
  MediaLegs,
  Telephony,
} from '@jackfield/ports';
import {
  type AnswerFields,
  type CallListener,
  type IncomingInvite,
  keyOfInfo,
  type SipRequest,
  tagOf,
  type UserAgent,
} from '@jackfield/sip';
import type { Admission } from '../admission/admission.ts';
import type { CallPlaces } from '../defence/call-places.ts';
import { calleeMeantBy, orderOf } from '../parties/parties.ts';
import type { Gruus } from '../registrar/gruus.ts';
import { confineCaller, type DialTermsDeps, dialTerms } from './dial-terms.ts';
import { EarlyMedia } from './early-media.ts';
import { callOf, type EdgeLeg, newEdgeLeg } from './edge-leg.ts';
import { firstForwards, forwardsLeftOf } from './forwards-left.ts';
import { legEndOf } from './leg-end.ts';
import { isAnswerable, isDescription, LegMedia, sdpType } from './leg-media.ts';
import { cameInPrivate, LegCrypto, type SrtpOptions } from './leg-media-crypto.ts';
import { offeredNotice } from './offered-notice.ts';
import { createTransfers } from './transfers.ts';

export interface EdgeLegsDeps extends DialTermsDeps {
  readonly mediaLegs: MediaLegs;
  readonly admission: Admission;
  /** URIs of single phones, which may be called and transferred to. */
  readonly gruus?: Gruus;
  /** How many calls may come in; as many as do when absent. */
  readonly places?: CallPlaces;
  readonly log: Logger;
  readonly newUuid: () => string;
  /** For the origin line of SDP. */
  readonly newSessionId: () => string;
  /** SIP domains that are ours, lower case; the first is the host part of From in our INVITEs. */
  readonly domains: readonly [string, ...string[]];
  /** Address that goes into SDP. */
  readonly mediaAddress: string;
  /** No SRTP when absent. */
  readonly srtp?: SrtpOptions;
  /** The user agent's door for outgoing calls. */
  readonly invite: UserAgent['invite'];
  /** Why no new call is taken now; undefined when calls are taken. */
  readonly closedBecause: () => { readonly status: number; readonly fields: AnswerFields } | undefined;
}

export interface EdgeLegs {
  /** Everything of the port but opening the sockets. */
  readonly telephony: Omit<Telephony, 'open'>;
  /** Dials a leg whose notices go to this listener alone. */
  dialFor(request: DialRequest, listener: LegListener): void;
  /** Takes an INVITE outside of any dialog. */
  invited(incoming: IncomingInvite): void;
  /** Legs that have not ended. */
  count(): number;
  /** Ends every leg, with 503 where it was not answered. */
  hangUpAll(): void;
}

/** One of the calls that hold all places may be over soon. */
const noPlace: AnswerFields = { headers: [['Retry-After', '10']] };

/** Dialogs on one side, media legs on the other, named by the call UUID. */
export function createEdgeLegs(deps: EdgeLegsDeps): EdgeLegs {
  const { log } = deps;
  const legs = new Map<string, EdgeLeg>();
  let notify: LegListener = () => {};
  let press: (key: LegKey) => void = () => {};
  const transfers = createTransfers(deps.domains, deps.gruus);

  function open(
    leg: string,
    listener: LegListener,
    incoming: IncomingInvite | undefined,
    crypto: LegCrypto,
    forwardsLeft: number,
  ): EdgeLeg {
    const media = new LegMedia(deps.mediaLegs, leg, deps.mediaAddress, deps.newSessionId(), crypto);
    if (incoming !== undefined) media.cameFrom(incoming.request);
    const edge = newEdgeLeg(leg, media, listener, incoming, forwardsLeft);
    legs.set(leg, edge);
    return edge;
  }

  function isOfBrowser(flow: string | undefined): boolean {
    const protocol = flow === undefined ? undefined : deps.srtp?.protocolOf(flow);
    return protocol === 'ws' || protocol === 'wss';
  }

  /** The one place where a leg ends: later words about it find nothing. */
  function ended(edge: EdgeLeg, end: LegEnd): void {
    if (legs.get(edge.leg) !== edge) return;
    legs.delete(edge.leg);
    edge.free?.();
    const call = callOf(edge);
    if (call !== undefined) transfers.ended(call);
    closeMedia(edge).then((media) => {
      edge.listener({ type: 'leg-ended', leg: edge.leg, end: edge.end ?? end, ...(media && { media }) });
    });
  }

  function closeMedia(edge: EdgeLeg): Promise<LegStatistics | undefined> {
    return edge.media.close().catch((error: unknown) => {
      log.error({ leg: edge.leg, err: error }, 'The media of a leg could not be closed.');
      return undefined;
    });
  }

  function listenerOf(edge: EdgeLeg): CallListener {
    return {
      ringing(response) {
        edge.listener({ type: 'leg-ringing', leg: edge.leg });
        if (!edge.earlyMedia?.hears(response) || edge.isEarly) return;
        edge.isEarly = true;
        edge.listener({ type: 'leg-early', leg: edge.leg });
      },
      answered: (response) => connectAnswer(edge, edge.earlyMedia?.answeredBy(response) ?? response.body),
      acknowledged(body) {
        if (edge.isExternal && edge.answer === 'accepted' && !edge.media.awaitsAnswer) return told(edge);
        if (!edge.media.awaitsAnswer) return;
        // The PRACK of an early offer (RFC 3262 §5): the leg is heard, but nobody has answered it.
        if (edge.incoming !== undefined && edge.answer !== 'accepted') {
          if (!edge.media.takeAnswer(body)) refuseMedia(edge, edge.incoming);
          return;
        }
        // RFC 3264 wants the answer in the ACK of a re-INVITE without offer. Without it a call that runs goes on as it was.
        if (body === '' && edge.isAnswered) edge.media.giveUpOffer();
        else connectAnswer(edge, body);
      },
      offered: (request) => answerReinvite(edge, request),
      offerAnswered: (response) => edge.media.renewAnswer(response),
      info(request) {
        const key = keyOfInfo(request);
        if (key !== undefined) press({ leg: edge.leg, ...key });
      },
      referred(request) {
        const call = callOf(edge);
        if (call === undefined) return;
        transfers.referred(edge.leg, call, request).catch((error: unknown) => {
          log.error({ leg: edge.leg, err: error }, 'A REFER could not be taken.');
          call.refuseReferral(500);
        });
      },
      ended(reason) {
        const { redial, media } = edge;
        const offer = redial && reason.by === 'rejected' ? media.relent(reason.status) : undefined;
        if (offer === undefined) ended(edge, legEndOf(reason));
        else redial?.(offer);
      },
    };
  }

  function connectAnswer(edge: EdgeLeg, answer: string): void {
    if (edge.media.takeAnswer(answer)) {
      told(edge);
      return;
    }
    edge.end = { by: 'media-failed' };
    callOf(edge)?.hangUp();
  }

  function told(edge: EdgeLeg): void {
    if (edge.isAnswered) return;
    edge.isAnswered = true;
    const call = callOf(edge);
    if (call !== undefined) transfers.answered(call);
    edge.listener({ type: 'leg-answered', leg: edge.leg });
  }

  function answerReinvite(edge: EdgeLeg, request: SipRequest): void {
    const call = callOf(edge);
    edge.media.cameFrom(request);
    if (!isDescription(request)) {
      call?.refuseOffer(415);
      return;
    }
    const body = request.body === '' ? edge.media.offer() : answerOf(edge, request);
    if (body === undefined) call?.refuseOffer(488);
    else call?.answerOffer({ body, contentType: sdpType });
  }

  function answerOf({ media, isAnswered, earlyMedia }: EdgeLeg, { headers, body }: SipRequest) {
    return isAnswered || earlyMedia === undefined
      ? media.answer(body)
      : earlyMedia.answer(tagOf(headers.get('From') ?? '') ?? '', body);
  }

  async function dial(edge: EdgeLeg, request: DialRequest): Promise<void> {
    if (request.targets.length === 0) return ended(edge, { by: 'no-target' });
    // RFC 3261 §16.3, RFC 7332 §3: a call that goes round in a circle ends here.
    if (edge.forwardsLeft < 0) return ended(edge, { by: 'rejected', sipStatus: 483 });
    try {
      await edge.media.open();
    } catch (error) {
      log.warn({ leg: request.leg, err: error }, 'No media port for an outgoing leg.');
      return ended(edge, { by: 'media-failed' });
    }
    const terms = await dialTerms(deps, request);
    // Hung up while the port was being opened.
    if (edge.end !== undefined) return ended(edge, edge.end);
    const [domain] = deps.domains;
    edge.redial = (offer) => {
      edge.earlyMedia = new EarlyMedia(edge.media, offer);
      if (edge.call !== undefined) transfers.ended(edge.call);
      edge.call = deps.invite(
        {
          ...orderOf(request, domain),
          maxForwards: edge.forwardsLeft,
          content: { body: offer, contentType: sdpType },
          ...terms,
        },
        listenerOf(edge),
      );
      transfers.began(edge.leg, edge.call, request.targets);
    };
    edge.media.crypto.address(request.targets);
    // All targets get one description.
    if (request.targets.some((target) => isOfBrowser(target.flow))) edge.media.leaveEventsUndescribed();
    edge.redial(edge.media.offer());
  }

  async function invited(incoming: IncomingInvite): Promise<void> {
    if (refusedBecauseClosed(incoming)) return;
    const { request, sourceAddress, flow } = incoming;
    const admitted = await deps.admission.admit(request, sourceAddress, flow);
    if (!admitted.ok) return incoming.reject(admitted.status, { headers: admitted.headers });
    incoming.trust();
    const callee = admitted.callee ?? (await calleeMeantBy(request.uri, deps, admitted.trunk !== undefined));
    // The doors may have been closed while the credential was looked up.
    if (refusedBecauseClosed(incoming)) return;
    if (callee === undefined) return incoming.reject(404);
    if (!isDescription(incoming.request)) return incoming.reject(415, { headers: [['Accept', sdpType]] });
    const crypto = new LegCrypto(deps.srtp, cameInPrivate(incoming, deps.srtp));
    if (!isAnswerable(incoming.request.body, crypto)) return incoming.reject(488);
    const replaced = transfers.replacedBy(incoming.request);
    if (replaced !== undefined && 'refusal' in replaced) return incoming.reject(replaced.refusal);
    const name = admitted.leg ?? deps.newUuid();
    const edge = open(name, notify, incoming, crypto, forwardsLeftOf(incoming.request));
    if (isOfBrowser(flow)) edge.media.leaveEventsUndescribed();
    edge.isExternal = admitted.external !== undefined;
    if (edge.isExternal) edge.media.sendOnlyTo(incoming.sourceAddress);
    if (!hasPlace(edge, incoming, admitted.account)) return;
    if (admitted.carrier === undefined) confineCaller(deps, edge.leg, incoming);
    transfers.began(edge.leg, incoming);
    incoming.listen(listenerOf(edge));
    // A caller who gave up meanwhile is over before anybody has heard of its leg.
    if (!legs.has(edge.leg)) return;
    edge.listener(offeredNotice(edge.leg, incoming, admitted, callee, replaced?.leg));
  }

  /** False, and the leg is gone again, when there are as many calls as there may be. */
  function hasPlace(edge: EdgeLeg, incoming: IncomingInvite, account: string): boolean {
    edge.free = deps.places?.take(incoming.sourceAddress, account, edge.isExternal);
    if (deps.places === undefined || edge.free !== undefined) return true;
    legs.delete(edge.leg);
    incoming.reject(503, noPlace);
    return false;
  }

  function refusedBecauseClosed(incoming: IncomingInvite): boolean {
    const closed = deps.closedBecause();
    if (closed !== undefined) incoming.reject(closed.status, closed.fields);
    return closed !== undefined;
  }

  /** The media port of an incoming leg; false when there is none, or the caller gave up meanwhile: the leg is over then. */
  async function openIncoming(edge: EdgeLeg, incoming: IncomingInvite): Promise<boolean> {
    edge.opened ??= edge.media.open();
    try {
      await edge.opened;
    } catch (error) {
      if (edge.end !== undefined) return false;
      log.warn({ leg: edge.leg, err: error }, 'No media port for an incoming leg.');
      edge.end = { by: 'media-failed' };
      incoming.reject(503);
      return false;
    }
    // The caller gave up while the port was being opened, so its end found nothing to close.
    if (legs.get(edge.leg) === edge) return true;
    void closeMedia(edge);
    return false;
  }

  async function openEarly(edge: EdgeLeg, incoming: IncomingInvite): Promise<void> {
    const offer = incoming.request.body;
    const headers = [['X-CallUUID', edge.leg] as const];
    if (!(await openIncoming(edge, incoming)) || edge.answer !== 'none') return;
    if (offer === '' && incoming.takesReliable && !edge.isExternal) {
      edge.early ??= edge.media.offer();
      incoming.ring(183, { headers, content: { body: edge.early, contentType: sdpType } });
    } else if (offer === '' || edge.isExternal) {
      // Who made no offer, or has not shown where it is, cannot be made hear before its ACK; the caller rings instead.
      incoming.ring(180, { headers });
    } else {
      edge.early ??= edge.media.answer(offer);
      if (edge.early === undefined) return refuseMedia(edge, incoming);
      incoming.ring(183, { headers, content: { body: edge.early, contentType: sdpType } });
    }
    edge.listener({ type: 'leg-early', leg: edge.leg });
  }

  async function answer(edge: EdgeLeg, incoming: IncomingInvite): Promise<void> {
    if (!(await openIncoming(edge, incoming))) return;
    const offer = incoming.request.body;
    const body = edge.early ?? (offer === '' ? edge.media.offer() : edge.media.answer(offer));
    if (body === undefined) return refuseMedia(edge, incoming);
    edge.answer = 'accepted';
    incoming.accept({ body, contentType: sdpType }, [['X-CallUUID', edge.leg]]);
    if (!edge.media.awaitsAnswer && !edge.isExternal) told(edge);
  }

  function refuseMedia(edge: EdgeLeg, incoming: IncomingInvite): void {
    edge.end = { by: 'media-failed' };
    incoming.reject(488);
  }

  /** What is not foreseen ends the leg it happened to, and nothing else. */
  function guarded(edge: EdgeLeg, work: Promise<void>): void {
    work.catch((error: unknown) => {
      log.error({ leg: edge.leg, err: error }, 'A leg broke and is ended.');
      edge.end = { by: 'media-failed' };
      if (callOf(edge) === undefined) ended(edge, edge.end);
      else hangUp(edge, 500);
    });
  }

  function hangUp(edge: EdgeLeg, status: number): void {
    edge.redial = undefined;
    if (edge.incoming !== undefined) {
      // After a 200 only BYE ends it, also while the ACK is on its way.
      if (edge.answer === 'accepted') edge.incoming.hangUp();
      else edge.incoming.reject(status);
    } else if (edge.call !== undefined) edge.call.hangUp();
    else edge.end = { by: 'local' }; // its media port is being opened; dial() looks when that is done
  }

  function dialFor(request: DialRequest, listener: LegListener): void {
    const forwarded = request.forwards === undefined ? undefined : legs.get(request.forwards);
    const left = forwarded === undefined ? firstForwards : forwarded.forwardsLeft - 1;
    const edge = open(request.leg, listener, undefined, new LegCrypto(deps.srtp), left);
    guarded(edge, dial(edge, request));
  }

  const telephony: EdgeLegs['telephony'] = {
    listen: (listener) => {
      notify = listener;
    },
    listenToKeys: (listener) => {
      press = listener;
    },
    listenToTransfers: (listener) => transfers.listen(listener),
    reportTransfer(leg, status) {
      const edge = legs.get(leg);
      if (edge !== undefined) callOf(edge)?.reportReferral(status);
    },
    dial: (request) => dialFor(request, notify),
    ring: (leg) => legs.get(leg)?.incoming?.ring(180, { headers: [['X-CallUUID', leg]] }),
    openEarly(leg) {
      const edge = legs.get(leg);
      if (edge?.incoming === undefined || edge.answer !== 'none') return;
      guarded(edge, openEarly(edge, edge.incoming));
    },
    answer(leg) {
      const edge = legs.get(leg);
      if (edge?.incoming === undefined || edge.answer !== 'none') return;
      edge.answer = 'wanted';
      guarded(edge, answer(edge, edge.incoming));
    },
    hangUp(leg, status = 603) {
      const edge = legs.get(leg);
      if (edge !== undefined) hangUp(edge, status);
    },
  };

  return {
    telephony,
    dialFor,
    invited(incoming) {
      invited(incoming).catch((error: unknown) => {
        log.error({ err: error }, 'An INVITE could not be taken.');
        incoming.reject(500);
      });
    },
    count: () => legs.size,
    hangUpAll() {
      for (const leg of [...legs.keys()]) telephony.hangUp(leg, 503);
    },
  };
}
