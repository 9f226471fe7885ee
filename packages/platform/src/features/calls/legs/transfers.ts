import {
  type CallEnd,
  callEnds,
  type LegNotice,
  type Logger,
  legSpec,
  type Telephony,
  type TransferRequest,
} from '@jackfield/ports';
import { statusOfEnd } from '../domain/cause-of-end.ts';
import {
  type Asked as AskedOf,
  callerOfTransfer,
  partyOf,
  readTransfer,
  type Side as SideOf,
} from '../domain/transfer.ts';
import type { Conversations, LegOwner, LiveLeg, OutboundLeg, OwnedLegNotice } from '../public-api.ts';

export interface TransfersDeps {
  readonly log: Logger;
  readonly telephony: Pick<Telephony, 'hangUp' | 'listenToTransfers' | 'reportTransfer'>;
  readonly newUuid: () => string;
  readonly domains: readonly string[];
  readonly peek: (leg: string) => LiveLeg | undefined;
  readonly partnerOf: (leg: string) => string | undefined;
  readonly conversationsOf: (owner: LegOwner | null) => Conversations | undefined;
  readonly notify: (owner: LegOwner, notice: OwnedLegNotice) => void;
  readonly dial: (leg: OutboundLeg) => Promise<void>;
  readonly hangUp: (leg: string, end: CallEnd) => void;
  readonly take: (leg: string, owner: LegOwner) => Promise<boolean>;
  readonly adopt: (callerLeg: string, calleeLeg: string) => Promise<LegOwner>;
  /** Whether the endpoint with this SIP user may have a number called: the same as if it dialled the number itself. */
  readonly mayDial: (user: string, number: string) => Promise<boolean>;
}

type Asked = AskedOf<LiveLeg>;
type Side = SideOf<LiveLeg>;
type Successor = Parameters<Conversations['succeed']>[1];
type OfferedLeg = Extract<LegNotice, { readonly type: 'leg-offered' }>;

export interface Transfers {
  /** A phone has placed a call: remembers its endpoint while the leg is live. */
  offered(leg: OfferedLeg): void;
  /** The owner of a call that is to replace another one (RFC 3891), or the status that refuses it. */
  replacing(offered: OfferedLeg): Promise<LegOwner | number>;
  /** Reports a notice to the phone that waits for the outcome of its transfer; called before the owner is notified. */
  observed(notice: OwnedLegNotice): void;
  /** The leg is over. */
  over(leg: string): void;
}

/** Transfers by phones: REFER, with and without Replaces, and INVITE with Replaces (RFC 3515, RFC 3891, RFC 5589). */
export function createTransfers(deps: TransfersDeps): Transfers {
  const transfers = new PhoneTransfers(deps);
  deps.telephony.listenToTransfers?.((request) => transfers.requested(request));
  return transfers;
}

class PhoneTransfers implements Transfers {
  readonly #deps: TransfersDeps;
  /** SIP users of endpoints, by the legs of calls that they have placed. */
  readonly #users = new Map<string, string>();
  /** The leg whose phone waits for an outcome, by the leg that decides it. */
  readonly #awaited = new Map<string, string>();

  constructor(deps: TransfersDeps) {
    this.#deps = deps;
  }

  offered({ leg, endpoint, from }: OfferedLeg): void {
    if (endpoint !== '') this.#users.set(leg, from);
  }

  over(leg: string): void {
    this.#users.delete(leg);
    this.#awaited.delete(leg);
  }

  /** False for a transfer that the phone may not request. */
  requested(request: TransferRequest): boolean {
    const { peek, partnerOf, domains, log } = this.#deps;
    const asked = readTransfer(request, {
      peek,
      partnerOf,
      userOf: (leg) => this.#users.get(leg),
      departureOf: ({ leg, owner }) => this.#departureOf(owner, leg),
      domains,
    });
    if (asked === undefined) return false;
    const work = asked.type === 'blind' ? this.#blind(request, asked) : this.#attended(request, asked);
    work.catch((error: unknown) => {
      log.error({ leg: request.leg, err: error }, 'transfer not carried out');
      this.#report(request.leg, 500);
    });
    return true;
  }

