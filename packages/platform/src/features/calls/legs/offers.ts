import { type Clock, callEnds, type LegNotice, type Logger, legSpec, type Telephony } from '@jackfield/ports';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { Usage } from '../../usage/index.ts';
import type { CallLeg, CallLegInput } from '../domain/call-leg.ts';
import type { AnsweringAccount, Calls, LegOffer, TakenOffer } from '../public-api.ts';
import type { DirectCalls } from './direct-calls.ts';
import { qualityOf } from './quality-of.ts';
import { statusOfFault } from './status-of-fault.ts';
import type { Transfers } from './transfers.ts';

export interface OffersDeps {
  readonly log: Logger;
  readonly clock: Clock;
  readonly telephony: Pick<Telephony, 'hangUp'>;
  readonly legs: Pick<Sessions<CallLeg, CallLegInput>, 'open' | 'send' | 'ask'>;
  /** Accepts calls that no taker has accepted. */
  readonly direct: Pick<DirectCalls, 'ownerKind' | 'open' | 'begin'>;
  /** Accepts calls that are to replace another one. */
  readonly transfers: Pick<Transfers, 'offered' | 'replacing'>;
  /** Reports a leg as over to all features. */
  readonly over: (leg: string) => void;
  readonly answer: (leg: string) => void;
  readonly mainAccountOf: (account: string) => Promise<string | undefined>;
  readonly usage: Pick<Usage, 'rateOf'>;
  /** Undefined where no application answers. */
  readonly answeringAccount?: ((offer: LegOffer) => Promise<AnsweringAccount | undefined>) | undefined;
}

type Taker = Parameters<Calls['offeredTo']>[0];
type OfferedLeg = Extract<LegNotice, { readonly type: 'leg-offered' }>;
type LaterNotice = Exclude<LegNotice, OfferedLeg>;

/** Incoming calls: recorded, then offered to the takers. */
export interface Offers {
  readonly offeredTo: Calls['offeredTo'];
  arrived(offered: OfferedLeg): void;
  /** True when the leg is not open yet: the notice is kept until it is. */
  isKept(notice: LaterNotice): boolean;
}

