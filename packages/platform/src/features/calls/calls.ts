import type { Instant } from '../../kernel/machine.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Database, Migration, Write } from '../../ports/database.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Media } from '../../ports/media.ts';
import type { NumberRoutes } from '../../ports/number-routes.ts';
import type { Registrations } from '../../ports/registrations.ts';
import type { LegNotice, Telephony } from '../../ports/telephony.ts';
import { createDirectCalls } from './direct-calls.ts';
import { type CallLeg, type CallLegEffect, type CallLegInput, callLegMachine } from './domain/call-leg.ts';
import { type CallEnd, callEnds } from './domain/hangup-cause.ts';
import { callsTable } from './migrations/0001-calls.ts';
import type { Calls, OutboundLeg, OwnedLegNotice } from './owned-leg.ts';
import { createRouting } from './routing.ts';
import { endForgottenLegs, passCallsOn, removeCallsOf, saveLeg } from './store.ts';

export interface CallsDeps {
  readonly runner: SessionRunner;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telephony: Telephony;
  readonly media: Media;
  readonly registrations: Registrations;
  readonly numbers: NumberRoutes;
  /** SIP domains that we serve, lower case; the first is the realm. */
  readonly domains: readonly string[];
  readonly newUuid: () => string;
  /** True when resources of `account` belong to `owner`: itself, or a subaccount of it. */
  readonly isWithin: (account: string, owner: string) => Promise<boolean>;
}

export interface CallsFeature extends Calls {
  readonly migrations: readonly Migration[];
  /** What becomes of the records of a subaccount that is deleted; for the accounts feature. */
  readonly resources: {
    remove(write: Write, account: string): Promise<void>;
    passOn(write: Write, account: string, main: string): Promise<void>;
  };
  /** Ends the records of legs that the last process left behind; called once, before the first call. */
  restore(now: Instant): Promise<number>;
}

/** Every leg of every call: recorded, dialled, told to its owner. */
export function createCalls(deps: CallsDeps): CallsFeature {
  const owners = new Map<string, (owner: string, notice: OwnedLegNotice) => void>();
  const routing = createRouting(deps);

  const legs: Sessions<CallLeg, CallLegInput> = deps.runner.define<CallLeg, CallLegInput, CallLegEffect>({
    name: 'call-leg',
    machine: callLegMachine,
    save: (write, _leg, before, after) => saveLeg(write, before, after),
    isEnded: (leg) => leg.phase === 'ended',
    perform(leg, effect) {
      switch (effect.do) {
        case 'route':
          return route(leg, effect);
        case 'dial':
          return deps.telephony.dial({
            leg,
            from: { user: effect.from, displayName: effect.callerName },
            to: { user: effect.user },
            targets: effect.targets,
            headers: prefixed(effect.sipHeaders),
          });
        case 'ring':
          return deps.telephony.ring(leg);
        case 'answer':
          return deps.telephony.answer(leg);
        case 'hang-up':
          return deps.telephony.hangUp(leg, effect.status);
        case 'tell-owner':
          return owners.get(effect.owner.kind)?.(effect.owner.id, { ...effect.notice, leg });
      }
    },
  });

  const newLeg = (leg: Pick<CallLeg, 'leg' | 'account' | 'owner' | 'from' | 'to' | 'callerName'>) => ({
    ...leg,
    initiatedAt: deps.clock.now(),
    answeredAt: null,
    endedAt: null,
    end: null,
    wantedEnd: null,
  });

  async function dial(request: OutboundLeg): Promise<void> {
    const { ringTimeoutSeconds, sipHeaders, ...leg } = request;
    await legs.open(
      leg.leg,
      { ...newLeg(leg), direction: 'outbound', phase: 'routing' },
      { type: 'place', ringTimeoutSeconds, sipHeaders },
    );
  }

  function route(leg: string, effect: Extract<CallLegEffect, { do: 'route' }>): void {
    routing.routeTo(effect.account, effect.to).then(
      (route) => {
        if (route.ok) {
          const { user, targets } = route;
          legs.send(leg, { type: 'routed', user, targets, sipHeaders: effect.sipHeaders });
          return;
        }
        const { end } = route;
        deps.log.info(
          { leg, account: effect.account, to: effect.to, end },
          'A destination could not be reached.',
        );
        legs.send(leg, { type: 'unreachable', end });
      },
      (error: unknown) => {
        deps.log.error({ leg, err: error }, 'The destination of a leg could not be looked up.');
        legs.send(leg, { type: 'unreachable', end: callEnds(5010, 'Error') });
      },
    );
  }

  const direct = createDirectCalls({
    runner: deps.runner,
    media: deps.media,
    newUuid: deps.newUuid,
    dial,
    ring: (leg) => legs.send(leg, { type: 'ring' }),
    answer: (leg) => legs.send(leg, { type: 'answer' }),
    hangUp,
    log: deps.log,
  });
  owners.set(direct.ownerKind, direct.tell);

  async function offered(notice: Extract<LegNotice, { type: 'leg-offered' }>): Promise<void> {
    const { leg, account, from, to, callerName } = notice;
    try {
      // Both are there before this turn ends, so that a caller who gives up in the next one finds its leg.
      const joined = direct.open(leg, { account, from, to, callerName });
      const recorded = legs.open(
        leg,
        {
          ...newLeg({ leg, account, from, to, callerName, owner: { kind: direct.ownerKind, id: leg } }),
          direction: 'inbound',
          phase: 'offered',
        },
        { type: 'offered' },
      );
      await Promise.all([joined, recorded]);
      direct.begin(leg);
    } catch (error) {
      deps.log.error({ leg, err: error }, 'An offered leg could not be recorded; it is refused.');
      direct.tell(leg, { type: 'leg-ended', leg, end: callEnds(5010, 'Error'), durationSeconds: 0 });
      deps.telephony.hangUp(leg, 500);
    }
  }

  function hangUp(leg: string, end: CallEnd): void {
    legs.send(leg, { type: 'hang-up', end });
  }

  // conventions.md §13: a phone that has sent nothing for so long (the engine's figure, 60 s) is gone without a word.
  deps.media.subscribe((notice) => {
    if (notice.type === 'media-silent') hangUp(notice.leg, callEnds(6020, 'Service'));
  });

  deps.telephony.listen((notice) => {
    switch (notice.type) {
      case 'leg-offered':
        void offered(notice);
        return;
      case 'leg-ended':
        return legs.send(notice.leg, { type: 'leg-ended', end: notice.end });
      default:
        return legs.send(notice.leg, { type: notice.type });
    }
  });

  return {
    migrations: [callsTable],
    resources: { remove: removeCallsOf, passOn: passCallsOn },
    restore: (now) => endForgottenLegs(deps.database, now),
    ownedBy: (kind, tell) => owners.set(kind, tell),
    dial,
    hangUp,
  };
}

function prefixed(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [`X-PH-${name}`, value]));
}
