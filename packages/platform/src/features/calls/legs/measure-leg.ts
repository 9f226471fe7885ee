import type { Metrics } from '@jackfield/ports';
import type { CallLeg } from '../domain/call-leg.ts';

/** Counts an ended leg. Its cause is a label: the table of causes is small. */
export function measureLeg(
  metrics: Pick<Metrics, 'count' | 'observe'> | undefined,
  leg: CallLeg | undefined,
): void {
  if (metrics === undefined || leg === undefined || leg.end === null) return;
  const { direction, end, initiatedAt, answeredAt, quality } = leg;
  metrics.count('jackfield_calls_ended_total', { direction, cause: end.name });
  if (answeredAt !== null) {
    const seconds = Math.max(0, answeredAt - initiatedAt) / 1000;
    metrics.observe('jackfield_call_setup_seconds', seconds, { direction });
  }
  if (quality?.mos != null) metrics.observe('jackfield_call_mos', quality.mos);
}
