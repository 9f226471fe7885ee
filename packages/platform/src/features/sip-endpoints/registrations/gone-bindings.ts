import type { Instant, Read } from '@jackfield/ports';
import { type CompiledQuery, sql } from 'kysely';
import type { RegisteredEndpoint } from '../registration-events.ts';

/** A binding that was deleted because it expired or its flow broke. */
export interface GoneBinding {
  readonly endpoint_id: string;
  readonly contact: string;
  readonly user_agent: string;
  readonly expires_at: number;
}

/** Queries for registrations that end without a REGISTER; built once, like the registrar's. */
export interface GoneQueries {
  /** Deletes at most `limit` expired bindings. */
  expired(now: Instant, limit: number): CompiledQuery<GoneBinding>;
  expiredOf(endpoint: string, now: Instant): CompiledQuery<GoneBinding>;
  /** Deletes bindings of flows from the first name up to, and without, the second. */
  ofFlows(from: string, to: string, limit: number): CompiledQuery<GoneBinding>;
  ofFlowsOf(endpoint: string, from: string, to: string): CompiledQuery<GoneBinding>;
  /** Locks the endpoints of at most `limit` expired bindings, for databases with concurrent transactions. */
  lockExpired(now: Instant, limit: number): CompiledQuery<{ readonly endpoint_id: string }>;
  /** As `lockExpired`, for bindings of flows. */
  lockOfFlows(from: string, to: string, limit: number): CompiledQuery<{ readonly endpoint_id: string }>;
  nextExpiry(): CompiledQuery<{ readonly expires_at: number }>;
  /** The endpoint, if it has no binding left. */
  endpointWithoutBinding(endpoint: string): CompiledQuery<RegisteredEndpoint>;
  endpoint(endpoint: string): CompiledQuery<RegisteredEndpoint>;
}

export function goneQueries(read: Read): GoneQueries {
  const columns = sql.raw('endpoint_id, contact, user_agent, expires_at');
  const instant = sql`CAST(${0} AS BIGINT)`;
  const expired = sql<GoneBinding>`
    DELETE FROM sip_bindings WHERE (endpoint_id, contact, instance, reg_id) IN (
      SELECT endpoint_id, contact, instance, reg_id FROM sip_bindings WHERE expires_at <= ${instant} ORDER BY expires_at LIMIT ${0})
    RETURNING ${columns}`.compile(read);
  const expiredOf = sql<GoneBinding>`
    DELETE FROM sip_bindings WHERE endpoint_id = ${''} AND expires_at <= ${instant} RETURNING ${columns}`.compile(
    read,
  );
  const ofFlows = sql<GoneBinding>`
    DELETE FROM sip_bindings WHERE (endpoint_id, contact, instance, reg_id) IN (
      SELECT endpoint_id, contact, instance, reg_id FROM sip_bindings WHERE flow >= ${''} AND flow < ${''} ORDER BY flow LIMIT ${0})
    RETURNING ${columns}`.compile(read);
  const ofFlowsOf = sql<GoneBinding>`
    DELETE FROM sip_bindings WHERE endpoint_id = ${''} AND flow >= ${''} AND flow < ${''} RETURNING ${columns}`.compile(
    read,
  );
  // In one order: two sweeps do not wait for each other.
  const lock = (found: ReturnType<typeof sql>) =>
    sql<{ endpoint_id: string }>`
      SELECT endpoint_id FROM sip_endpoints WHERE endpoint_id IN (SELECT endpoint_id FROM sip_bindings WHERE ${found} LIMIT ${0})
      ORDER BY endpoint_id FOR UPDATE`.compile(read);
  const lockExpired = lock(sql`expires_at <= ${instant} ORDER BY expires_at`);
  const lockOfFlows = lock(sql`flow >= ${''} AND flow < ${''} ORDER BY flow`);
  const next = sql<{ expires_at: number }>`
    SELECT expires_at FROM sip_bindings ORDER BY expires_at LIMIT 1`.compile(read);
  const owner = sql.raw('SELECT endpoint_id, account, main_account, username FROM sip_endpoints WHERE');
  const without = sql<RegisteredEndpoint>`
    ${owner} endpoint_id = ${''} AND NOT EXISTS (SELECT 1 FROM sip_bindings WHERE endpoint_id = ${''})`.compile(
    read,
  );
  const endpoint = sql<RegisteredEndpoint>`${owner} endpoint_id = ${''}`.compile(read);

  return {
    expired: (now, limit) => ({ ...expired, parameters: [now, limit] }),
    expiredOf: (of, now) => ({ ...expiredOf, parameters: [of, now] }),
    ofFlows: (from, to, limit) => ({ ...ofFlows, parameters: [from, to, limit] }),
    ofFlowsOf: (of, from, to) => ({ ...ofFlowsOf, parameters: [of, from, to] }),
    lockExpired: (now, limit) => ({ ...lockExpired, parameters: [now, limit] }),
    lockOfFlows: (from, to, limit) => ({ ...lockOfFlows, parameters: [from, to, limit] }),
    nextExpiry: () => next,
    endpointWithoutBinding: (of) => ({ ...without, parameters: [of, of] }),
    endpoint: (of) => ({ ...endpoint, parameters: [of] }),
  };
}
