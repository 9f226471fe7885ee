import type { Clock, Database, Metrics } from '@jackfield/ports';
import { sql } from 'kysely';
import { askedSeldom } from '../../../kernel/asked-seldom.ts';

export interface PublishedRegistrations {
  readonly database: Pick<Database, 'read'>;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'gauge'>;
}

/** Counted in the index of expiries, at most once in five seconds: a counter would miss changes by other nodes and by expiry. */
export function publishRegistrations({ database: { read }, clock, metrics }: PublishedRegistrations): void {
  const live = askedSeldom(clock, async () => {
    const query = sql<{ live: number | string }>`
      SELECT count(*) AS live FROM sip_bindings WHERE expires_at > ${clock.now()}`.compile(read);
    return Number((await read.executeQuery(query)).rows[0]?.live);
  });
  metrics.gauge('jackfield_registrations', 'Contacts of phones that are registered.', live);
}
