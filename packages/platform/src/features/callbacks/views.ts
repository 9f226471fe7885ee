import type { CallbackBody, CallbackItem } from '@jackfield/contract';
import { timestampWithOffset } from '../../kernel/timestamps.ts';
import { encodeFields, withQuery } from './delivery/signed-request.ts';
import { parseDeliverySettings } from './domain/delivery-settings.ts';
import type { CallbackAttempt, CallbackRow } from './store.ts';

/** `authId` is the account of the request's path. */
export function itemOf(row: CallbackRow, authId: string): CallbackItem {
  return {
    callback_id: row.callback_id,
    event_id: row.event_id,
    event: row.event_type,
    resource: row.resource,
    url: row.url,
    method: row.method,
    status: row.status,
    attempts: row.attempts,
    response_status: row.response_status,
    problem: row.problem,
    problem_code: row.problem_code,
    duration: row.duration_ms,
    created_time: timestampWithOffset(row.created_at),
    last_attempt_time: row.last_attempt_at === 0 ? null : timestampWithOffset(row.last_attempt_at),
    next_attempt_time: row.next_attempt_at === null ? null : timestampWithOffset(row.next_attempt_at),
    resource_uri: `/v1/Account/${authId}/Callback/${row.callback_id}/`,
  };
}

export function callbackOf(row: CallbackRow, authId: string): Omit<CallbackBody, 'api_id'> {
  const { url } = parseDeliverySettings(row.url);
  const form = encodeFields(JSON.parse(row.fields));
  return {
    ...itemOf(row, authId),
    request_url: row.method === 'GET' ? withQuery(url, form) : url,
    attempt_log: (JSON.parse(row.attempt_log) as CallbackAttempt[]).map(({ at, ...attempt }) => ({
      time: timestampWithOffset(at),
      problem_code: null,
      ...attempt,
    })),
    headers: JSON.parse(row.headers),
    body: row.method === 'POST' ? form : '',
    signed_v2: row.signed_v2,
    signed_v3: row.signed_v3,
  };
}
