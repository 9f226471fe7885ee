import type { Clock } from '@jackfield/ports';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { Rate, Usage } from '../../usage/index.ts';
import type { CallLeg, CallLegInput } from '../domain/call-leg.ts';
import { readDestination } from '../domain/destination.ts';
import type { Calls, OutboundLeg } from '../public-api.ts';
import type { DialledLegs } from './dialled-legs.ts';

export interface DiallingDeps {
  readonly clock: Clock;
  readonly usage: Usage;
  readonly domains: readonly string[];
}

export function createDialling(
  deps: DiallingDeps,
  legs: Pick<Sessions<CallLeg, CallLegInput>, 'open' | 'peek'>,
  dialled: DialledLegs,
): Calls['dial'] {
  return async (request) => {
    const { leg, parentLeg } = request;
    const placed = newDialledLeg(deps, request, legs.peek);
    dialled.add(leg, parentLeg);
    try {
      await legs.open(leg, placed, { type: 'place' });
    } catch (error) {
      dialled.remove(leg);
      throw error;
    }
  };
}

/** The rate of a leg to this destination; a number may be written as a SIP URI of the platform. */
export function rateOfDialled({ usage, domains }: Pick<DiallingDeps, 'usage' | 'domains'>, to: string): Rate {
  const destination = readDestination(to, domains);
  return usage.rateOf('outbound', destination.kind === 'number' ? destination.number : 'sip');
}

function newDialledLeg(
  { clock, usage, domains }: DiallingDeps,
  request: OutboundLeg,
  peek: (leg: string) => CallLeg | undefined,
): CallLeg {
  const { leg, parentLeg, spec } = request;
  const requestUuid = request.requestUuid ?? leg;
  return {
    leg,
    account: request.account,
    mainAccount: request.mainAccount,
    isRequested: request.isRequested ?? false,
    direction: 'outbound',
    owner: request.owner,
    borrower: null,
    missed: null,
    spec,
    requestUuid,
    parentLeg: parentLeg ?? null,
    parentRequestUuid: parentLeg === undefined ? requestUuid : (peek(parentLeg)?.requestUuid ?? parentLeg),
    headers: {},
    sourceAddress: null,
    trunk: null,
    callbacks: request.callbacks ?? null,
    dialog: null,
    areDigitsSent: false,
    rate: rateOfDialled({ usage, domains }, spec.to),
    phase: 'routing',
    initiatedAt: clock.wallNow(),
    answeredAt: null,
    endedAt: null,
    end: null,
    requestedEnd: null,
    quality: null,
    pressedKeys: [],
  };
}
