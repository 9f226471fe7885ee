import { api, type Page, quietly } from './client.ts';

/** Of the API's lists. */
const pageSize = 20;
/** 200 items: a screen that shows a whole list asks for no more, however long the list is. */
const mostPages = 10;

export interface ListItems<Item> {
  readonly objects: readonly Item[];
  /** How many more the list has. */
  readonly leftOut: number;
}

/** A whole list of the API up to a bound, by its path with its query. */
export async function readList<Item>(path: string, idOf: (item: Item) => string): Promise<ListItems<Item>> {
  const first = await api<Page<Item>>('GET', path);
  const total = first.meta.total_count;
  const pages = Math.min(mostPages, Math.ceil(total / pageSize));
  const rest = await Promise.all(
    Array.from({ length: Math.max(0, pages - 1) }, (_, index) =>
      quietly<Page<Item>>(`${path}${path.includes('?') ? '&' : '?'}offset=${(index + 1) * pageSize}`),
    ),
  );
  // A list that grows meanwhile has the last item of a page on the next one too.
  const items = new Map([first, ...rest].flatMap(({ objects }) => objects.map((each) => [idOf(each), each])));
  return { objects: [...items.values()], leftOut: Math.max(0, total - items.size) };
}
