import type { Metrics } from '@jackfield/ports';
import { createRareEvents, type RareEventsDeps } from '../../kernel/rare-events.ts';
import { refusalEvent } from './events.ts';

export interface RefusalDeps extends Pick<RareEventsDeps, 'database' | 'clock' | 'log' | 'outbox'> {
  readonly metrics: Pick<Metrics, 'count'>;
}

export type ReportRefusal = (account: string, mainAccount: string, reason: string, recipient: string) => void;

/** Counts every refusal; emits one event a minute for each account and reason, so that an attack cannot flood the event stream. */
export function createRefusals({ database, clock, log, metrics, outbox }: RefusalDeps): ReportRefusal {
  const reportRarely = createRareEvents({ database, clock, log, outbox });
  return (account, mainAccount, reason, recipient) => {
    metrics.count('jackfield_verify_refusals_total', { reason });
    reportRarely(`${account}/${reason}`, (times) =>
      refusalEvent(account, mainAccount, reason, recipient, times),
    );
  };
}
