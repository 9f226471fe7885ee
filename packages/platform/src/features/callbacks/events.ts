import type { OutboxEvent } from '../../kernel/kernel-effects.ts';
import type { StoredEvent } from '../../kernel/outbox-store.ts';
import { timestampWithOffset } from '../../kernel/timestamps.ts';
import type { CallbackRow } from './store.ts';

const types = {
  delivered: 'callback.delivered',
  retrying: 'callback.failed',
  failed: 'callback.abandoned',
} as const;

/** The event of an attempt: `callback.failed` is retried, `callback.abandoned` is not. */
export function deliveryEvent(
  { account, mainAccount }: StoredEvent,
  row: CallbackRow & { readonly status: keyof typeof types },
): OutboxEvent {
  return {
    type: types[row.status],
    account,
    mainAccount,
    resource: `callback/${row.callback_id}`,
    payload: {
      callback_id: row.callback_id,
      event_id: row.event_id,
      event: row.event_type,
      resource: row.resource,
      attempts: row.attempts,
      response_status: row.response_status,
      problem: row.problem,
      problem_code: row.problem_code,
      duration: row.duration_ms,
      next_attempt_time: row.next_attempt_at === null ? null : timestampWithOffset(row.next_attempt_at),
    },
  };
}
