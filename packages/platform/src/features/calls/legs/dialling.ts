import { type Clock, callEnds, type Instant } from '@jackfield/ports';
import type { AppendAlone } from '../../../kernel/append-alone.ts';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { Rate, Usage } from '../../usage/index.ts';
import type { CallLeg, CallLegInput } from '../domain/call-leg.ts';
import { readDestination } from '../domain/destination.ts';
import { outboxEventOf } from '../events.ts';
import type { Calls, OutboundLeg } from '../public-api.ts';
import type { DialledLegs } from './dialled-legs.ts';

export interface DiallingDeps {
  readonly clock: Clock;
  readonly usage: Usage;
  readonly domains: readonly string[];
  /** Reports the end of a promised call that has no record. */
  readonly appendAlone: AppendAlone;
}

export function createDialling(
  deps: DiallingDeps,
  legs: Pick<Sessions<CallLeg, CallLegInput>, 'open' | 'peek' | 'send'>,
  dialled: DialledLegs,
): Calls['dial'] {
  return async (request) => {
    const { leg, parentLeg, isPromised = false } = request;
    const placed = newDialledLeg(deps, request, legs.peek);
    dialled.add(leg, parentLeg);
    const late = { type: 'hang-up', end: unrecorded } as const;
    const cancel = isPromised
      ? deps.clock.startTimer(ringsUntil(deps.clock.now(), placed), () => legs.send(leg, late))
      : () => {};
    try {
      await legs.open(leg, placed, { type: 'place' }, { isPromised });
    } catch (error) {
      dialled.remove(leg);
      if (isPromised) reportUnrecorded(deps, placed);
      throw error;
    } finally {
      cancel();
    }
  };
}

const unrecorded = callEnds(5010, 'Error');

function ringsUntil(now: Instant, { spec }: CallLeg): Instant {
  return now + spec.ringTimeoutSeconds * 1000;
}

function reportUnrecorded({ clock, usage, appendAlone }: DiallingDeps, leg: CallLeg): void {
  const ended: CallLeg = { ...leg, phase: 'ended', endedAt: clock.wallNow(), end: unrecorded };
  appendAlone(outboxEventOf(ended, 'ended', usage));
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
