/** Leading digits of numbers that somebody takes. */
export interface RoutePrefix {
  /** Without `+`; empty for every number. */
  readonly prefix: string;
  /** Lower ones are tried first. */
  readonly priority: number;
  /** Among equals of one priority: how often this one is first. */
  readonly weight: number;
}

/** Takers by the prefixes that they take. */
export type PrefixRoutes<Taker extends { readonly prefixes: readonly RoutePrefix[] }> = ReadonlyMap<
  string,
  readonly { readonly taker: Taker; readonly prefix: Taker['prefixes'][number] }[]
>;

/** E.164. */
const mostDigits = 15;

/** The table in which `routesFor` looks. */
export function prefixRoutes<Taker extends { readonly prefixes: readonly RoutePrefix[] }>(
  takers: readonly Taker[],
): PrefixRoutes<Taker> {
  const table = new Map<string, { taker: Taker; prefix: Taker['prefixes'][number] }[]>();
  for (const taker of takers) {
    for (const prefix of taker.prefixes) {
      const routes = table.get(prefix.prefix);
      if (routes === undefined) table.set(prefix.prefix, [{ taker, prefix }]);
      else routes.push({ taker, prefix });
    }
  }
  return table;
}

/**
 * Who takes a number, in the order in which they are tried: those of the longest prefix alone, by priority, and by weight among
 * equals. `chance` gives numbers from 0 up to 1. Looks sixteen times into a map, however long the table is.
 */
export function routesFor<Taker extends { readonly prefixes: readonly RoutePrefix[] }>(
  table: PrefixRoutes<Taker>,
  number: string,
  chance: () => number,
): readonly { readonly taker: Taker; readonly prefix: Taker['prefixes'][number] }[] {
  const digits = number.replace(/^\+/, '').slice(0, mostDigits);
  for (let length = digits.length; length >= 0; length--) {
    const routes = table.get(digits.slice(0, length));
    if (routes === undefined) continue;
    // RFC 2782's ordering of weights: the larger of u^(1/w) comes first with a probability of its share.
    return routes
      .map((route) => ({ route, key: chance() ** (1 / route.prefix.weight) }))
      .sort((a, b) => a.route.prefix.priority - b.route.prefix.priority || b.key - a.key)
      .map(({ route }) => route);
  }
  return [];
}
