import { callEnds, type Logger, type Media, type Metrics, type Telephony } from '@jackfield/ports';
import { type WithOutboxEvents, withOutboxEvents } from '../../kernel/outbox-emitting.ts';
import type { SessionRunner, Sessions } from '../../kernel/session-runner.ts';
import type { Usage } from '../usage/index.ts';
import { type CallLeg, type CallLegEffect, type CallLegInput, isLegOver } from './domain/call-leg.ts';
import { callLegMachine } from './domain/call-leg-machine.ts';
import { outboxEventOf } from './events.ts';
import type { LegOwners } from './legs/leg-owners.ts';
import { measureLeg } from './legs/measure-leg.ts';
import type { Routing } from './legs/routing.ts';
import type { LegOwner, OwnedLegNotice } from './public-api.ts';
import { type CallStore, isRecorded } from './store.ts';

export interface SessionDeps {
  readonly runner: SessionRunner;
  readonly log: Logger;
  readonly telephony: Telephony;
  readonly media: Media;
  readonly metrics?: Pick<Metrics, 'count' | 'observe'>;
  readonly usage: Usage;
}

export interface SessionParts {
  readonly store: Pick<CallStore, 'save'>;
  readonly routing: Routing;
  /** Notifies the owner of a leg. */
  notify(owner: LegOwner, notice: OwnedLegNotice): void;
  readonly conversationsOf: LegOwners['conversationsOf'];
  /** The leg has ended, for statistics. */
  ended(leg: CallLeg | undefined): void;
  /** The leg has ended; `peek` still gives it. */
  over(leg: string): void;
}

type LegSessions = Sessions<CallLeg, CallLegInput>;

/** One session for each leg: its machine, its record, and its effects. */
export function defineSessions(deps: SessionDeps, parts: SessionParts): LegSessions {
  const { telephony, media } = deps;
  const legs: LegSessions = deps.runner.define<CallLeg, CallLegInput, WithOutboxEvents<CallLegEffect>>({
    name: 'call-leg',
    machine: withOutboxEvents(callLegMachine, (leg, { event }) => outboxEventOf(leg, event, deps.usage)),
    save: (write, _leg, before, after, incarnation) => parts.store.save(write, before, after, incarnation),
    isRecorded,
    isBilled: true,
    isEnded: isLegOver,
    perform(leg, effect) {
      switch (effect.do) {
        case 'route':
          return route(deps, parts.routing, legs, leg, effect);
        case 'dial':
          return telephony.dial(effect.request);
        case 'ring':
          return telephony.ring(leg);
        case 'open-early':
          return telephony.openEarly(leg);
        case 'answer':
          return telephony.answer(leg);
        case 'send-digits':
          return media.send({ do: 'send-digits', leg, digits: effect.digits });
        case 'pass-key': {
          const { owner, digit } = effect;
          const partner = parts.conversationsOf(owner)?.partnerOf(owner.id, leg);
          if (partner === undefined) return;
          return media.send({ do: 'send-digits', leg: partner, digits: digit, pressedBy: leg });
        }
        case 'hang-up':
          return telephony.hangUp(leg, effect.status, effect.completedElsewhere);
        case 'notify-owner':
          return parts.notify(effect.owner, { ...effect.notice, leg });
        case 'leave':
          measureLeg(deps.metrics, legs.peek(leg));
          parts.ended(legs.peek(leg));
          parts.over(leg);
      }
    },
  });
  return legs;
}

function route(
  { log }: SessionDeps,
  routing: Routing,
  legs: LegSessions,
  leg: string,
  effect: Extract<CallLegEffect, { do: 'route' }>,
): void {
  const { account, to } = effect;
  routing.routeTo(effect, to).then(
    (route) => {
      if (route.ok) {
        legs.send(leg, { type: 'routed', callee: route.callee, targets: route.targets });
        return;
      }
      const { end } = route;
      log.info({ leg, account, to, end }, 'destination not reached');
      legs.send(leg, { type: 'unreachable', end });
    },
    (error: unknown) => {
      log.error({ leg, err: error }, 'destination not looked up');
      legs.send(leg, { type: 'unreachable', end: callEnds(5010, 'Error') });
    },
  );
}
