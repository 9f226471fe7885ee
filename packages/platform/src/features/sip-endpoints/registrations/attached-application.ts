import type { Database } from '@jackfield/ports';
import type { CompiledQuery } from 'kysely';
import type { SipEndpointsTables } from '../tables.ts';

/** The application that an endpoint is attached to: read for each call from the endpoint. */
export function createAttachedApplication({
  read,
}: Pick<Database, 'read'>): (endpointId: string) => Promise<string | null> {
  const compiled = read
    .withTables<SipEndpointsTables>()
    .selectFrom('sip_endpoints')
    .select('application_id')
    .where('endpoint_id', '=', '')
    .compile();

  return async (endpointId) => {
    const query: CompiledQuery<{ application_id: string | null }> = { ...compiled, parameters: [endpointId] };
    return (await read.executeQuery(query)).rows[0]?.application_id ?? null;
  };
}
