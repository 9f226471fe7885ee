import {
  type CallEnd,
  callEnds,
  type LegNotice,
  type Logger,
  legSpec,
  type Telephony,
  type TransferRequest,
} from '@jackfield/ports';
import {
  type Asked as AskedOf,
  type Attended as AttendedOf,
  attended,
  callerOfTransfer,
  partyOf,
  phoneSideOf,
  readTransfer,
  type Side as SideOf,
  sideOf,
  type TransferLegs,
  userOf,
} from '../domain/transfer.ts';
import type {
  CallsOverNodes,
  NamedCall,
  OtherNodes,
  PassedTransfer,
  TransferMove,
} from '../nodes/other-nodes.ts';
import type { LegOwner, LiveLeg, OutboundLeg, OwnedLegNotice } from '../public-api.ts';
import type { PendingAnswers } from './pending-answers.ts';
import { Successions, type SuccessionsDeps, type Successor } from './successions.ts';
import { TransferOutcomes } from './transfer-outcomes.ts';

export interface TransfersDeps extends SuccessionsDeps {
  readonly log: Logger;
  readonly telephony: Pick<Telephony, 'hangUp' | 'legOf' | 'listenToTransfers' | 'reportTransfer'>;
  readonly newUuid: () => string;
  readonly domains: readonly string[];
  /** With the legs of other nodes in conversations of this one, as `hangUp` and `take`. */
  readonly peek: (leg: string) => LiveLeg | undefined;
  readonly recorded: PendingAnswers['recorded'];
  /** From then on `peek`, `hangUp` and `take` are those of these legs. */
  readonly reach: (legs: OtherNodes['legs']) => void;
  readonly dial: (leg: OutboundLeg) => Promise<void>;
  readonly hangUp: (leg: string, end: CallEnd) => void;
  readonly take: (leg: string, owner: LegOwner) => Promise<boolean>;
  readonly whenLeft: CallsOverNodes['whenLeft'];
  /** Whether the endpoint with this SIP user may have a number called: the same as if it dialled the number itself. */
  readonly mayDial: (user: string, number: string) => Promise<boolean>;
  /** The account of the endpoint with this SIP user, disabled or not; undefined without one. */
  readonly accountOfUser: (user: string) => Promise<string | undefined>;
  /** Undefined for an account that is gone. */
  readonly mainAccountOf: (account: string) => Promise<string | undefined>;
}

type Asked = AskedOf<LiveLeg>;
type Attended = AttendedOf<LiveLeg>;
type Side = SideOf<LiveLeg>;
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
  readonly overNodes: CallsOverNodes;
}

/** A transfer by a phone of this node, or by that of a leg of another one. */
type Requested = Pick<TransferRequest, 'leg' | 'to' | 'referredBy' | 'replaces'> &
  Pick<PassedTransfer, 'replacesAt'>;

