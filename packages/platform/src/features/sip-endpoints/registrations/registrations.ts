import type { Binding, Clock, Database, Instant, Registrations, UnitOptions, Write } from '@jackfield/ports';
import type { CompiledQuery } from 'kysely';
import { purgeBatch, registrarQueries } from '../bindings-store.ts';
import { createBindingChanges } from './binding-changes.ts';
import type { KnownBindings } from './known-bindings.ts';
import type { RegistrationWatch } from './registration-watch.ts';

const purgeEveryMs = 60_000;

/** The lock of the endpoint orders its changes; those of this process share a lane instead of waiting for each other. */
const unitOf = (endpoint: string): UnitOptions => ({
  isolation: 'read-committed',
  key: `endpoint/${endpoint}`,
});

type Decide<Result> = (current: readonly Binding[]) => {
  readonly bindings: readonly Binding[];
  readonly result: Result;
};

/** The registrar's port, and what the feature itself needs. */
export interface EndpointRegistrations extends Registrations {
  /** Removes the bindings of all flows whose name begins with `prefix`: their process has ended. Called before the first phone comes back. */
  dropFlowsFrom(prefix: string): Promise<void>;
}

/** Bindings in the database: durable before the answer to the phone, and gone at the instant of their expiry. */
export function createRegistrations({
  database,
  clock,
  credentialOf,
  known,
  watch,
}: {
  readonly database: Database;
  readonly clock: Clock;
  readonly credentialOf: Registrations['credentialOf'];
  readonly known: KnownBindings;
  /** Absent without events of registrations: then later REGISTERs remove expired bindings. */
  readonly watch?: RegistrationWatch | undefined;
}): EndpointRegistrations {
  // The embedded database runs one transaction after another; a shared database needs the lock.
  const locks = database.dialect === 'postgres';
  const queries = registrarQueries(database.read, locks);
  const changes = createBindingChanges(queries);
  let nextPurge: Instant = 0;

  async function bindingsOf(endpoint: string): Promise<readonly Binding[]> {
    const now = clock.now();
    return known.of(endpoint, now) ?? (await changes.live(database.read, endpoint, now)) ?? [];
  }

  async function updateIfChanged<Result>(endpoint: string, decide: Decide<Result>): Promise<Result> {
    const current = await changes.live(database.read, endpoint, clock.now());
    const decided = current && decide(current);
    if (decided !== undefined && decided.bindings === current) return decided.result;
    return updateInUnit(endpoint, decide);
  }

  function updateInUnit<Result>(endpoint: string, decide: Decide<Result>): Promise<Result> {
    let changed: readonly Binding[] | undefined;
    let committed: readonly Binding[] | undefined;
    const entry = known.begin(endpoint);
    const unit = database.transact(async (write) => {
      const now = clock.now();
      if (locks) await write.executeQuery(queries.lock(endpoint));
      const current = known.of(endpoint, now) ?? (await changes.live(write, endpoint, now));
      // Deleted after its credential was read: a binding written now would outlive it.
      if (current === undefined) throw new Error(`endpoint ${endpoint} has been deleted`);
      const { bindings, result } = decide(current);
      changed = undefined;
      committed = current;
      if (bindings !== current) {
        // Before the write, which may overwrite an expired binding of the same contact that is still to be reported.
        const isFirstOrLast = current.length > 0 !== bindings.length > 0;
        if (isFirstOrLast) await watch?.changed(write, endpoint, current, bindings, now);
        committed = await changes.replace(write, endpoint, current, bindings);
        changed = bindings;
        const hasInstance = bindings.some(({ instance }) => instance !== undefined);
        if (hasInstance) await changes.remember(write, endpoint, current, bindings, now);
      }
      if (watch === undefined && now >= nextPurge) await purge(write, now);
      return result;
    }, unitOf(endpoint));
    return unit.then(
      (result) => {
        known.end(entry, committed);
        if (changed !== undefined) watch?.committed(changed);
        return result;
      },
      (error) => {
        known.end(entry);
        throw error;
      },
    );
  }

  async function purge(write: Write, now: Instant): Promise<void> {
    const { numAffectedRows = 0n } = await write.executeQuery(queries.purge(now));
    // After a full batch the next REGISTER purges again.
    if (numAffectedRows < BigInt(purgeBatch)) nextPurge = now + purgeEveryMs;
  }

  async function drop(query: CompiledQuery, flow: string): Promise<void> {
    await database.transact(async (write) => {
      await write.executeQuery(query);
      known.forget();
    }, unitOf(flow));
  }

  return {
    credentialOf,
    bindingsOf,
    async knowsInstance(endpoint, instance) {
      return (await database.read.executeQuery(queries.instance(endpoint, instance))).rows.length > 0;
    },
    // Not `async`: returning a promise from an `async` function takes three turns of the microtasks.
    update: (endpoint, decide, { mostlySame = false } = {}) =>
      locks && mostlySame ? updateIfChanged(endpoint, decide) : updateInUnit(endpoint, decide),
    async dropFlow(flow) {
      // A range with this name alone.
      if (watch !== undefined) return watch.dropFlows(flow, `${flow}\u0001`);
      await drop(queries.dropFlow(flow), flow);
    },
    async dropFlowsFrom(prefix) {
      // A range, so that the index of flows answers it.
      if (watch !== undefined) return watch.dropFlows(prefix, `${prefix}\uffff`);
      await drop(queries.dropFlows(prefix, `${prefix}\uffff`), prefix);
    },
  };
}
