import type { Search } from '../../feature.ts';
import type { NumberStore } from './store.ts';

/** A number by itself. */
export function searchNumbers(store: Pick<NumberStore, 'find'>): Search {
  return async (viewer, { number }) => {
    const row = number === undefined ? undefined : await store.find(viewer, number);
    if (row === undefined) return [];
    const id = row.number.slice(1);
    const title = row.alias === '' ? row.number : `${row.number} (${row.alias})`;
    return [{ kind: 'number', id, title, at: null, path: `Number/${id}/` }];
  };
}
