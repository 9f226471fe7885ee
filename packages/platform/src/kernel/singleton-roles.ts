import type { Clock, Database, Logger, Metrics, UnitOptions } from '@jackfield/ports';
import type { Kysely } from 'kysely';
import { singletonRolesTable } from './migrations/0010-singleton-roles.ts';

/** What only one process of those that share a database does: registrations with carriers, binds to gateways, sweeps, pruning. */
export interface SingletonRoles {
  /** `begin` is called when this process gets the role, and `end` before it gives the role up. Called once for each role. */
  take(role: string, holder?: Partial<RoleHolder>): void;
  holds(role: string): boolean;
  /** The incarnation that holds the role as far as the database knows, or that held it last and has ended. */
  holderOf(role: string): Promise<number | undefined>;
  /** Begins to look for roles that no running process holds. */
  open(): void;
  /** Gives all roles up, and takes none until `open`. */
  giveUp(): Promise<void>;
}

/** Removes old events, callbacks and records. */
export const pruningRole = 'pruning';

export interface RoleHolder {
  readonly begin: () => void;
  readonly end: () => Promise<void> | void;
}

export interface SingletonRolesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'gauge'>;
  readonly incarnation: number;
}

type Tables = {
  singleton_roles: { readonly name: string; readonly incarnation: number };
  incarnations: { readonly incarnation: number; readonly ended_at: number | null };
};

export const singletonRoleMigrations = [singletonRolesTable];

/** How long a role of an ended incarnation stays without a holder. */
const lookEveryMs = 2_000;
const unit: UnitOptions = { isolation: 'read-committed', key: 'singleton-roles' };

/** A process that is alone on its database holds every role, without a statement. */
export function createSingletonRoles(deps: SingletonRolesDeps): SingletonRoles {
  const { database, metrics } = deps;
  const names: string[] = [];
  const roles = database.isShared ? new SharedRoles(deps) : rolesOfOnlyProcess(deps.incarnation);
  metrics.gauge('jackfield_role_held', '1 while this node holds a role that one node of the cluster has.', {
    label: 'role',
    values: () => names.map((role) => [role, Number(roles.holds(role))] as const),
  });
  return {
    take(role, holder) {
      names.push(role);
      roles.take(role, holder);
    },
    holds: (role) => roles.holds(role),
    holderOf: (role) => roles.holderOf(role),
    open: () => roles.open(),
    giveUp: () => roles.giveUp(),
  };
}

function rolesOfOnlyProcess(incarnation: number): SingletonRoles {
  const taken: Partial<RoleHolder>[] = [];
  let isOpen = false;
  return {
    take(_, holder = {}) {
      taken.push(holder);
      if (isOpen) holder.begin?.();
    },
    holds: () => true,
    holderOf: async () => incarnation,
    open() {
      if (isOpen) return;
      isOpen = true;
      for (const { begin } of taken) begin?.();
    },
    // Nothing would take them over.
    giveUp: () => Promise.resolve(),
  };
}

class SharedRoles implements SingletonRoles {
  readonly #deps: SingletonRolesDeps;
  readonly #requested = new Map<string, Partial<RoleHolder>>();
  readonly #held = new Set<string>();
  #isOpen = false;
  #cancelTimer: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #givingUp: Promise<void> | undefined;

  constructor(deps: SingletonRolesDeps) {
    this.#deps = deps;
  }

  take(role: string, holder: Partial<RoleHolder> = {}): void {
    this.#requested.set(role, holder);
    this.#lookSoon(0);
  }

  holds(role: string): boolean {
    return this.#held.has(role);
  }

  async holderOf(role: string): Promise<number | undefined> {
    const row = await this.#deps.database.read
      .withTables<Tables>()
      .selectFrom('singleton_roles')
      .select('incarnation')
      .where('name', '=', role)
      .executeTakeFirst();
    return row && Number(row.incarnation);
  }

