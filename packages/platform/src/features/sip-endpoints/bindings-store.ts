import type { Binding, Instant, Read } from '@jackfield/ports';
import type { CompiledQuery } from 'kysely';
import type { BindingsTables, SipEndpointsTables } from './tables.ts';

type BindingRow = BindingsTables['sip_bindings'];
export interface CredentialRow {
  readonly account: string;
  readonly endpoint_id: string;
  readonly username: string;
  readonly ha1_md5: string;
  readonly ha1_sha256: string;
}

/**
 * Queries of the registrar. Building a query costs more than running it, and thousands of REGISTERs come each second:
 * each is built once and run with other parameters.
 */
export interface RegistrarQueries {
  credential(username: string): CompiledQuery<CredentialRow>;
  /** In the order of creation. */
  credentialsAfter(
    position: number,
    limit: number,
  ): CompiledQuery<CredentialRow & { readonly position: number }>;
  /** No row without the endpoint, a row of nulls without a live binding; newest first. */
  live(endpoint: string, now: Instant): CompiledQuery<LiveRow>;
  /** Locks the endpoint until the end of the transaction. */
  lock(endpoint: string): CompiledQuery<unknown>;
  put(endpoint: string, binding: Binding): CompiledQuery<unknown>;
  /** Of a binding that `isRefresh` of the stored one. */
  refresh(endpoint: string, binding: Binding): CompiledQuery<unknown>;
  remove(endpoint: string, binding: Binding): CompiledQuery<unknown>;
  dropFlow(flow: string): CompiledQuery<unknown>;
  /** Flows from the first name up to, and without, the second. */
  dropFlows(from: string, to: string): CompiledQuery<unknown>;
  purge(now: Instant): CompiledQuery<unknown>;
  instance(endpoint: string, instance: string): CompiledQuery<{ readonly instance: string }>;
  addInstance(endpoint: string, instance: string, now: Instant): CompiledQuery<unknown>;
  /** Forgets the oldest instances of an endpoint beyond the limit. */
  trimInstances(endpoint: string): CompiledQuery<unknown>;
}

export type LiveRow = { [Name in keyof BindingRow]: BindingRow[Name] | null };

/** Limit of one purge, so that it does not delay other transactions for long. */
export const purgeBatch = 500;

/** Remembered phones of an endpoint: more than can be registered, and as many as a reinstalled app uses in years. */
const mostInstances = 32;

type Tables = ReturnType<typeof tablesOf>;

function tablesOf(read: Read) {
  return read.withTables<SipEndpointsTables>();
}

/** `locks`: with a row lock, for databases with concurrent transactions. */
export function registrarQueries(read: Read, locks: boolean): RegistrarQueries {
  const tables = tablesOf(read);
  return { ...readQueries(tables, locks), ...writeQueries(tables), ...instanceQueries(tables) };
}

type Reads = Pick<RegistrarQueries, 'credential' | 'credentialsAfter' | 'live' | 'lock'>;

function readQueries(tables: Tables, locks: boolean): Reads {
  const credentials = tables
    .selectFrom('sip_endpoints')
    .select(['account', 'endpoint_id', 'username', 'ha1_md5', 'ha1_sha256']);
  const credential = credentials.where('username', '=', '').compile();
  const credentialsAfter = credentials
    .select('position')
    .where('position', '>', 0)
    .orderBy('position')
    .limit(1)
    .compile();
  const live = tables
    .selectFrom('sip_endpoints as e')
    .leftJoin('sip_bindings as b', (join) =>
      join.onRef('b.endpoint_id', '=', 'e.endpoint_id').on('b.expires_at', '>', 0),
    )
    .select([
      'b.endpoint_id',
      'b.contact',
      'b.instance',
      'b.reg_id',
      'b.path',
      'b.flow',
      'b.q',
      'b.expires_at',
      'b.call_id',
      'b.cseq',
      'b.user_agent',
      'b.registered_at',
      'b.may_call',
      'b.refreshed_at',
      'b.transport',
      'b.source',
    ])
    .where('e.endpoint_id', '=', '')
    .orderBy('b.registered_at', 'desc')
    .orderBy('b.contact')
    .compile();
  const oneEndpoint = tables.selectFrom('sip_endpoints').select('endpoint_id').where('endpoint_id', '=', '');
  const lock = (locks ? oneEndpoint.forUpdate() : oneEndpoint).compile();
  return {
    credential: (username) => ({ ...credential, parameters: [username] }),
    credentialsAfter: (position, limit) => ({ ...credentialsAfter, parameters: [position, limit] }),
    live: (endpoint, now) => ({ ...live, parameters: [now, endpoint] }),
    lock: (endpoint) => ({ ...lock, parameters: [endpoint] }),
  };
}

