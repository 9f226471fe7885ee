import type { Search } from '../../feature.ts';
import type { ApplicationStore } from './store.ts';

/** Applications by app_id, or by the beginning of their name. */
export function searchApplications(store: Pick<ApplicationStore, 'find' | 'list'>): Search {
  return async (viewer, { text }, limit) => {
    const filters = { namePrefix: text, subaccount: undefined };
    const [byId, byName] = await Promise.all([
      store.find(viewer, text),
      store.list(viewer, filters, { limit, offset: 0 }),
    ]);
    const found = byId === undefined ? byName.objects : [byId, ...byName.objects];
    return found.map(({ app_id, app_name }) => ({
      kind: 'application',
      id: app_id,
      title: app_name,
      at: null,
      path: `Application/${app_id}/`,
    }));
  };
}