export function createOffers(deps: OffersDeps): Offers {
  const { legs, direct } = deps;
  const takers: Taker[] = [];
  /** Notices of legs whose main account is being looked up: a caller may give up meanwhile. */
  const kept = new Map<string, LaterNotice[]>();

  async function arrived(request: OfferedLeg): Promise<void> {
    const { leg } = request;
    kept.set(leg, []);
    try {
      const { offered, mainAccount, trunk, isClosed } = await belonging(request);
      deps.transfers.offered(offered);
      const recorded = legs.open(leg, newOfferedLeg(deps, offered, mainAccount, trunk), { type: 'offered' });
      for (const notice of kept.get(leg) ?? []) {
        legs.send(leg, notice.type === 'leg-ended' ? endedInput(notice) : notice);
      }
      kept.delete(leg);
      await recorded;
      if (isClosed) {
        legs.send(leg, { type: 'offer-refused', status: 403, end: callEnds(3020, 'Service') });
      } else await (offered.replaces === undefined ? decide(offered, mainAccount) : replace(offered));
    } catch (error) {
      kept.delete(leg);
      // The black box has known the leg since its INVITE, and no session will report its end.
      deps.over(leg);
      deps.log.error({ leg, err: error }, 'offered leg not recorded; it is refused');
      deps.telephony.hangUp(leg, statusOfFault(error));
    }
  }

  async function mainAccountOf(account: string): Promise<string> {
    const mainAccount = await deps.mainAccountOf(account);
    if (mainAccount === undefined) throw new Error(`account ${account} has been deleted`);
    return mainAccount;
  }

  /** The offer with the account to which its call belongs. To the account of another one's application the caller is a stranger. */
  async function belonging(offered: OfferedLeg) {
    const { account } = offered;
    const mainAccount = await mainAccountOf(account);
    const trunk = offered.trunk === undefined ? null : { trunk: offered.trunk, account, mainAccount };
    const isNew = offered.replaces === undefined;
    const answering = isNew ? await deps.answeringAccount?.({ ...offered, mainAccount }) : undefined;
    if (!answering?.isActive) return { offered, mainAccount, trunk, isClosed: answering !== undefined };
    const answered = { ...offered, application: answering.application };
    if (answering.account === account) return { offered: answered, mainAccount, trunk, isClosed: false };
    return {
      offered: { ...answered, account: answering.account, endpoint: '' },
      mainAccount: await mainAccountOf(answering.account),
      trunk,
      isClosed: false,
    };
  }

  async function decide(offered: OfferedLeg, mainAccount: string): Promise<void> {
    const { leg, account, from, to, callerName } = offered;
    try {
      const taken = await askTakers(takers, { ...offered, mainAccount });
      if (taken !== undefined) {
        legs.send(leg, { type: 'offer-taken', ...taken });
        return;
      }
      await direct.open(leg, { account, mainAccount, spec: legSpec({ from, to, callerName }) });
      const owner = { kind: direct.ownerKind, id: leg };
      // The leg may be ending: its reply says whether there is still a caller.
      if (await legs.ask<boolean>(leg, { type: 'offer-taken', owner })) direct.begin(leg);
    } catch (error) {
      deps.log.error({ leg, err: error }, 'offered leg refused: its takers failed');
      failed(leg, error);
    }
  }

  /** RFC 3891 §3: the owner of the replaced call gets this one; a refusal is final. */
  async function replace(offered: OfferedLeg): Promise<void> {
    const { leg } = offered;
    try {
      const owner = await deps.transfers.replacing(offered);
      if (typeof owner === 'number') {
        legs.send(leg, { type: 'offer-refused', status: owner, end: callEnds(3020, 'Service') });
      } else if (await legs.ask<boolean>(leg, { type: 'offer-taken', owner })) deps.answer(leg);
    } catch (error) {
      deps.log.error({ leg, err: error }, 'offered leg refused: the transfer failed');
      failed(leg, error);
    }
  }

  function failed(leg: string, error: unknown): void {
    legs.send(leg, { type: 'offer-refused', status: statusOfFault(error), end: callEnds(5010, 'Error') });
  }

  return {
    offeredTo: (taker) => void takers.push(taker),
    arrived: (offered) => void arrived(offered),
    isKept(notice) {
      const waiting = kept.get(notice.leg);
      waiting?.push(notice);
      return waiting !== undefined;
    },
  };
}

/** The first taker that accepts the call. */
async function askTakers(takers: readonly Taker[], offer: LegOffer): Promise<TakenOffer | undefined> {
  for (const taker of takers) {
    const taken = await taker(offer);
    if (taken !== undefined) return taken;
  }
  return undefined;
}

function newOfferedLeg(
  { usage, clock }: Pick<OffersDeps, 'usage' | 'clock'>,
  { leg, account, from, to, callerName, headers, sourceAddress, carrier }: OfferedLeg,
  mainAccount: string,
  trunk: CallLeg['trunk'],
): CallLeg {
  return {
    leg,
    account,
    mainAccount,
    isRequested: true,
    direction: 'inbound',
    owner: null,
    borrower: null,
    missed: [],
    spec: legSpec({ from, to, callerName }),
    requestUuid: leg,
    parentLeg: null,
    parentRequestUuid: leg,
    headers,
    sourceAddress,
    trunk,
    callbacks: null,
    dialog: null,
    areDigitsSent: false,
    // The number that a carrier delivers has a price; every other caller is a phone without a number.
    rate: usage.rateOf('inbound', carrier === undefined ? 'sip' : to),
    phase: 'offered',
    initiatedAt: clock.wallNow(),
    answeredAt: null,
    endedAt: null,
    end: null,
    requestedEnd: null,
    quality: null,
    pressedKeys: [],
  };
}

/** The input of a leg for an end in signalling. */
export function endedInput({ end, media }: Extract<LegNotice, { readonly type: 'leg-ended' }>) {
  return { type: 'leg-ended', end, quality: qualityOf(media) } as const;
}
