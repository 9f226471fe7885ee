import type { Binding, Database, Instant } from '@jackfield/ports';

/** Bindings of endpoints whose phones refresh, in memory where no other process changes the database. */
export interface KnownBindings {
  /** The live bindings as the last commit has them, newest first; undefined when the database must be read. */
  of(endpoint: string, now: Instant): readonly Binding[] | undefined;
  /** Before the unit of a REGISTER is queued; `end` follows in any case. */
  begin(endpoint: string): KnownEndpoint | undefined;
  /** After the commit, with the bindings that the database has; without them after a failure, and when they must be read. */
  end(entry: KnownEndpoint | undefined, committed?: readonly Binding[]): void;
  /** In each other transaction that removes bindings, after its statement: of these endpoints, or of any when left out. */
  forget(endpoints?: Iterable<string>): void;
}

/** An endpoint with known bindings or waiting units. */
export interface KnownEndpoint {
  readonly endpoint: string;
  bindings: readonly Binding[] | undefined;
  /** Units that are queued or run. */
  units: number;
  /** No other unit was queued meanwhile, and none has removed bindings. */
  isUsable: boolean;
}

/** About 60 MB. The endpoints whose entry is oldest give way. */
const maxRemembered = 100_000;

/**
 * An entry begins with bindings read from the database, so that it holds no part of a received message, and only refreshes keep it. It is
 * replaced after a commit alone: a unit that runs again after a rollback decides about the same bindings.
 */
export function createKnownBindings(
  { dialect, isShared }: Pick<Database, 'dialect' | 'isShared'>,
  limits: { readonly maxRemembered: number } = { maxRemembered },
): KnownBindings {
  const entries = new Map<string, KnownEndpoint>();
  let remembered = 0;
  // One process owns the embedded database and sees every change.
  if (dialect !== 'sqlite' || isShared)
    return { of: () => undefined, begin: () => undefined, end() {}, forget() {} };

  function remember(entry: KnownEndpoint, bindings: readonly Binding[]): void {
    if (entry.bindings === undefined) {
      if (remembered >= limits.maxRemembered) dropOldest();
      remembered += 1;
    }
    entry.bindings = bindings;
  }

  function drop(entry: KnownEndpoint): void {
    if (entry.bindings !== undefined) remembered -= 1;
    entry.bindings = undefined;
    if (entry.units === 0) entries.delete(entry.endpoint);
  }

  function dropOldest(): void {
    for (const entry of entries.values()) {
      if (entry.bindings === undefined) continue;
      drop(entry);
      return;
    }
  }

  return {
    of(endpoint, now) {
      const bindings = entries.get(endpoint)?.bindings;
      return bindings?.some(({ expiresAt }) => expiresAt <= now)
        ? bindings.filter(({ expiresAt }) => expiresAt > now)
        : bindings;
    },
    begin(endpoint) {
      const known = entries.get(endpoint);
      if (known === undefined) {
        const entry = { endpoint, bindings: undefined, units: 1, isUsable: true };
        entries.set(endpoint, entry);
        return entry;
      }
      known.units += 1;
      if (known.units > 1) {
        known.isUsable = false;
        // Its unit sees what those before it have written and not committed.
        drop(known);
      }
      return known;
    },
    end(entry, committed) {
      if (entry === undefined) return;
      entry.units -= 1;
      if (committed !== undefined && entry.isUsable) remember(entry, committed);
      else drop(entry);
      if (entry.units === 0) entry.isUsable = true;
    },
    forget(endpoints = [...entries.keys()]) {
      for (const endpoint of endpoints) {
        const entry = entries.get(endpoint);
        if (entry === undefined) continue;
        entry.isUsable = entry.units === 0;
        drop(entry);
      }
    },
  };
}