/** Carries out an accepted transfer. */
type Work = () => Promise<void>;
type Decision = Work | undefined | Promise<Work | undefined>;

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
  readonly #outcomes = new TransferOutcomes((leg, status) => this.#report(leg, status));
  readonly #successions: Successions;
  readonly #legs: TransferLegs<LiveLeg>;
  #others: OtherNodes | undefined;
  readonly overNodes: CallsOverNodes = {
    reach: (others) => {
      this.#others = others;
      this.#deps.reach(others.legs);
    },
    notify: (owner, notice) => this.#deps.notify(owner, notice),
    whenLeft: (leg) => this.#deps.whenLeft(leg),
    sideOf: async (call) => {
      const leg = this.#legOf(call);
      await this.#deps.recorded(leg === undefined ? [] : [leg]);
      return leg === undefined ? undefined : phoneSideOf(leg, this.#legs);
    },
    requested: (transfer) =>
      this.#answered(transfer.leg, [transfer.leg], () => this.#requestedElsewhere(transfer)),
    reported: (leg, status) => this.#report(leg, status),
    receive: (move) => this.#receive(move),
    leave: (leg) => this.#leave(leg),
  };

  constructor(deps: TransfersDeps) {
    this.#deps = deps;
    this.#successions = new Successions(deps);
    const { peek, partnerOf, domains } = deps;
    this.#legs = {
      peek,
      partnerOf,
      userOf: (leg) => this.#users.get(leg),
      departureOf: ({ leg, owner }) => this.#successions.departureOf(owner, leg),
      domains,
    };
  }

  offered({ leg, endpoint, from }: OfferedLeg): void {
    if (endpoint !== '') this.#users.set(leg, from);
  }

  over(leg: string): void {
    this.#users.delete(leg);
    this.#outcomes.forget(leg);
  }

  /** False for a transfer that the phone may not request. */
  requested(request: TransferRequest): Promise<boolean> {
    const legs = request.replaces === undefined ? [request.leg] : [request.leg, request.replaces];
    return this.#answered(request.leg, legs, async () =>
      (await this.#isOfItsAccount(request.leg)) ? this.#requestedNow(request) : undefined,
    );
  }

  /** A phone may request it as soon as it knows of the answer to these legs, whose record may still be on its way. */
  #answered(leg: string, legs: readonly string[], decide: () => Decision): Promise<boolean> {
    const decision = Promise.resolve(this.#deps.recorded(legs)).then(decide);
    const isTaken = decision.then((work) => work !== undefined);
    // It begins behind the answer to the phone, to which it reports.
    isTaken
      .then(() => decision)
      .then((work) => work?.())
      .catch((error: unknown) => {
        this.#deps.log.error({ leg, err: error }, 'transfer not carried out');
        this.#report(leg, 500);
      });
    return isTaken;
  }

  /** A phone of another account is a stranger to the call, which transfers nothing (docs/decisions/0101-a-call-belongs-to-what-answers-it.md). */
  async #isOfItsAccount(name: string): Promise<boolean> {
    const user = userOf(name, this.#legs);
    const leg = this.#deps.peek(name);
    if (user === undefined || leg === undefined) return false;
    const account = await this.#deps.accountOfUser(user);
    if (account !== leg.mainAccount) return account === leg.account;
    // The endpoints of a deleted subaccount have passed to the main account.
    return account === leg.account || (await this.#deps.mainAccountOf(leg.account)) === undefined;
  }

  #requestedNow(request: TransferRequest): Decision {
    const others = this.#others;
    const node = others?.homeOfConversation(request.leg);
    return others === undefined || node === undefined
      ? this.#decided(request, this.#legs)
      : this.#passedOn(request, node, others);
  }

  /** The home of the conversation decides, and reports: after the answer to the phone, which does not wait for it. */
  #passedOn({ replaces, ...request }: TransferRequest, node: string, others: OtherNodes): Work | undefined {
    const user = userOf(request.leg, this.#legs);
    if (user === undefined) return undefined;
    const own = replaces === undefined ? {} : { replacesAt: { node: others.own, leg: replaces } };
    return async () => {
      if (!(await others.request(node, { ...request, ...own, user }))) this.#report(request.leg, 603);
    };
  }

  #requestedElsewhere({ user, replacesAt, ...request }: PassedTransfer): Decision {
    const legs: TransferLegs<LiveLeg> = {
      ...this.#legs,
      userOf: (leg) => (leg === request.leg ? user : this.#users.get(leg)),
    };
    if (replacesAt === undefined) return this.#decided(request, legs);
    if (replacesAt.node !== this.#others?.own) return this.#decided({ ...request, replacesAt }, legs);
    const replaces = this.#legOf(replacesAt);
    return replaces === undefined ? undefined : this.#decided({ ...request, replaces }, legs);
  }

  #decided(request: Requested, legs: TransferLegs<LiveLeg>): Decision {
    if (request.replacesAt !== undefined) return this.#decidedWith(request, request.replacesAt, legs);
    const asked = readTransfer(request, legs);
    if (asked === undefined) return undefined;
    return () => (asked.type === 'blind' ? this.#blind(request, asked) : this.#attended(request, asked));
  }

  /** The node of the other conversation says which one it is; the rules are those of one node. */
  async #decidedWith(
    request: Requested,
    { node, ...call }: NonNullable<Requested['replacesAt']>,
    legs: TransferLegs<LiveLeg>,
  ): Promise<Work | undefined> {
    const others = this.#others;
    const first = phoneSideOf(request.leg, legs);
    if (first === undefined || others === undefined) return undefined;
    const asked = attended(first, await others.sideAt(node, call));
    return asked && (() => this.#attendedElsewhere(request, asked, node, others));
  }

  #legOf(call: NamedCall): string | undefined {
    return 'leg' in call ? call.leg : this.#deps.telephony.legOf?.(call.dialog);
  }

  async #receive({ leg, replaces, stays, from, to }: TransferMove): Promise<boolean> {
    const kept = sideOf(replaces, this.#legs);
    if (kept?.other.leg !== stays) return false;
    const owner = await this.#successions.conversationOf(kept);
    if (owner === undefined || !(await this.#successions.succeed(owner, { leg, replaces, from, to })))
      return false;
    const isGiven = await this.#deps.take(leg, owner);
    if (!isGiven) this.#successions.failed(owner, leg, callEnds(4000, 'Call recipient'));
    return isGiven;
  }

  #leave(leg: string): void {
    const source = this.#deps.peek(leg)?.direction === 'inbound' ? 'Caller' : 'Call recipient';
    this.#deps.hangUp(leg, callEnds(4000, source));
  }

  async replacing({ leg, account, endpoint, replaces, from }: OfferedLeg): Promise<LegOwner | number> {
    const { peek, partnerOf, domains } = this.#deps;
    await this.#deps.recorded(replaces === undefined ? [] : [replaces]);
    const replaced = replaces === undefined ? undefined : peek(replaces);
    const partner = replaced && partnerOf(replaced.leg);
    const other = partner === undefined ? undefined : peek(partner);
    if (replaced === undefined || other === undefined) return 481;
    // RFC 3891 §3: the new party must be authorized; endpoints of the account that has the call are.
    if (endpoint === '' || account !== replaced.account) return 403;
    const departure = this.#successions.departureOf(replaced.owner, replaced.leg);
    if (departure === undefined) return 603;
    const owner = await this.#successions.conversationOf({ leg: replaced, other, departure });
    const successor = { leg, replaces: replaced.leg, from: partyOf(other, domains), to: from };
    return owner !== undefined && (await this.#successions.succeed(owner, successor)) ? owner : 603;
  }

  observed(notice: OwnedLegNotice): void {
    this.#outcomes.observed(notice);
  }

  async #blind(request: Requested, asked: Extract<Asked, { type: 'blind' }>): Promise<void> {
    const { mayDial, newUuid, domains, peek, hangUp } = this.#deps;
    const { side, user, destination } = asked;
    if (destination.kind === 'number' && !(await mayDial(user, destination.number))) {
      return this.#report(request.leg, 403);
    }
    const owner = await this.#successions.conversationOf(side);
    const leg = newUuid();
    const from = callerOfTransfer(side.other, user, destination, domains);
    const successor = { leg, replaces: side.leg.leg, from, to: request.to };
    if (owner === undefined || !(await this.#successions.succeed(owner, successor))) {
      return this.#report(request.leg, 480);
    }
    this.#outcomes.expect(leg, { leg: request.leg, isFetched: false });
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
        this.#successions.failed(owner, leg, callEnds(5010, 'Error'));
      });
  }

  /** Joins the other parties of two calls of the phone; the call that keeps its owner is `kept`. */
  async #attended(request: Requested, { kept, moved }: Attended): Promise<void> {
    const owner = await this.#successions.conversationOf(kept);
    const { leg, leaves, replaces, from, to } = this.#moveOf(kept, moved);
    if (owner === undefined || !(await this.#successions.succeed(owner, { leg, replaces, from, to }))) {
      return this.#report(request.leg, 480);
    }
    this.#outcomes.expect(leg, { leg: request.leg, isFetched: false });
    if (!(await this.#deps.take(leg, owner).catch(() => false))) {
      return this.#successions.failed(owner, leg, callEnds(4000, 'Call recipient'));
    }
    this.#leave(leaves);
  }

  /** The same with the other call at another node: one of the two parties that stay comes into the conversation of the other. */
  async #attendedElsewhere(
    request: Requested,
    { kept, moved }: Attended,
    node: string,
    others: OtherNodes,
  ): Promise<void> {
    const move = this.#moveOf(kept, moved);
    if (kept.leg.leg === request.leg) {
      this.#outcomes.expect(move.leg, { leg: request.leg, isFetched: true });
      // The arrival of the leg is the outcome, even when the other node gives no answer.
      const isMoved = await others.fetchFrom(node, move);
      if (!isMoved && this.#outcomes.forget(move.leg)) this.#report(request.leg, 480);
    } else if (await others.moveTo(node, move)) {
      this.#report(request.leg, 200);
      this.#leave(move.leaves);
    } else this.#report(request.leg, 480);
  }

  #moveOf(kept: Side, moved: Side): TransferMove {
    const { domains } = this.#deps;
    return {
      leg: moved.other.leg,
      leaves: moved.leg.leg,
      replaces: kept.leg.leg,
      stays: kept.other.leg,
      from: partyOf(kept.other, domains),
      to: partyOf(moved.other, domains),
    };
  }

  #report(leg: string, status: number): void {
    if (this.#deps.isHere(leg)) this.#deps.telephony.reportTransfer?.(leg, status);
    else this.#others?.report(leg, status);
  }
}
