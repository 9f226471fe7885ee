import { sentenceOfList } from '../api/api-error.ts';
import { api, type Page, queryOf, quietly } from '../api/client.ts';

export const pageSize = 20;

type Filters = Readonly<Record<string, string | undefined>>;

/** A list of the API, one page of it at a time. The next page is read ahead, so that going on needs no wait. */
export class PagedList<Item> {
  readonly #path: string;
  items = $state.raw<readonly Item[]>([]);
  total = $state(0);
  offset = $state(0);
  phase = $state<'loading' | 'shown' | 'failed'>('loading');
  problem = $state('');
  #filters: Filters = {};
  #ahead: { readonly key: string; readonly page: Promise<Page<Item>> } | undefined;
  #turn = 0;

  /** Of the list below the account, such as `Call/`. */
  constructor(path: string) {
    this.#path = path;
  }

  async show(offset: number, filters: Filters = this.#filters): Promise<void> {
    this.#filters = filters;
    this.#turn += 1;
    const turn = this.#turn;
    const path = this.#pathOf(offset);
    try {
      const ahead = this.#ahead?.key === path ? this.#ahead.page : undefined;
      const page = await (ahead ?? api<Page<Item>>('GET', path));
      if (turn !== this.#turn) return;
      this.items = page.objects;
      this.total = page.meta.total_count;
      this.offset = offset;
      this.phase = 'shown';
      this.#readAhead(offset + pageSize);
    } catch (fault) {
      if (turn !== this.#turn) return;
      this.problem = sentenceOfList(fault);
      this.phase = 'failed';
    }
  }

  /** What is shown, anew. */
  reload(): Promise<void> {
    this.#ahead = undefined;
    return this.show(this.offset);
  }

  #pathOf(offset: number): string {
    return `${this.#path}${queryOf({ ...this.#filters, limit: pageSize, offset })}`;
  }

  #readAhead(offset: number): void {
    this.#ahead = undefined;
    if (offset >= this.total) return;
    const key = this.#pathOf(offset);
    const page = quietly<Page<Item>>(key);
    // Its fault shows when the page is asked for.
    page.catch(() => {
      if (this.#ahead?.key === key) this.#ahead = undefined;
    });
    this.#ahead = { key, page };
  }
}
