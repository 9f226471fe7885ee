import type { Binding, Database, Instant, Write } from '@jackfield/ports';
import type { OutboxEvent } from '../../../kernel/kernel-effects.ts';
import type { Outbox } from '../../../kernel/outbox.ts';
import { registeredEvent, type UnregisteredReason, unregisteredEvent } from '../registration-events.ts';
import { type GoneBinding, goneQueries } from './gone-bindings.ts';

/** Appends the events of registrations that begin and end, in the transaction of the change. */
export interface RegistrationReports {
  /** After a REGISTER with which the first binding came or the last one went. */
  changed(
    write: Write,
    endpoint: string,
    before: readonly Binding[],
    after: readonly Binding[],
    now: Instant,
  ): Promise<void>;
  /** One event for each endpoint without a further binding. */
  gone(
    write: Write,
    bindings: readonly GoneBinding[],
    reasonOf: (binding: GoneBinding) => UnregisteredReason,
  ): Promise<void>;
  /** After the commit: wakes the outbox when there are events. */
  announce(): void;
}

export function createRegistrationReports(
  database: Pick<Database, 'read'>,
  outbox: Pick<Outbox, 'appendEvents' | 'wake'>,
): RegistrationReports {
  const queries = goneQueries(database.read);
  let hasEvents = false;

  async function append(write: Write, events: readonly OutboxEvent[]): Promise<void> {
    if (events.length === 0) return;
    await outbox.appendEvents(write, events);
    hasEvents = true;
  }

  return {
    async changed(write, endpoint, before, after, now) {
      const { rows } = await write.executeQuery(queries.endpoint(endpoint));
      const owner = rows[0];
      if (owner === undefined) return;
      if (after.length === 0) {
        const { contact, userAgent: user_agent } = before[0]!;
        await append(write, [unregisteredEvent(owner, { contact, user_agent }, 'unregistered')]);
        return;
      }
      const events: OutboxEvent[] = [registeredEvent(owner, after[0]!)];
      // Expired, and registered again before the next sweep.
      const stale = (await write.executeQuery(queries.expiredOf(endpoint, now))).rows.at(-1);
      if (stale !== undefined) events.unshift(unregisteredEvent(owner, stale, 'expired'));
      await append(write, events);
    },

    async gone(write, bindings, reasonOf) {
      const events: OutboxEvent[] = [];
      for (const [endpoint, binding] of lastOfEach(bindings)) {
        const { rows } = await write.executeQuery(queries.endpointWithoutBinding(endpoint));
        if (rows[0] !== undefined) events.push(unregisteredEvent(rows[0], binding, reasonOf(binding)));
      }
      await append(write, events);
    },

    announce() {
      if (!hasEvents) return;
      hasEvents = false;
      outbox.wake();
    },
  };
}

/** The binding of each endpoint that expires last. */
function lastOfEach(bindings: readonly GoneBinding[]): ReadonlyMap<string, GoneBinding> {
  const last = new Map<string, GoneBinding>();
  for (const binding of bindings) {
    const known = last.get(binding.endpoint_id);
    if (known === undefined || known.expires_at <= binding.expires_at) last.set(binding.endpoint_id, binding);
  }
  return last;
}
