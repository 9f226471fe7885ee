import type { SrvRecord } from './dns-records.ts';

/**
 * SRV records in the order in which they are tried (RFC 2782): by priority, and within one at random in proportion to their
 * weights. `chance` gives numbers in [0, 1).
 */
export function orderSrvRecords(records: readonly SrvRecord[], chance: () => number): readonly SrvRecord[] {
  const priorities = [...new Set(records.map(({ priority }) => priority))].sort((a, b) => a - b);
  return priorities.flatMap((priority) =>
    shuffleByWeight(
      records.filter((record) => record.priority === priority),
      chance,
    ),
  );
}

function shuffleByWeight(records: readonly SrvRecord[], chance: () => number): SrvRecord[] {
  // Those of weight 0 stand first, so that they have their very small chance of being selected before the others.
  const left = [...records].sort((a, b) => (a.weight === 0 ? 0 : 1) - (b.weight === 0 ? 0 : 1));
  const ordered: SrvRecord[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    // A whole number from 0 to the total, both included.
    const drawn = Math.floor(chance() * (total + 1));
    let sum = 0;
    const index = left.findIndex(({ weight }) => {
      sum += weight;
      return sum >= drawn;
    });
    ordered.push(...left.splice(index, 1));
  }
  return ordered;
}
