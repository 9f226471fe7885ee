import type { Binding } from '@jackfield/ports';
import type { OutboxEvent } from '../../kernel/kernel-effects.ts';

/** The endpoint of a registration. */
export interface RegisteredEndpoint {
  readonly endpoint_id: string;
  readonly account: string;
  readonly main_account: string;
  readonly username: string;
}

/** `expired`: not refreshed in time; `flow-lost`: its connection broke (RFC 5626 §4.2.1). */
export type UnregisteredReason = 'unregistered' | 'expired' | 'flow-lost';

/** The endpoint has its first live binding. */
export function registeredEvent(endpoint: RegisteredEndpoint, binding: Binding): OutboxEvent {
  return eventOf('endpoint.registered', endpoint, {
    contact: binding.contact,
    user_agent: binding.userAgent,
  });
}

/** The endpoint has lost its last binding. */
export function unregisteredEvent(
  endpoint: RegisteredEndpoint,
  last: { readonly contact: string; readonly user_agent: string },
  reason: UnregisteredReason,
): OutboxEvent {
  const { contact, user_agent } = last;
  return eventOf('endpoint.unregistered', endpoint, { contact, user_agent, reason });
}

function eventOf(
  type: string,
  { endpoint_id, account, main_account, username }: RegisteredEndpoint,
  payload: Readonly<Record<string, unknown>>,
): OutboxEvent {
  const resource = `endpoint/${endpoint_id}`;
  return {
    type,
    account,
    mainAccount: main_account,
    resource,
    payload: { endpoint_id, username, ...payload },
  };
}
