import assert from 'node:assert/strict';
import {
  type CallEnd,
  type Calls,
  callEnds,
  type LegOffer,
  type LegOwner,
  type LiveLeg,
  type OutboundLeg,
  type OwnedLegNotice,
  type TakenOffer,
} from '../../calls/index.ts';

/** The calls feature as documents see it, with phones that do what the test says. */
export interface Phones extends Calls {
  /** In the order of dialling. */
  readonly dialled: readonly OutboundLeg[];
  /** Leg → code and source with which it was hung up. */
  readonly hungUp: ReadonlyMap<string, string>;
  /** What was asked of offered legs, e.g. `answer <leg>`. */
  readonly orders: readonly string[];
  /** A phone calls; gives the feature's answer to the offer. */
  callIn(offer: Partial<LegOffer> & { readonly leg: string }): Promise<TakenOffer | undefined>;
  /** A leg of another owner. */
  place(leg: Partial<LiveLeg> & { readonly leg: string }): void;
  pickUp(leg: string): void;
  startRinging(leg: string): void;
  press(leg: string, digits: string): void;
  leave(leg: string, end?: CallEnd): void;
  ownerOf(leg: string): LegOwner | null | undefined;
  /** The next `dial` rejects, as when its record cannot be written. */
  failNextDial(): void;
}

export function createPhones(account: () => string): Phones {
  const owners = new Map<string, (owner: string, notice: OwnedLegNotice) => void>();
  const takers: ((offer: LegOffer) => Promise<TakenOffer | undefined>)[] = [];
  const legs = new Map<string, LiveLeg>();
  const dialled: OutboundLeg[] = [];
  const hungUp = new Map<string, string>();
  const orders: string[] = [];
  let fails = false;

  function tell(notice: OwnedLegNotice): void {
    const owner = legs.get(notice.leg)?.owner;
    if (owner !== null && owner !== undefined) owners.get(owner.kind)?.(owner.id, notice);
  }

  function change(leg: string, changes: Partial<LiveLeg>): void {
    const live = legs.get(leg);
    assert.ok(live, `there is no leg ${leg}`);
    legs.set(leg, { ...live, ...changes });
  }

  function place(leg: Partial<LiveLeg> & { readonly leg: string }): void {
    legs.set(leg.leg, {
      account: account(),
      mainAccount: account(),
      direction: 'inbound',
      owner: null,
      from: 'alice',
      to: '12345678901234567',
      callerName: 'Alice',
      phase: 'offered',
      initiatedAt: 0,
      answeredAt: null,
      requestUuid: `request-of-${leg.leg}`,
      parentLeg: null,
      headers: {},
      isPrivate: false,
      ...leg,
    });
  }

  function end(leg: string, cause: CallEnd): void {
    if (!legs.has(leg)) return;
    const notice = { type: 'leg-ended', leg, end: cause, durationSeconds: 0 } as const;
    const owner = legs.get(leg)?.owner;
    // Like the real calls: the leg is gone before its owner gets the notice.
    legs.delete(leg);
    if (owner !== null && owner !== undefined) owners.get(owner.kind)?.(owner.id, notice);
  }

  return {
    dialled,
    hungUp,
    orders,
    place,
    ownedBy: (kind, hear) => owners.set(kind, hear),
    offeredTo: (taker) => takers.push(taker),
    async dial(leg) {
      if (fails) {
        fails = false;
        throw new Error('the disk is full');
      }
      dialled.push(leg);
      place({
        ...leg,
        ...leg.spec,
        direction: 'outbound',
        phase: 'dialling',
        requestUuid: leg.requestUuid ?? leg.leg,
        parentLeg: leg.parentLeg ?? null,
      });
    },
    ring: (leg) => orders.push(`ring ${leg}`),
    openEarly: (leg) => orders.push(`early ${leg}`),
    answer: (leg) => orders.push(`answer ${leg}`),
    hangUp(leg, cause) {
      if (!legs.has(leg) || hungUp.has(leg)) return;
      hungUp.set(leg, `${cause.code} ${cause.source}`);
      queueMicrotask(() => end(leg, cause));
    },
    async take(leg, owner) {
      if (!legs.has(leg)) return false;
      tell({ type: 'leg-taken', leg });
      change(leg, { owner });
      tell({ type: 'leg-given', leg });
      return true;
    },
    lend: async () => false,
    giveBack(leg, _borrower, fields) {
      tell({ type: 'leg-returned', leg, fields });
    },
    peek: (leg) => legs.get(leg),
    partnerOf: (leg) =>
      legs.get(leg)?.parentLeg ?? [...legs.values()].find((each) => each.parentLeg === leg)?.leg,
    whenOver() {},
    parametersOf: ({ leg, from, to, phase }) => ({
      CallUUID: leg,
      From: from,
      To: to,
      CallStatus: phase === 'answered' ? 'in-progress' : 'ringing',
    }),
    async callIn(offered) {
      place(offered);
      const offer: LegOffer = {
        account: account(),
        mainAccount: account(),
        endpoint: 'alice',
        from: 'alice',
        to: '12345678901234567',
        callerName: 'Alice',
        headers: {},
        ...offered,
      };
      for (const taker of takers) {
        const taken = await taker(offer);
        if (taken === undefined) continue;
        change(offer.leg, { owner: taken.owner });
        return taken;
      }
      return undefined;
    },
    startRinging(leg) {
      change(leg, { phase: 'ringing' });
      tell({ type: 'leg-ringing', leg });
    },
    pickUp(leg) {
      change(leg, { phase: 'answered', answeredAt: 0 });
      tell({ type: 'leg-answered', leg });
    },
    press(leg, digits) {
      for (const digit of digits) tell({ type: 'leg-digit', leg, digit });
    },
    leave: (leg, cause = callEnds(4000, 'Caller')) => end(leg, cause),
    ownerOf: (leg) => legs.get(leg)?.owner,
    failNextDial() {
      fails = true;
    },
  };
}
