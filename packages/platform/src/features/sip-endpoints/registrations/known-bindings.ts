import type { Binding, Database, Instant } from '@jackfield/ports';
import { isRefresh } from '../bindings-store.ts';

/** Bindings of endpoints whose phones refresh, in memory where no other process changes the database. */
export interface KnownBindings {
  /** The live bindings as the last commit has them, newest first; undefined when the database must be read. */
  of(endpoint: string, now: Instant): readonly Binding[] | undefined;
  /** Before the unit of a REGISTER is queued; `end` follows in any case. */
  begin(endpoint: string): void;
  /** After the commit, with what the unit read and wrote; without it after a failure. */
  end(
    endpoint: string,
    committed?: { readonly before: readonly Binding[]; readonly after: readonly Binding[] },
  ): void;
  /** In each other transaction that removes bindings, after its statement: of these endpoints, or of any when left out. */
  forget(endpoints?: Iterable<string>): void;
}

/** About 60 MB. The endpoints whose entry is oldest give way. */
const maxRemembered = 100_000;

/** `isUsable`: no other unit was queued meanwhile, and none has removed bindings. */
interface Pending {
  units: number;
  isUsable: boolean;
}

/**
 * An entry begins with bindings read from the database, so that it holds no part of a received message, and only refreshes keep it. It is
 * replaced after a commit alone: a unit that runs again after a rollback decides about the same bindings.
 */
export function createKnownBindings(
  { dialect, isShared }: Pick<Database, 'dialect' | 'isShared'>,
  limits: { readonly maxRemembered: number } = { maxRemembered },
): KnownBindings {
  const remembered = new Map<string, readonly Binding[]>();
  const pending = new Map<string, Pending>();
  // One process owns the embedded database and sees every change.
  if (dialect !== 'sqlite' || isShared) return { of: () => undefined, begin() {}, end() {}, forget() {} };

  function remember(endpoint: string, bindings: readonly Binding[]): void {
    if (!remembered.has(endpoint) && remembered.size >= limits.maxRemembered) {
      remembered.delete(remembered.keys().next().value!);
    }
    remembered.set(endpoint, bindings);
  }

  return {
    of(endpoint, now) {
      return remembered.get(endpoint)?.filter(({ expiresAt }) => expiresAt > now);
    },
    begin(endpoint) {
      const others = pending.get(endpoint);
      if (others === undefined) {
        pending.set(endpoint, { units: 1, isUsable: true });
        return;
      }
      others.units += 1;
      others.isUsable = false;
      // Its unit sees what those before it have written and not committed.
      remembered.delete(endpoint);
    },
    end(endpoint, committed) {
      const unit = pending.get(endpoint)!;
      unit.units -= 1;
      if (unit.units === 0) pending.delete(endpoint);
      const bindings = committed && unit.isUsable ? refreshed(committed.before, committed.after) : undefined;
      if (bindings === undefined) remembered.delete(endpoint);
      else remember(endpoint, bindings);
    },
    forget(endpoints = [...remembered.keys(), ...pending.keys()]) {
      for (const endpoint of endpoints) {
        remembered.delete(endpoint);
        const unit = pending.get(endpoint);
        if (unit !== undefined) unit.isUsable = false;
      }
    },
  };
}

/** The bindings that were read, with the times and numbers of their refreshes; undefined for any other change. */
function refreshed(before: readonly Binding[], after: readonly Binding[]): readonly Binding[] | undefined {
  if (before === after) return before;
  if (before.length !== after.length) return undefined;
  const bindings: Binding[] = [];
  for (const known of before) {
    const next = after.find((binding) => isRefresh(known, binding));
    if (next?.refreshedAt === undefined) return undefined;
    const { expiresAt, cseq, refreshedAt } = next;
    bindings.push(next === known ? known : { ...known, expiresAt, cseq, refreshedAt });
  }
  return bindings;
}
