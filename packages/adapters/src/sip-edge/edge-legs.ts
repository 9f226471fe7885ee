import type { DialRequest, LegEnd, LegListener, Logger, MediaLegs, Telephony } from '@jackfield/platform';
import {
  type Call,
  type CallListener,
  decodeUtf8,
  encodeUtf8,
  type IncomingInvite,
  type InviteOptions,
  parseNameAddr,
  parseSipUri,
  printNameAddr,
  type SipRequest,
} from '@jackfield/sip';
import type { Admission, Admitted } from './admission.ts';
import { legEndOf } from './leg-end.ts';
import { isAnswerable, LegMedia, sdpType } from './leg-media.ts';

export interface EdgeLegsDeps {
  readonly mediaLegs: MediaLegs;
  readonly admission: Admission;
  readonly log: Logger;
  readonly newUuid: () => string;
  /** For the origin line of SDP. */
  readonly newSessionId: () => string;
  /** Host part of From in our INVITEs: the first SIP domain. */
  readonly domain: string;
  /** Address that goes into SDP. */
  readonly mediaAddress: string;
  /** The user agent's door for outgoing calls. */
  readonly invite: (order: InviteOptions, listener: CallListener) => Call;
}

/** One leg between its media and its dialog. */
interface EdgeLeg {
  readonly leg: string;
  readonly media: LegMedia;
  /** The outgoing call, once its INVITE was sent. */
  call: Call | undefined;
  /** The incoming INVITE. */
  readonly incoming: IncomingInvite | undefined;
  /** Set when the reason of the end is ours and not what signalling will say. */
  end: LegEnd | undefined;
  answered: boolean;
}

export interface EdgeLegs {
  /** Everything of the port but opening the sockets. */
  readonly telephony: Omit<Telephony, 'open'>;
  /** Takes an INVITE outside of any dialog. */
  invited(incoming: IncomingInvite): Promise<void>;
  /** Legs that have not ended. */
  count(): number;
  /** Ends every leg, with 503 where it was not answered. */
  hangUpAll(): void;
}