type Writes = Pick<RegistrarQueries, 'put' | 'refresh' | 'remove' | 'dropFlow' | 'dropFlows' | 'purge'>;

function writeQueries(tables: Tables): Writes {
  const put = tables
    .insertInto('sip_bindings')
    .values(rowOf('', emptyBinding))
    .onConflict((on) =>
      on.columns(['endpoint_id', 'contact', 'instance', 'reg_id']).doUpdateSet((row) => ({
        path: row.ref('excluded.path'),
        flow: row.ref('excluded.flow'),
        q: row.ref('excluded.q'),
        expires_at: row.ref('excluded.expires_at'),
        call_id: row.ref('excluded.call_id'),
        cseq: row.ref('excluded.cseq'),
        user_agent: row.ref('excluded.user_agent'),
        registered_at: row.ref('excluded.registered_at'),
        may_call: row.ref('excluded.may_call'),
        refreshed_at: row.ref('excluded.refreshed_at'),
        transport: row.ref('excluded.transport'),
        source: row.ref('excluded.source'),
      })),
    )
    .compile();
  const refresh = tables
    .updateTable('sip_bindings')
    .set({ expires_at: 0, cseq: 0, refreshed_at: 0 })
    .where('endpoint_id', '=', '')
    .where('contact', '=', '')
    .where('instance', '=', '')
    .where('reg_id', '=', 0)
    .compile();
  const remove = tables
    .deleteFrom('sip_bindings')
    .where('endpoint_id', '=', '')
    .where('contact', '=', '')
    .where('instance', '=', '')
    .where('reg_id', '=', 0)
    .compile();
  const dropFlow = tables.deleteFrom('sip_bindings').where('flow', '=', '').compile();
  const dropFlows = tables
    .deleteFrom('sip_bindings')
    .where('flow', '>=', '')
    .where('flow', '<', '')
    .compile();
  const purge = tables
    .deleteFrom('sip_bindings')
    .where((on) =>
      on(
        on.refTuple('endpoint_id', 'contact', 'instance', 'reg_id'),
        'in',
        on
          .selectFrom('sip_bindings')
          .select(['endpoint_id', 'contact', 'instance', 'reg_id'])
          .where('expires_at', '<=', 0)
          .orderBy('expires_at')
          .limit(purgeBatch)
          .$asTuple('endpoint_id', 'contact', 'instance', 'reg_id'),
      ),
    )
    .compile();
  return {
    put: (endpoint, binding) => ({ ...put, parameters: Object.values(rowOf(endpoint, binding)) }),
    refresh(endpoint, { contact, instance = '', regId = 0, expiresAt, cseq, refreshedAt = 0 }) {
      return { ...refresh, parameters: [expiresAt, cseq, refreshedAt, endpoint, contact, instance, regId] };
    },
    remove: (endpoint, { contact, instance = '', regId = 0 }) => ({
      ...remove,
      parameters: [endpoint, contact, instance, regId],
    }),
    dropFlow: (flow) => ({ ...dropFlow, parameters: [flow] }),
    dropFlows: (from, to) => ({ ...dropFlows, parameters: [from, to] }),
    purge: (now) => ({ ...purge, parameters: [now, purgeBatch] }),
  };
}

type Instances = Pick<RegistrarQueries, 'instance' | 'addInstance' | 'trimInstances'>;

