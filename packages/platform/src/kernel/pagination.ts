import { invalidParameter } from './problem.ts';
import { accepted, type Result, refused } from './result.ts';

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Both `count` and `total_count` are emitted, since clients of either exist (docs/interface/requests.md#lists). */
export interface PageMeta {
  readonly limit: number;
  readonly offset: number;
  readonly count: number;
  readonly total_count: number;
  readonly next: string | null;
  readonly previous: string | null;
}

const maximumLimit = 20;
// No list is longer; a larger offset would only make the database scan.
const maximumOffset = 1_000_000_000;

/** `limit` 1–20, default 20; `offset` from 0; as they came in the query, strings or numbers. */
export function parsePage(query: { readonly limit?: unknown; readonly offset?: unknown }): Result<Page> {
  const limit = wholeNumber(query.limit, maximumLimit);
  if (limit === undefined || limit < 1 || limit > maximumLimit) {
    return refused(invalidParameter('limit', query.limit, `a whole number from 1 to ${maximumLimit}`));
  }
  const offset = wholeNumber(query.offset, 0);
  if (offset === undefined || offset > maximumOffset) {
    return refused(invalidParameter('offset', query.offset, 'a whole number from 0'));
  }
  return accepted({ limit, offset });
}

/** As far as a list with filters counts its rows: to the end of the next page, and no request scans all rows. */
export function countedAtMost({ limit, offset }: Page): number {
  return Math.max(10_000, offset + limit + 1);
}

/** Rows of a page, and how many there are in the whole list. */
export interface PageRows<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
}

/** Body of the answer to a list. */
export interface List<Item> {
  readonly meta: PageMeta;
  readonly objects: Item[];
}

/** Answers one page of the list at `path`. The links to the other pages repeat the rest of the query. */
export async function answerPage<Row, Item>(
  { query, path }: { readonly query: object; readonly path: string },
  read: (page: Page) => Promise<PageRows<Row>>,
  shown: (row: Row) => Item,
): Promise<Result<List<Item>>> {
  const page = parsePage(query);
  if (!page.ok) return page;
  const { total, rows } = await read(page.value);
  return accepted({ meta: pageMeta(page.value, total, path, linkFilters(query)), objects: rows.map(shown) });
}

/** The parameters of a query that the links of the pages repeat: all but those of the page. */
function linkFilters(query: object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || name === 'limit' || name === 'offset' ? [] : [[name, String(value)]],
    ),
  );
}

/**
 * `path` is the list's own, e.g. `/v1/Account/MA…/Endpoint/`. `filters` are the other parameters of the query: a link that
 * lost them would lead into another list.
 */
export function pageMeta(
  page: Page,
  totalCount: number,
  path: string,
  filters: Readonly<Record<string, string>> = {},
): PageMeta {
  const { limit, offset } = page;
  const link = (to: number): string =>
    `${path}?${new URLSearchParams({ ...filters, limit: String(limit), offset: String(to) })}`;
  return {
    limit,
    offset,
    count: totalCount,
    total_count: totalCount,
    next: offset + limit < totalCount ? link(offset + limit) : null,
    previous: offset > 0 ? link(Math.max(0, offset - limit)) : null,
  };
}

function wholeNumber(value: unknown, absent: number): number | undefined {
  if (value === undefined) return absent;
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