  async replacing({ leg, account, endpoint, replaces, from }: OfferedLeg): Promise<LegOwner | number> {
    const { peek, partnerOf, domains } = this.#deps;
    const replaced = replaces === undefined ? undefined : peek(replaces);
    const partner = replaced && partnerOf(replaced.leg);
    const other = partner === undefined ? undefined : peek(partner);
    if (replaced === undefined || other === undefined) return 481;
    // RFC 3891 §3: the new party must be authorized; endpoints of the account that has the call are.
    if (endpoint === '' || account !== replaced.account) return 403;
    const departure = this.#departureOf(replaced.owner, replaced.leg);
    if (departure === undefined) return 603;
    const owner = await this.#conversationOf({ leg: replaced, other, departure });
    const successor = { leg, replaces: replaced.leg, from: partyOf(other, domains), to: from };
    return owner !== undefined && (await this.#succeed(owner, successor)) ? owner : 603;
  }

  observed(notice: OwnedLegNotice): void {
    const waiting = this.#awaited.get(notice.leg);
    const status = waiting === undefined ? undefined : statusOf(notice);
    if (waiting === undefined || status === undefined) return;
    this.#report(waiting, status);
    if (status >= 200) this.#awaited.delete(notice.leg);
  }

  async #blind(request: TransferRequest, asked: Extract<Asked, { type: 'blind' }>): Promise<void> {
    const { mayDial, newUuid, domains, peek, hangUp } = this.#deps;
    const { side, user, destination } = asked;
    if (destination.kind === 'number' && !(await mayDial(user, destination.number))) {
      return this.#report(request.leg, 403);
    }
    const owner = await this.#conversationOf(side);
    const leg = newUuid();
    const from = callerOfTransfer(side.other, user, destination, domains);
    const successor = { leg, replaces: side.leg.leg, from, to: request.to };
    if (owner === undefined || !(await this.#succeed(owner, successor))) {
      return this.#report(request.leg, 480);
    }
    this.#awaited.set(leg, request.leg);
    await this.#dial(owner, successor, side.other);
    // The other party may have gone before there was a leg to hang up.
    if (peek(side.other.leg) === undefined) hangUp(leg, callEnds(4000, 'Caller'));
  }

  async #dial(owner: LegOwner, { leg, from, to }: Successor, other: LiveLeg): Promise<void> {
    const { account, mainAccount, direction } = other;
    const callerName = direction === 'inbound' ? other.callerName : '';
    const spec = legSpec({ from, callerName, to });
    await this.#deps
      .dial({ leg, account, mainAccount, owner, spec, parentLeg: other.leg })
      .catch((error: unknown) => {
        this.#deps.log.error({ leg, err: error }, 'leg of a transfer not recorded');
        this.#ended(owner, leg, callEnds(5010, 'Error'));
      });
  }

  /** Joins the other parties of two calls of the phone; the call that keeps its owner is `kept`. */
  async #attended(request: TransferRequest, asked: Extract<Asked, { type: 'attended' }>): Promise<void> {
    const { domains, take, hangUp } = this.#deps;
    const { kept, moved } = asked;
    const owner = await this.#conversationOf(kept);
    const leg = moved.other.leg;
    const [from, to] = [partyOf(kept.other, domains), partyOf(moved.other, domains)];
    const successor = { leg, replaces: kept.leg.leg, from, to };
    if (owner === undefined || !(await this.#succeed(owner, successor))) {
      return this.#report(request.leg, 480);
    }
    this.#awaited.set(leg, request.leg);
    if (!(await take(leg, owner).catch(() => false))) {
      return this.#ended(owner, leg, callEnds(4000, 'Call recipient'));
    }
    const source = moved.leg.direction === 'inbound' ? 'Caller' : 'Call recipient';
    hangUp(moved.leg.leg, callEnds(4000, source));
  }

  #departureOf(owner: LegOwner | null, leg: string) {
    return owner === null ? undefined : this.#deps.conversationsOf(owner)?.departureOf(owner.id, leg);
  }

  /** The owner of a conversation with a replaceable leg; releases both legs from a document that runs on the leaving one. */
  async #conversationOf({ leg, other, departure }: Side): Promise<LegOwner | undefined> {
    const { owner } = leg;
    if (owner === null || departure !== 'releasable') return owner ?? undefined;
    const isReleased = await this.#deps.conversationsOf(owner)?.release(owner.id);
    return isReleased ? this.#deps.adopt(leg.leg, other.leg) : undefined;
  }

  async #succeed(owner: LegOwner, successor: Successor): Promise<boolean> {
    return (await this.#deps.conversationsOf(owner)?.succeed(owner.id, successor)) ?? false;
  }

  /** A leg that was announced has failed: its owner and the phone stop waiting. */
  #ended(owner: LegOwner, leg: string, end: CallEnd): void {
    this.#deps.notify(owner, { type: 'leg-ended', leg, end, durationSeconds: 0 });
  }

  #report(leg: string, status: number): void {
    this.#deps.telephony.reportTransfer?.(leg, status);
  }
}

/** The status for the phone that waits for the leg (RFC 3515 §2.4.5); undefined for a notice without one. */
function statusOf(notice: OwnedLegNotice): number | undefined {
  switch (notice.type) {
    case 'leg-ringing':
      return 180;
    case 'leg-answered':
    case 'leg-given':
      return 200;
    case 'leg-ended':
      return statusOfEnd(notice.end);
    default:
      return undefined;
  }
}