function instanceQueries(tables: Tables): Instances {
  const instance = tables
    .selectFrom('sip_instances')
    .select('instance')
    .where('endpoint_id', '=', '')
    .where('instance', '=', '')
    .compile();
  const addInstance = tables
    .insertInto('sip_instances')
    .values({ endpoint_id: '', instance: '', first_at: 0 })
    .onConflict((on) => on.doNothing())
    .compile();
  const trimInstances = tables
    .deleteFrom('sip_instances')
    .where('endpoint_id', '=', '')
    .where('instance', 'not in', (of) =>
      of
        .selectFrom('sip_instances as kept')
        .select('kept.instance')
        .where('kept.endpoint_id', '=', '')
        .orderBy('kept.first_at', 'desc')
        .orderBy('kept.instance')
        .limit(mostInstances),
    )
    .compile();
  return {
    instance: (endpoint, named) => ({ ...instance, parameters: [endpoint, named] }),
    addInstance: (endpoint, named, now) => ({ ...addInstance, parameters: [endpoint, named, now] }),
    trimInstances: (endpoint) => ({ ...trimInstances, parameters: [endpoint, endpoint, mostInstances] }),
  };
}

export function bindingOf(row: LiveRow): Binding | undefined {
  if (row.contact === null) return undefined;
  return {
    contact: row.contact,
    flow: row.flow!,
    q: row.q!,
    expiresAt: row.expires_at!,
    callId: row.call_id!,
    cseq: row.cseq!,
    userAgent: row.user_agent!,
    registeredAt: row.registered_at!,
    ...(row.path === '' ? {} : { path: JSON.parse(row.path!) as string[] }),
    ...(row.instance === '' ? {} : { instance: row.instance! }),
    ...(row.reg_id === 0 ? {} : { regId: row.reg_id! }),
    ...(row.may_call === 0 ? { mayCall: false as const } : {}),
    ...(row.refreshed_at === 0 ? {} : { refreshedAt: row.refreshed_at! }),
    ...(row.transport === '' ? {} : { transport: row.transport! }),
    ...(row.source === '' ? {} : { source: row.source! }),
  };
}

/** Whether two bindings have the same key. */
export function isSameBinding(one: Binding, other: Binding): boolean {
  return (
    one.contact === other.contact &&
    (one.instance ?? '') === (other.instance ?? '') &&
    (one.regId ?? 0) === (other.regId ?? 0)
  );
}

/** Whether only the time and number of its REGISTER differ: the common case, which changes one index instead of all. */
export function isRefresh(one: Binding, other: Binding): boolean {
  return (
    isSameBinding(one, other) &&
    one.flow === other.flow &&
    one.callId === other.callId &&
    one.userAgent === other.userAgent &&
    one.registeredAt === other.registeredAt &&
    one.q === other.q &&
    one.mayCall === other.mayCall &&
    one.source === other.source &&
    isSamePath(one.path, other.path)
  );
}

function isSamePath(one: Binding['path'], other: Binding['path']): boolean {
  return one === other || (one ?? []).join() === (other ?? []).join();
}

const emptyBinding: Binding = {
  contact: '',
  flow: '',
  q: 0,
  expiresAt: 0,
  callId: '',
  cseq: 0,
  userAgent: '',
  registeredAt: 0,
};

/** In the order of the parameters of `put`. */
function rowOf(endpoint: string, binding: Binding): BindingRow {
  return {
    endpoint_id: endpoint,
    contact: binding.contact,
    instance: binding.instance ?? '',
    reg_id: binding.regId ?? 0,
    path: binding.path === undefined ? '' : JSON.stringify(binding.path),
    flow: binding.flow,
    q: binding.q,
    expires_at: binding.expiresAt,
    call_id: binding.callId,
    cseq: binding.cseq,
    user_agent: binding.userAgent,
    registered_at: binding.registeredAt,
    may_call: binding.mayCall === false ? 0 : 1,
    refreshed_at: binding.refreshedAt ?? 0,
    transport: binding.transport ?? '',
    source: binding.source ?? '',
  };
}
