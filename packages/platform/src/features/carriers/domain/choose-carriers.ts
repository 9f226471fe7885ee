import type { CallerIdRule, Carrier, CarrierPrefix } from './carrier.ts';

/** Carriers by the prefixes that they take. */
export type RouteTable = ReadonlyMap<string, readonly Route[]>;

interface Route {
  readonly carrier: Carrier;
  readonly prefix: CarrierPrefix;
}

/** E.164. */
const mostDigits = 15;

export function routeTable(carriers: readonly Carrier[]): RouteTable {
  const table = new Map<string, Route[]>();
  for (const carrier of carriers) {
    for (const prefix of carrier.prefixes) {
      const routes = table.get(prefix.prefix);
      if (routes === undefined) table.set(prefix.prefix, [{ carrier, prefix }]);
      else routes.push({ carrier, prefix });
    }
  }
  return table;
}

/**
 * The carriers of a number in the order in which they are tried: those of the longest prefix alone, by priority, and by weight among
 * equals. `chance` gives numbers from 0 up to 1. Looks sixteen times into a map, however long the table is.
 */
export function chooseCarriers(table: RouteTable, number: string, chance: () => number): readonly Carrier[] {
  const digits = number.replace(/^\+/, '').slice(0, mostDigits);
  for (let length = digits.length; length >= 0; length--) {
    const routes = table.get(digits.slice(0, length));
    if (routes !== undefined) return ordered(routes, chance);
  }
  return [];
}

function ordered(routes: readonly Route[], chance: () => number): readonly Carrier[] {
  // RFC 2782's ordering of weights: the larger of u^(1/w) comes first with a probability of its share.
  return routes
    .map((route) => ({ route, key: chance() ** (1 / route.prefix.weight) }))
    .sort((a, b) => a.route.prefix.priority - b.route.prefix.priority || b.key - a.key)
    .map(({ route }) => route.carrier);
}

/** What the callee sees; undefined where this caller may not call through the carrier. */
export function callerIdFor(rule: CallerIdRule, from: string): string | undefined {
  if (rule.rule === 'keep') return from;
  if (rule.rule === 'replace') return rule.number;
  const digits = /^\+?([1-9][0-9]{6,14})$/.exec(from)?.[1];
  const isAllowed = digits !== undefined && rule.prefixes.some((prefix) => digits.startsWith(prefix));
  return isAllowed ? from : rule.number;
}
