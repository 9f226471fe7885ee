import type { Flow } from '../message/flow.ts';
import type { SipRequest } from '../message/message.ts';
import { mergeKey } from '../transaction/key.ts';
import type { AnsweredRequest, Answering } from './answering.ts';
import { receiveInvite } from './incoming-leg.ts';
import type { Leg } from './leg.ts';
import { serveInvite } from './leg-effects.ts';
import { remoteTagOf } from './remote-tag.ts';
import { type Screen, screenExtensions, screenRequest } from './screening.ts';
import type { ServerTransaction } from './transactions.ts';
import type { Guard, IncomingRequest, UserAgentDeps } from './user-agent-options.ts';
import type { UserAgentParts } from './user-agent-parts.ts';

/** A request that starts a server transaction. */
export interface NewRequest extends AnsweredRequest {
  readonly flow: Flow;
  /** The flow over which requests reach its sender. */
  readonly back: string | undefined;
  readonly key: string;
  /** Whether an RFC 2543 element sent it. */
  readonly isOld: boolean;
  /** The leg of its dialog. */
  readonly leg: Leg | undefined;
}

/** The parts of the user agent that serve new requests. */
export interface NewRequestsDeps {
  readonly parts: UserAgentParts;
  readonly answering: Answering;
  readonly screen: Screen;
  readonly guard: Guard | undefined;
  readonly maxDialogs: number;
  readonly on: UserAgentDeps['on'];
}

/** Opens the transaction of each new request, and refuses the request or passes it to its leg or its listener. */
export class NewRequests {
  readonly #deps: NewRequestsDeps;
  #invited: UserAgentDeps['on']['invite'];
  /** The name of the leg of each INVITE server transaction, for CANCEL; weak, because transactions end by themselves. */
  readonly #named = new WeakMap<ServerTransaction, Pick<Leg, 'callId' | 'localTag'>>();

  constructor(deps: NewRequestsDeps) {
    this.#deps = deps;
    this.#invited = deps.on.invite;
  }

  /** See `UserAgent.listen`. */
  listen(invited: UserAgentDeps['on']['invite']): void {
    this.#invited = invited;
  }

  /** RFC 3261 §9.2. */
  cancel(incoming: NewRequest, inviteKey: string | undefined): void {
    const { parts, answering } = this.#deps;
    const { request, back } = incoming;
    const invite = inviteKey === undefined ? undefined : parts.servers.find(inviteKey);
    const transaction = this.#open(incoming, undefined, true);
    if (!invite) {
      answering.refuse(transaction, { status: 481 });
      return;
    }
    const name = this.#named.get(invite);
    answering.answer(transaction, 200, name && { toTag: name.localTag });
    const leg = name && parts.legs.named(name.callId, name.localTag);
    leg?.inDialog(remoteTagOf(request), { type: 'cancelled', transaction: invite.key }, back);
  }

  serve(incoming: NewRequest): void {
    if (incoming.leg) this.#serveInDialog(incoming, incoming.leg);
    else this.#serveOutsideDialogs(incoming);
  }

  #serveInDialog(incoming: NewRequest, leg: Leg): void {
    const { parts, answering, screen } = this.#deps;
    const { request, back, key } = incoming;
    const transaction = this.#open(incoming, undefined, false);
    const refusal = screenExtensions(request, screen);
    if (refusal) {
      answering.refuse(transaction, refusal);
      return;
    }
    if (request.method === 'INVITE') {
      serveInvite(parts, leg, key, false);
      this.#named.set(transaction, nameOf(leg));
    }
    const input = { type: 'request', transaction: key, request, chance: parts.chance() } as const;
    leg.inDialog(remoteTagOf(request), input, back);
  }

  #serveOutsideDialogs(incoming: NewRequest): void {
    const { parts, answering, screen } = this.#deps;
    const { request } = incoming;
    const toTag = request.headers.address('To')?.tag;
    const merge = mergeKey(request, remoteTagOf(request), toTag !== undefined);
    const isMerged = merge !== undefined && !parts.servers.claim(merge);
    const transaction = this.#open(incoming, isMerged ? undefined : merge, true);
    const refusal = isMerged ? { status: 482 } : screenRequest(request, toTag !== undefined, screen);
    if (refusal) answering.refuse(transaction, refusal);
    else if (request.method === 'INVITE') this.#serveInvite(incoming, transaction);
    else this.#servePlain(request, incoming.flow, transaction);
  }

  #servePlain(request: SipRequest, flow: Flow, transaction: ServerTransaction): void {
    const { parts, answering, on } = this.#deps;
    const reply: IncomingRequest['reply'] = (status, fields) => answering.answer(transaction, status, fields);
    const trust = () => {
      transaction.limit = undefined;
    };
    if (!parts.safely(() => on.request({ request, flow, reply, trust }))) reply(500);
    else if (transaction.request) parts.servers.awaitAnswer(transaction);
  }

  #serveInvite({ request, flow, back, key, isOld }: NewRequest, transaction: ServerTransaction): void {
    const { parts, answering, maxDialogs } = this.#deps;
    const invited = this.#invited;
    // RFC 3261 §8.1.1.8: an INVITE has a Contact. For one of RFC 2543 without it the From URI is the remote target. A From without
    // a tag counts as one with an empty tag (§12.1.1).
    if (!isOld && !request.headers.has('Contact')) {
      answering.refuse(transaction, { status: 400 });
      return;
    }
    if (invited === undefined) {
      answering.refuse(transaction, { status: 503, headers: [['Retry-After', '5']] });
      return;
    }
    if (parts.legs.size >= maxDialogs) {
      parts.counters.overloaded += 1;
      answering.refuse(transaction, { status: 503, headers: [['Retry-After', '5']] });
      return;
    }
    const { invite, leg } = receiveInvite(parts, request, key, flow, back);
    this.#named.set(transaction, nameOf(leg));
    if (!parts.safely(() => invited(invite))) invite.reject(500);
  }

  #open(incoming: NewRequest, merge: string | undefined, isStranger: boolean): ServerTransaction {
    const { key, request, target, flow, reliable, size } = incoming;
    const { parts, guard } = this.#deps;
    const transaction = parts.servers.start(key, merge, request, target, reliable);
    if (isStranger && !reliable && guard !== undefined && !guard.trusts?.(flow)) transaction.limit = size;
    return transaction;
  }
}

/** Not the leg: the transaction lasts longer. */
function nameOf({ callId, localTag }: Leg): Pick<Leg, 'callId' | 'localTag'> {
  return { callId, localTag };
}