/** Dialogs on one side, media legs on the other, named by the call UUID. */
export function createEdgeLegs(deps: EdgeLegsDeps): EdgeLegs {
  const legs = new Map<string, EdgeLeg>();
  let notify: LegListener = () => {};

  function open(leg: string, incoming: IncomingInvite | undefined): EdgeLeg {
    const media = new LegMedia(deps.mediaLegs, leg, deps.mediaAddress, deps.newSessionId());
    const edge: EdgeLeg = { leg, media, call: undefined, incoming, end: undefined, answered: false };
    legs.set(leg, edge);
    return edge;
  }

  /** The one place where a leg ends: later words about it find nothing. */
  function ended(edge: EdgeLeg, end: LegEnd): void {
    if (!legs.delete(edge.leg)) return;
    edge.media.close().catch((error: unknown) => {
      deps.log.error({ leg: edge.leg, err: error }, 'The media of a leg could not be closed.');
    });
    notify({ type: 'leg-ended', leg: edge.leg, end: edge.end ?? end });
  }

  function listenerOf(edge: EdgeLeg): CallListener {
    return {
      ringing: () => notify({ type: 'leg-ringing', leg: edge.leg }),
      answered: (response) => connectAnswer(edge, response.body),
      acknowledged(body) {
        if (edge.media.awaitsAnswer) connectAnswer(edge, body);
      },
      offered: (request) => answerReinvite(edge, request),
      ended: (reason) => ended(edge, legEndOf(reason)),
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
    if (edge.answered) return;
    edge.answered = true;
    notify({ type: 'leg-answered', leg: edge.leg });
  }

  function answerReinvite(edge: EdgeLeg, request: SipRequest): void {
    const call = callOf(edge);
    const body = request.body === '' ? edge.media.offer() : edge.media.answer(request.body);
    if (body === undefined) call?.refuseOffer(488);
    else call?.answerOffer({ body, contentType: sdpType });
  }

  async function dial(request: DialRequest): Promise<void> {
    const edge = open(request.leg, undefined);
    if (request.targets.length === 0) return ended(edge, { by: 'no-target' });
    try {
      await edge.media.open();
    } catch (error) {
      deps.log.warn({ leg: request.leg, err: error }, 'No media port for an outgoing leg.');
      return ended(edge, { by: 'media-failed' });
    }
    if (edge.end !== undefined) return ended(edge, edge.end);
    edge.call = deps.invite(
      {
        targets: request.targets,
        from: addressOf(request.from.user, deps.domain, request.from.displayName),
        to: addressOf(request.to.user, deps.domain, undefined),
        headers: [...headersOf(request.headers), ['X-CallUUID', request.leg]],
        content: { body: edge.media.offer(), contentType: sdpType },
      },
      listenerOf(edge),
    );
  }

  async function invited(incoming: IncomingInvite): Promise<void> {
    const admitted = await deps.admission.admit(incoming.request, incoming.sourceAddress);
    if (!admitted.ok) return incoming.reject(admitted.status, { headers: admitted.headers });
    const callee = parseSipUri(incoming.request.uri)?.user;
    if (callee === undefined) return incoming.reject(404);
    if (!isAnswerable(incoming.request.body)) return incoming.reject(488);
    const edge = open(deps.newUuid(), incoming);
    incoming.listen(listenerOf(edge));
    if (legs.has(edge.leg))
      notify({ type: 'leg-offered', leg: edge.leg, ...partiesOf(incoming, callee, admitted) });
  }

  async function answer(edge: EdgeLeg, incoming: IncomingInvite): Promise<void> {
    try {
      await edge.media.open();
    } catch (error) {
      deps.log.warn({ leg: edge.leg, err: error }, 'No media port for an incoming leg.');
      edge.end = { by: 'media-failed' };
      return incoming.reject(503);
    }
    if (!legs.has(edge.leg)) return; // the caller gave up meanwhile; the port is closed by its end
    const offer = incoming.request.body;
    const body = offer === '' ? edge.media.offer() : edge.media.answer(offer);
    if (body === undefined) {
      edge.end = { by: 'media-failed' };
      return incoming.reject(488);
    }
    incoming.accept({ body, contentType: sdpType }, [['X-CallUUID', edge.leg]]);
    if (!edge.media.awaitsAnswer) told(edge);
  }

  const telephony: EdgeLegs['telephony'] = {
    listen: (listener) => {
      notify = listener;
    },
    dial: (request) => void dial(request),
    ring: (leg) => legs.get(leg)?.incoming?.ring(180, { headers: [['X-CallUUID', leg]] }),
    answer(leg) {
      const edge = legs.get(leg);
      if (edge?.incoming !== undefined && !edge.answered) void answer(edge, edge.incoming);
    },
    hangUp(leg, status) {
      const edge = legs.get(leg);
      if (edge === undefined) return;
      if (edge.incoming !== undefined && !edge.answered) {
        edge.end = { by: 'local' };
        edge.incoming.reject(status ?? 603);
      } else if (callOf(edge) !== undefined) callOf(edge)?.hangUp();
      else edge.end = { by: 'local' }; // its media port is being opened; dial() looks when that is done
    },
  };

  return {
    telephony,
    invited,
    count: () => legs.size,
    hangUpAll() {
      for (const leg of [...legs.keys()]) telephony.hangUp(leg, 503);
    },
  };
}

function callOf(edge: EdgeLeg): Call | undefined {
  return edge.call ?? edge.incoming;
}

function partiesOf(incoming: IncomingInvite, callee: string, { account, endpoint, user }: Admitted) {
  const from = parseNameAddr(incoming.request.headers.get('From') ?? '');
  const fromUser = from === undefined ? undefined : parseSipUri(from.uri)?.user;
  return {
    account,
    endpoint,
    from: user === '' ? (fromUser ?? '') : user,
    to: callee,
    callerName: from?.displayName === undefined ? '' : decodeUtf8(from.displayName),
    sourceAddress: incoming.sourceAddress,
  };
}

function addressOf(user: string, domain: string, displayName: string | undefined): string {
  const name = displayName === undefined || displayName === '' ? undefined : encodeUtf8(displayName);
  return printNameAddr({ displayName: name, uri: `sip:${user}@${domain}`, params: [] });
}

function headersOf(headers: Readonly<Record<string, string>> | undefined): [string, string][] {
  return Object.entries(headers ?? {}).map(([name, value]) => [name, encodeUtf8(value)]);
}
