import type { Clock, Database, Secrets } from '@jackfield/ports';
import { askedSeldom } from './asked-seldom.ts';
import type { Capacity } from './capacity.ts';
import { randomChance } from './chance.ts';
import { tokenOf } from './incarnation.ts';
import { runningIncarnations } from './incarnation-store.ts';
import type { NodeReports } from './node-reports.ts';

/** Chooses the node for a call that any node can make. */
export interface Placement {
  /** Undefined: this node, also where none has room, because the refusal is the same. */
  chooseNode(): Promise<number | undefined>;
}

export interface PlacementDeps {
  readonly incarnation: { readonly number: number };
  readonly database: Pick<Database, 'read'>;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'randomBytes'>;
  readonly capacity: Pick<Capacity, 'load' | 'isOpen'>;
  readonly reports: Pick<NodeReports, 'of'>;
}

interface Candidate {
  readonly incarnation: number;
  readonly load: number;
}

/** Below it a call stays where it was requested, and no other node is asked. */
const busyFrom = 0.7;
/** About as many calls as a node begins in a second must not make a difference. */
const freshMs = 1_000;

/**
 * A node that serves and is less than 70 % full makes its calls itself. Beyond that the better of two random nodes makes them: the best of
 * all would get the calls of all nodes at once (power of two choices).
 */
export function createPlacement(deps: PlacementDeps): Placement {
  const { incarnation, database, clock, secrets, capacity, reports } = deps;
  let known: readonly Candidate[] = [];

  const refresh = askedSeldom(
    clock,
    async () => {
      const rows = await runningIncarnations(database.read);
      const others = rows.filter((row) => row.incarnation !== incarnation.number);
      const answers = await Promise.all(
        others.map(async (row) => ({
          incarnation: row.incarnation,
          ...(await reports.of(tokenOf(row.incarnation))),
        })),
      );
      known = answers.flatMap(({ incarnation, load, takes_calls: takesCalls }) =>
        takesCalls === true ? { incarnation, load: load ?? 0 } : [],
      );
    },
    freshMs,
  );

  function betterOfTwo(): Candidate | undefined {
    const left = [...known];
    const drawn = [1, 2].flatMap(() => left.splice(Math.floor(randomChance(secrets) * left.length), 1));
    return drawn.sort((one, other) => one.load - other.load)[0];
  }

  return {
    async chooseNode() {
      if (capacity.isOpen) {
        if (capacity.load < busyFrom) return undefined;
        // A node that hangs holds up its answer for a second: a call that can be made here does not wait for it.
        refresh().catch(() => {});
        const other = betterOfTwo();
        return other !== undefined && other.load < capacity.load ? other.incarnation : undefined;
      }
      await refresh();
      return betterOfTwo()?.incarnation;
    },
  };
}
