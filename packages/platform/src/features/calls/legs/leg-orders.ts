import type { CallEnd, RefusalStatus } from '@jackfield/ports';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { CallLeg, CallLegInput } from '../domain/call-leg.ts';
import type { Calls } from '../public-api.ts';
import type { LegOwners } from './leg-owners.ts';

/** Orders to a leg by its owner or its next owner. */
export interface LegOrders
  extends Pick<
    Calls,
    'ring' | 'openEarly' | 'answer' | 'hangUp' | 'take' | 'lend' | 'giveBack' | 'extend' | 'whenRecorded'
  > {
  /** Hangs up a leg of this node; a caller without an answer gets the status. */
  refuse(leg: string, end: CallEnd, status: RefusalStatus): void;
}

export function createLegOrders(
  legs: Pick<Sessions<CallLeg, CallLegInput>, 'peek' | 'send' | 'ask' | 'whenHandled'>,
  { isPrivate, whenLeft }: Pick<LegOwners, 'isPrivate' | 'whenLeft'>,
): LegOrders {
  const isFree = (leg: string) => !isPrivate(legs.peek(leg)?.owner);
  return {
    ring: (leg) => legs.send(leg, { type: 'ring' }),
    openEarly: (leg) => legs.send(leg, { type: 'open-early' }),
    answer: (leg) => legs.send(leg, { type: 'answer' }),
    hangUp: (leg, end) => legs.send(leg, { type: 'hang-up', end }),
    refuse: (leg, end, status) => legs.send(leg, { type: 'hang-up', end, status }),
    async take(leg, owner) {
      if (!isFree(leg)) return false;
      const isTaken = (await legs.ask<boolean>(leg, { type: 'take', owner })) ?? false;
      await whenLeft(leg);
      return isTaken;
    },
    lend: async (leg, borrower) =>
      isFree(leg) && ((await legs.ask<boolean>(leg, { type: 'lend', borrower })) ?? false),
    whenRecorded: legs.whenHandled,
    extend: (leg, seconds) => legs.send(leg, { type: 'extend', seconds }),
    giveBack: (leg, borrower, fields) => legs.send(leg, { type: 'give-back', borrower, fields }),
  };
}
