import type { SrvRecord } from './dns-records.ts';

/**
 * SRV records in the order of the tries (RFC 2782): by priority, and within one at random in proportion to the weights.
 * `chance` returns numbers in [0, 1).
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
  // RFC 2782: records of weight 0 come first, so that they have a very small chance of selection.
  const left = [...records].sort((a, b) => (a.weight === 0 ? 0 : 1) - (b.weight === 0 ? 0 : 1));
  const ordered: SrvRecord[] = [];
  while (left.length > 0) {
    const total = left.reduce((sum, { weight }) => sum + weight, 0);
    // An integer from 0 to the total, both included.
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
