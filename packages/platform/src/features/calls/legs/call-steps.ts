import type { Instant } from '@jackfield/ports';
import type { Sessions } from '../../../kernel/session-runner.ts';
import type { CallLeg, CallLegInput } from '../domain/call-leg.ts';
import type { LegOwners } from './leg-owners.ts';

/** A call of an account began, was answered or ended. Times are those of the record. */
export type CallStep =
  | (OfCall & { readonly type: 'begun' | 'answered' })
  | (OfCall & { readonly type: 'ended'; readonly cause: string; readonly mos: number | null });

interface OfCall {
  readonly account: string;
  readonly mainAccount: string;
  readonly at: Instant;
}

type LegSessions = Sessions<CallLeg, CallLegInput>;

/** Reports the steps of all calls, after their commit: for statistics. */
export interface CallSteps {
  whenStepped(listener: (step: CallStep) => void): void;
  ended(leg: CallLeg | undefined): void;
  /** The same sessions; each that opens is reported. */
  reportingBegins(legs: LegSessions): LegSessions;
  reportAnswers(owners: Pick<LegOwners, 'observe'>, legs: Pick<LegSessions, 'peek'>): void;
}

export function createCallSteps(): CallSteps {
  const listeners: ((step: CallStep) => void)[] = [];
  const report = (step: CallStep) => {
    for (const listener of listeners) listener(step);
  };

  return {
    whenStepped: (listener) => void listeners.push(listener),
    ended(leg) {
      if (leg === undefined || leg.endedAt === null || leg.end === null) return;
      const { account, mainAccount, endedAt: at, end, quality } = leg;
      report({ type: 'ended', account, mainAccount, at, cause: end.name, mos: quality?.mos ?? null });
    },
    reportingBegins: (legs) => ({
      ...legs,
      async open(id, leg, input, options) {
        const opened = legs.open<never>(id, leg, input, options);
        const { account, mainAccount, initiatedAt: at } = leg;
        await opened;
        report({ type: 'begun', account, mainAccount, at });
        return opened;
      },
    }),
    reportAnswers(owners, legs) {
      owners.observe(({ type, leg }) => {
        if (type !== 'leg-answered') return;
        const { account, mainAccount, answeredAt } = legs.peek(leg) ?? {};
        if (account === undefined || mainAccount === undefined || answeredAt == null) return;
        report({ type: 'answered', account, mainAccount, at: answeredAt });
      });
    },
  };
}
