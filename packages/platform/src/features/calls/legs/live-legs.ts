import type { Sessions } from '../../../kernel/session-runner.ts';
import type { CallLeg, CallLegInput } from '../domain/call-leg.ts';
import type { Calls, LiveLeg } from '../public-api.ts';
import type { DialledLegs } from './dialled-legs.ts';
import type { LegOwners } from './leg-owners.ts';

/** Legs for other features. */
export type LiveLegs = Pick<Calls, 'peek' | 'partnerOf'>;

export function createLiveLegs(
  legs: Pick<Sessions<CallLeg, CallLegInput>, 'peek'>,
  owners: LegOwners,
  dialled: DialledLegs,
): LiveLegs & { partnerAmong(all: Pick<Calls, 'peek'>, leg: string): string | undefined } {
  function peek(leg: string): LiveLeg | undefined {
    const live = legs.peek(leg);
    return liveLegOf(live, owners.isPrivate(live?.owner));
  }

  function partnerAmong(all: Pick<Calls, 'peek'>, leg: string): string | undefined {
    const { parentLeg, owner } = legs.peek(leg) ?? all.peek(leg) ?? {};
    const partner = owner ? owners.conversationsOf(owner)?.partnerOf(owner.id, leg) : undefined;
    if (partner !== undefined && all.peek(partner) !== undefined) return partner;
    if (parentLeg && peek(parentLeg) !== undefined) return parentLeg;
    const live = dialled.of(leg).filter((each) => peek(each) !== undefined);
    return live.findLast((each) => peek(each)?.phase === 'answered') ?? live.at(-1);
  }

  return { peek, partnerOf: (leg) => partnerAmong({ peek }, leg), partnerAmong };
}

function liveLegOf(leg: CallLeg | undefined, isPrivate: boolean): LiveLeg | undefined {
  if (leg === undefined || leg.phase === 'ended') return undefined;
  return {
    leg: leg.leg,
    account: leg.account,
    mainAccount: leg.mainAccount,
    direction: leg.direction,
    owner: leg.owner,
    from: leg.spec.from,
    to: leg.spec.to,
    callerName: leg.spec.callerName,
    phase: leg.phase,
    initiatedAt: leg.initiatedAt,
    answeredAt: leg.answeredAt,
    requestUuid: leg.requestUuid,
    parentLeg: leg.parentLeg,
    headers: leg.headers,
    rate: leg.rate,
    ...(leg.spec.machineDetection === undefined ? {} : { machineDetection: leg.spec.machineDetection }),
    isPrivate,
  };
}
