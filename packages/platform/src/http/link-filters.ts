/** What the links of a list's pages repeat of its query: all but the page itself. */
export function linkFilters(query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || name === 'limit' || name === 'offset' ? [] : [[name, String(value)]],
    ),
  );
}
