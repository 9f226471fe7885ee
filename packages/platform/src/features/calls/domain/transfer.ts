import { type Destination, readDestination } from './destination.ts';
import type { LegOwner } from './leg-owner.ts';

/** The part of a live leg that decides whether its phone may transfer its call. */
export interface TransferLeg {
  readonly leg: string;
  readonly account: string;
  readonly direction: 'inbound' | 'outbound';
  readonly owner: LegOwner | null;
  readonly from: string;
  readonly to: string;
  readonly phase: 'offered' | 'routing' | 'dialling' | 'ringing' | 'answered';
}

/** As in `Conversations` of the public API. */
export type Departure = 'bound' | 'replaceable' | 'releasable';

/** One conversation of the phone that transfers: its own leg, and the other leg. */
export interface Side<Leg extends TransferLeg = TransferLeg> {
  readonly leg: Leg;
  readonly other: Leg;
  readonly departure: Departure;
}

/** A conversation that its phone may transfer; `user` is the endpoint of the phone. */
export interface PhoneSide<Leg extends TransferLeg = TransferLeg> {
  readonly side: Side<Leg>;
  readonly user: string;
}

/** The other party of the moved conversation comes into the kept one. */
export interface Attended<Leg extends TransferLeg = TransferLeg> {
  readonly type: 'attended';
  readonly kept: Side<Leg>;
  readonly moved: Side<Leg>;
}

/** A permitted transfer. */
export type Asked<Leg extends TransferLeg = TransferLeg> =
  | (PhoneSide<Leg> & { readonly type: 'blind'; readonly destination: Destination })
  | Attended<Leg>;

export interface TransferLegs<Leg extends TransferLeg> {
  peek(leg: string): Leg | undefined;
  partnerOf(leg: string): string | undefined;
  /** The endpoint that placed this call; undefined without one. */
  userOf(leg: string): string | undefined;
  departureOf(leg: Leg): Departure | undefined;
  readonly domains: readonly string[];
}

/** Reads a request to transfer. Undefined for a request that is impossible or not permitted. */
export function readTransfer<Leg extends TransferLeg>(
  request: { readonly leg: string; readonly to: string; readonly replaces?: string },
  legs: TransferLegs<Leg>,
): Asked<Leg> | undefined {
  const first = phoneSideOf(request.leg, legs);
  if (first === undefined) return undefined;
  if (request.replaces !== undefined) return attended(first, phoneSideOf(request.replaces, legs));
  const destination = readDestination(request.to, legs.domains);
  const isReachable = destination.kind === 'number' || destination.kind === 'user';
  return isReachable ? { type: 'blind', ...first, destination } : undefined;
}

/**
 * The conversation of this leg. Only our endpoints may transfer: a carrier or a telephone system would call at our cost. The leg must be
 * in a conversation, outside of multiparty calls, that is not being transferred already.
 */
export function phoneSideOf<Leg extends TransferLeg>(
  leg: string,
  legs: TransferLegs<Leg>,
): PhoneSide<Leg> | undefined {
  const user = userOf(leg, legs);
  const side = sideOf(leg, legs);
  return user === undefined || side === undefined ? undefined : { side, user };
}

/** Joins the other parties of two conversations, at whatever nodes. A phone transfers its own calls alone. */
export function attended<Leg extends TransferLeg>(
  { side, user }: PhoneSide<Leg>,
  other: PhoneSide<Leg> | undefined,
): Attended<Leg> | undefined {
  if (other === undefined) return undefined;
  const second = other.side;
  const isItsOwn = other.user === user && second.leg.account === side.leg.account;
  const four = new Set([side.leg.leg, side.other.leg, second.leg.leg, second.other.leg]);
  if (!isItsOwn || four.size < 4) return undefined;
  // A conversation whose owner continues with the other party is kept; the party of the other conversation moves.
  const isFirstKept = rank(side) >= rank(second);
  return {
    type: 'attended',
    kept: isFirstKept ? side : second,
    moved: isFirstKept ? second : side,
  };
}

/** The party at the far end of a leg: its number or SIP user. */
export function partyOf({ direction, from, to }: TransferLeg, domains: readonly string[]): string {
  if (direction === 'inbound') return from;
  const destination = readDestination(to, domains);
  if (destination.kind === 'user') return destination.user;
  return destination.kind === 'number' ? destination.number : to;
}

/**
 * The caller of a transfer's call for the other party. An external caller is not verified, so a number sees the
 * endpoint that transfers as the caller.
 */
export function callerOfTransfer(
  other: TransferLeg,
  user: string,
  destination: Destination,
  domains: readonly string[],
): string {
  // Only external callers are named by a URI.
  const isExternal = other.direction === 'inbound' && /^sips?:/i.test(other.from);
  return destination.kind === 'number' && isExternal ? user : partyOf(other, domains);
}

/** The endpoint of the phone at this leg. */
export function userOf<Leg extends TransferLeg>(
  name: string,
  legs: Pick<TransferLegs<Leg>, 'peek' | 'userOf' | 'domains'>,
): string | undefined {
  const leg = legs.peek(name);
  if (leg?.direction !== 'outbound') return legs.userOf(name);
  const destination = readDestination(leg.to, legs.domains);
  return destination.kind === 'user' ? destination.user : undefined;
}

/** The conversation of this leg, whatever its phone. */
export function sideOf<Leg extends TransferLeg>(
  name: string,
  legs: Pick<TransferLegs<Leg>, 'peek' | 'partnerOf' | 'departureOf'>,
): Side<Leg> | undefined {
  const leg = legs.peek(name);
  const partner = leg && legs.partnerOf(name);
  const other = partner === undefined ? undefined : legs.peek(partner);
  if (leg?.phase !== 'answered' || other?.phase !== 'answered') return undefined;
  const departure = legs.departureOf(leg);
  return departure === undefined ? undefined : { leg, other, departure };
}

function rank({ departure }: Side): number {
  return ['releasable', 'replaceable', 'bound'].indexOf(departure);
}
