/** Leading digits of the numbers that a route serves. */
export interface RoutePrefix {
  /** Without `+`; empty for every number. */
  readonly prefix: string;
  /** Lower ones are tried first. */
  readonly priority: number;
  /** Share of calls that try this route first, among routes of equal priority. */
  readonly weight: number;
}

/** Routes by their prefixes. */
export type PrefixRoutes<Taker extends { readonly prefixes: readonly RoutePrefix[] }> = ReadonlyMap<
  string,
  readonly { readonly taker: Taker; readonly prefix: Taker['prefixes'][number] }[]
>;

/** E.164. */
const mostDigits = 15;

/** Builds the table for `routesFor`. */
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
 * The routes of a number, in the order of the tries: those of the longest prefix only, by priority, and by weight among
 * equals. `chance` returns numbers in [0, 1). At most sixteen map lookups for a table of any size.
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
    // RFC 2782's order of weights: a route is first with the probability of its share when the keys u^(1/w) fall.
    return routes
      .map((route) => ({ route, key: chance() ** (1 / route.prefix.weight) }))
      .sort((a, b) => a.route.prefix.priority - b.route.prefix.priority || b.key - a.key)
      .map(({ route }) => route);
  }
  return [];
}