  open(): void {
    this.#isOpen = true;
    this.#lookSoon(0);
  }

  giveUp(): Promise<void> {
    this.#isOpen = false;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#givingUp ??= this.#giveUpHeld().finally(() => {
      this.#givingUp = undefined;
      this.#lookSoon(0);
    });
    return this.#givingUp;
  }

  async #giveUpHeld(): Promise<void> {
    await this.#looking;
    const held = [...this.#held];
    this.#held.clear();
    if (held.length === 0) return;
    await Promise.all(held.map((role) => this.#requested.get(role)?.end?.()));
    await this.#free();
  }

  /** Frees all roles of this incarnation. */
  #free(): Promise<unknown> {
    const { database, log, incarnation } = this.#deps;
    return database
      .transact(
        (write) =>
          write
            .withTables<Tables>()
            .deleteFrom('singleton_roles')
            .where('incarnation', '=', incarnation)
            .execute(),
        unit,
      )
      .catch((err: unknown) =>
        log.warn({ err }, 'roles not given up; they are free when this process has ended'),
      );
  }

  #lookSoon(ms: number): void {
    const { clock } = this.#deps;
    if (!this.#isOpen || this.#looking !== undefined || this.#requested.size === this.#held.size) return;
    this.#cancelTimer?.();
    this.#cancelTimer = clock.startTimer(clock.now() + ms, () => {
      this.#cancelTimer = undefined;
      this.#looking = this.#look()
        .catch((err: unknown) => this.#deps.log.warn({ err }, 'roles not looked at; retried later'))
        .finally(() => {
          this.#looking = undefined;
          this.#lookSoon(lookEveryMs);
        });
    });
  }

  async #look(): Promise<void> {
    const { database, incarnation, log } = this.#deps;
    // Until then the rows of given up roles name this incarnation.
    await this.#givingUp;
    if (!this.#isOpen) return;
    const holders = await holdersOf(database.read.withTables<Tables>());
    for (const [role, { begin }] of this.#requested) {
      if (this.#held.has(role)) continue;
      const holder = holders.get(role);
      if (holder?.incarnation !== incarnation && !(await this.#takeFrom(role, holder))) continue;
      // Roles were given up meanwhile.
      if (!this.#isOpen) return void (await this.#free());
      this.#held.add(role);
      log.info({ role, before: holder?.incarnation }, 'took a role of the cluster');
      begin?.();
    }
  }

  /** True for the one process that takes the role. */
  #takeFrom(role: string, holder: Holder | undefined): Promise<boolean> {
    if (holder !== undefined && !holder.isOver) return Promise.resolve(false);
    const { database, incarnation } = this.#deps;
    return database.transact(async (write) => {
      const tables = write.withTables<Tables>();
      const taken =
        holder === undefined
          ? await tables
              .insertInto('singleton_roles')
              .values({ name: role, incarnation })
              .onConflict((on) => on.doNothing())
              .returning('name')
              .execute()
          : await tables
              .updateTable('singleton_roles')
              .set({ incarnation })
              .where('name', '=', role)
              .where('incarnation', '=', holder.incarnation)
              .returning('name')
              .execute();
      return taken.length > 0;
    }, unit);
  }
}

interface Holder {
  readonly incarnation: number;
  readonly isOver: boolean;
}

/** One statement, so one snapshot: a row of an incarnation is older than its roles, and a missing row was removed long after its end. */
async function holdersOf(tables: Kysely<Tables>): Promise<ReadonlyMap<string, Holder>> {
  const rows = await tables
    .selectFrom('singleton_roles as role')
    .leftJoin('incarnations as of', 'of.incarnation', 'role.incarnation')
    .select(['role.name', 'role.incarnation', 'of.incarnation as known', 'of.ended_at'])
    .execute();
  return new Map(
    rows.map(({ name, incarnation, known, ended_at }) => [
      name,
      { incarnation, isOver: known === null || ended_at !== null },
    ]),
  );
}
