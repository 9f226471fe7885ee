import { type LegNotice, type Logger, legSpec, type Telephony, type TransferRequest } from '@jackfield/ports';
import { statusOfEnd } from '../domain/cause-of-end.ts';
import { type CallEnd, callEnds } from '../domain/hangup-cause.ts';
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
  readonly tell: (owner: LegOwner, notice: OwnedLegNotice) => void;
  readonly dial: (leg: OutboundLeg) => Promise<void>;
  readonly hangUp: (leg: string, end: CallEnd) => void;
  readonly take: (leg: string, owner: LegOwner) => Promise<boolean>;
  readonly adopt: (callerLeg: string, calleeLeg: string) => Promise<LegOwner>;
  /** Whether the endpoint with this SIP user may have a number called: the same as if it dialled the number itself. */
  readonly mayDial: (user: string, number: string) => Promise<boolean>;
}

type Asked = AskedOf<LiveLeg>;
type Side = SideOf<LiveLeg>;
type OfferedLeg = Extract<LegNotice, { readonly type: 'leg-offered' }>;

export interface Transfers {
  /** A phone has placed a call: whose it is, for as long as its leg lives. */
  offered(leg: OfferedLeg): void;
  /** The owner that a call gets which is to replace another one (RFC 3891), or the status that refuses it. */
  replacing(offered: OfferedLeg): Promise<LegOwner | number>;
  /** Everything that an owner is told: the phone that waits for the outcome of its transfer hears of it first. */
  observed(notice: OwnedLegNotice): void;
  /** The leg is over. */
  over(leg: string): void;
}

/** Transfers that phones ask for: REFER, with and without Replaces, and INVITE with Replaces (RFC 3515, RFC 3891, RFC 5589). */
export function createTransfers(deps: TransfersDeps): Transfers {
  const { telephony, peek, log } = deps;
  /** Endpoints' users by the legs of calls that they have placed. */
  const users = new Map<string, string>();
  /** Legs on their way, and the leg whose phone waits for what becomes of them. */
  const awaited = new Map<string, string>();

  telephony.listenToTransfers?.((request) => {
    const asked = readTransfer(request, {
      peek,
      partnerOf: deps.partnerOf,
      userOf: (leg) => users.get(leg),
      placeOf: ({ leg, owner }) =>
        owner === null ? undefined : deps.conversationsOf(owner)?.placeOf(owner.id, leg),
      domains: deps.domains,
    });
    if (asked === undefined) return false;
    const work = asked.type === 'blind' ? blind(request, asked) : attended(request, asked);
    work.catch((error: unknown) => {
      log.error({ leg: request.leg, err: error }, 'A transfer could not be carried out.');
      report(request.leg, 500);
    });
    return true;
  });

  async function blind(request: TransferRequest, asked: Extract<Asked, { type: 'blind' }>): Promise<void> {
    const { side, user, destination } = asked;
    if (destination.kind === 'number' && !(await deps.mayDial(user, destination.number))) {
      return report(request.leg, 403);
    }
    const owner = await conversationOf(side);
    const leg = deps.newUuid();
    const from = callerOfTransfer(side.other, user, destination, deps.domains);
    const successor = { leg, place: side.leg.leg, from, to: request.to };
    if (owner === undefined || !(await succeed(owner, successor))) return report(request.leg, 480);
    awaited.set(leg, request.leg);
    const { account, mainAccount, callerName, direction } = side.other;
    await deps
      .dial({
        leg,
        account,
        mainAccount,
        owner,
        spec: legSpec({ from, callerName: direction === 'inbound' ? callerName : '', to: request.to }),
        parentLeg: side.other.leg,
      })
      .catch((error: unknown) => {
        log.error({ leg, err: error }, 'The leg that a transfer dials could not be recorded.');
        ended(owner, leg, callEnds(5010, 'Error'));
      });
    // Whoever it was dialled for may have gone before it was there to be hung up.
    if (peek(side.other.leg) === undefined) deps.hangUp(leg, callEnds(4000, 'Caller'));
  }

  /** The other parties of two calls of the phone are joined; the call that keeps its owner is `kept`. */
  async function attended(
    request: TransferRequest,
    asked: Extract<Asked, { type: 'attended' }>,
  ): Promise<void> {
    const { kept, moved } = asked;
    const owner = await conversationOf(kept);
    const leg = moved.other.leg;
    const successor = {
      leg,
      place: kept.leg.leg,
      from: partyOf(kept.other, deps.domains),
      to: partyOf(moved.other, deps.domains),
    };
    if (owner === undefined || !(await succeed(owner, successor))) return report(request.leg, 480);
    awaited.set(leg, request.leg);
    if (!(await deps.take(leg, owner).catch(() => false))) {
      return ended(owner, leg, callEnds(4000, 'Call recipient'));
    }
    deps.hangUp(
      moved.leg.leg,
      callEnds(4000, moved.leg.direction === 'inbound' ? 'Caller' : 'Call recipient'),
    );
  }

  /** Who owns a conversation in which a place can be taken: it is taken out of a document that runs on the leg that leaves. */
  async function conversationOf({ leg, other, place }: Side): Promise<LegOwner | undefined> {
    const { owner } = leg;
    if (owner === null || place !== 'releasable') return owner ?? undefined;
    const isReleased = await deps.conversationsOf(owner)?.release(owner.id);
    return isReleased ? deps.adopt(leg.leg, other.leg) : undefined;
  }

  async function succeed(owner: LegOwner, successor: Parameters<Conversations['succeed']>[1]) {
    return (await deps.conversationsOf(owner)?.succeed(owner.id, successor)) ?? false;
  }

  /** A leg that was announced and never came: its owner waits for it no longer, and the phone hears why. */
  function ended(owner: LegOwner, leg: string, end: CallEnd): void {
    const notice = { type: 'leg-ended', leg, end, durationSeconds: 0 } as const;
    observed(notice);
    deps.tell(owner, notice);
  }

  function report(leg: string, status: number): void {
    telephony.reportTransfer?.(leg, status);
  }

  function observed(notice: OwnedLegNotice): void {
    const asker = awaited.get(notice.leg);
    if (asker === undefined) return;
    const status = statusOf(notice);
    if (status === undefined) return;
    report(asker, status);
    if (status >= 200) awaited.delete(notice.leg);
  }

  return {
    offered({ leg, endpoint, from }) {
      if (endpoint !== '') users.set(leg, from);
    },
    async replacing({ leg, account, endpoint, replaces, from }) {
      const replaced = replaces === undefined ? undefined : peek(replaces);
      const partner = replaced && deps.partnerOf(replaced.leg);
      const other = partner === undefined ? undefined : peek(partner);
      if (replaced === undefined || other === undefined) return 481;
      // RFC 3891 §3: whoever takes a call over has to be authorized; those of the account whose call it is are.
      if (endpoint === '' || account !== replaced.account) return 403;
      const place =
        replaced.owner && deps.conversationsOf(replaced.owner)?.placeOf(replaced.owner.id, replaced.leg);
      if (!place) return 603;
      const owner = await conversationOf({ leg: replaced, other, place });
      const successor = { leg, place: replaced.leg, from: partyOf(other, deps.domains), to: from };
      return owner !== undefined && (await succeed(owner, successor)) ? owner : 603;
    },
    observed,
    over(leg) {
      users.delete(leg);
      awaited.delete(leg);
    },
  };
}

/** What a phone hears of the leg that it waits for (RFC 3515 §2.4.5); undefined for what it does not. */
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
