import type { Read } from '@jackfield/ports';
import { sql } from 'kysely';
import type { OutboxEvent } from './kernel-effects.ts';

/** Payloads of the events of this type and resource that the outbox still keeps. */
export async function payloadsOf(
  read: Read,
  { resource, type }: Pick<OutboxEvent, 'resource' | 'type'>,
): Promise<readonly OutboxEvent['payload'][]> {
  const { rows } = await sql<{ payload: string }>`
    SELECT payload FROM outbox WHERE resource = ${resource} AND type = ${type}`.execute(read);
  return rows.map(({ payload }) => JSON.parse(payload) as OutboxEvent['payload']);
}
