import type {
  Binding,
  Clock,
  Database,
  EndpointCredential,
  Instant,
  Registrations,
  Write,
} from '@jackfield/ports';
import { bindingOf, isSameBinding, purgeBatch, registrarQueries } from '../bindings-store.ts';
import type { RegistrationWatch } from './registration-watch.ts';

const purgeEveryMs = 60_000;
// What `create` makes: a letter, up to 24 letters and digits, and 12 digits. Anything else is nobody.
const usernameShape = /^[A-Za-z][A-Za-z0-9]{12,36}$/;

/** Bindings in the database: what is answered to a phone is durable, and an expired binding is gone in the same instant. */
export function createRegistrations({
  database,
  clock,
  watch,
}: {
  readonly database: Database;
  readonly clock: Clock;
  /** Absent where nobody is told of registrations: then what has expired is swept out by those that come later. */
  readonly watch?: RegistrationWatch | undefined;
}): Registrations {
  // The embedded database runs one transaction after another; a shared one needs to be told who must wait.
  const locks = database.dialect === 'postgres';
  const queries = registrarQueries(database.read, locks);
  let nextPurge: Instant = 0;

  async function credentialOf(user: string): Promise<EndpointCredential | undefined> {
    if (!usernameShape.test(user)) return undefined;
    const row = (await database.read.executeQuery(queries.credential(user))).rows[0];
    return row === undefined
      ? undefined
      : {
          account: row.account,
          endpoint: row.endpoint_id,
          username: row.username,
          ha1: { md5: row.ha1_md5, sha256: row.ha1_sha256 },
        };
  }

  async function bindingsOf(endpoint: string): Promise<readonly Binding[]> {
    return (await liveBindings(database.read, endpoint, clock.now())) ?? [];
  }

  function update<Result>(
    endpoint: string,
    decide: (current: readonly Binding[]) => {
      readonly bindings: readonly Binding[];
      readonly result: Result;
    },
  ): Promise<Result> {
    let after: readonly Binding[] = [];
    const unit = database.transact(async (write) => {
      const now = clock.now();
      if (locks) await write.executeQuery(queries.lock(endpoint));
      const current = await liveBindings(write, endpoint, now);
      // Deleted since its credential was read: a binding written now would outlive it, and 200 would be a lie.
      if (current === undefined) throw new Error(`endpoint ${endpoint} has been deleted`);
      const { bindings, result } = decide(current);
      if (bindings !== current) {
        // Before anything is overwritten: what has expired under the same contact is told of as well.
        if (watch !== undefined) await watch.changed(write, endpoint, current, bindings, now);
        await replace(write, endpoint, current, bindings);
        await remember(write, endpoint, current, bindings, now);
        after = bindings;
      }
      if (watch === undefined && now >= nextPurge) await purge(write, now);
      return result;
    });
    if (watch === undefined) return unit;
    return unit.then((result) => {
      watch.committed(after);
      return result;
    });
  }

  /** Undefined when there is no such endpoint. */
  async function liveBindings(
    on: Pick<Write, 'executeQuery'>,
    endpoint: string,
    now: Instant,
  ): Promise<readonly Binding[] | undefined> {
    const { rows } = await on.executeQuery(queries.live(endpoint, now));
    if (rows.length === 0) return undefined;
    return rows.map(bindingOf).filter((binding) => binding !== undefined);
  }

  /** A refresh is one statement: only what differs is written. */
  async function replace(
    write: Write,
    endpoint: string,
    current: readonly Binding[],
    next: readonly Binding[],
  ): Promise<void> {
    for (const gone of current) {
      if (!next.some((binding) => isSameBinding(binding, gone))) {
        await write.executeQuery(queries.remove(endpoint, gone));
      }
    }
    for (const binding of next) {
      if (!current.includes(binding)) await write.executeQuery(queries.put(endpoint, storable(binding)));
    }
  }

  /** A phone that refreshes is known already. */
  async function remember(
    write: Write,
    endpoint: string,
    current: readonly Binding[],
    next: readonly Binding[],
    now: Instant,
  ): Promise<void> {
    const known = new Set(current.map(({ instance }) => instance));
    for (const { instance } of next) {
      if (instance === undefined || known.has(instance)) continue;
      known.add(instance);
      await write.executeQuery(queries.addInstance(endpoint, instance, now));
      await write.executeQuery(queries.trimInstances(endpoint));
    }
  }

  async function purge(write: Write, now: Instant): Promise<void> {
    const { numAffectedRows = 0n } = await write.executeQuery(queries.purge(now));
    // A full batch: there may be more, and the next REGISTER takes them.
    if (numAffectedRows < BigInt(purgeBatch)) nextPurge = now + purgeEveryMs;
  }

  return {
    credentialOf,
    bindingsOf,
    async knowsInstance(endpoint, instance) {
      return (await database.read.executeQuery(queries.instance(endpoint, instance))).rows.length > 0;
    },
    update,
    async dropFlow(flow) {
      // A range that holds this name alone.
      if (watch !== undefined) return watch.dropFlows(flow, `${flow}\u0001`);
      await database.transact((write) => write.executeQuery(queries.dropFlow(flow)));
    },
    async dropFlowsFrom(prefix) {
      // A range, so that the index of flows answers it.
      if (watch !== undefined) return watch.dropFlows(prefix, `${prefix}\uffff`);
      await database.transact((write) => write.executeQuery(queries.dropFlows(prefix, `${prefix}\uffff`)));
    },
  };
}

/** A phone names itself and its calls as it likes; that is shown to people and stored in databases that refuse NUL. */
function storable(binding: Binding): Binding {
  const { userAgent, callId } = binding;
  if (/^[^\p{Cc}\p{Cs}]{0,255}$/u.test(userAgent) && !callId.includes('\0')) return binding;
  const readable = Array.from(userAgent.replace(/[\p{Cc}\p{Cs}]/gu, ''))
    .slice(0, 255)
    .join('');
  return { ...binding, userAgent: readable, callId: callId.replaceAll('\0', '') };
}
