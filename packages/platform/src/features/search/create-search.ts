import type { Feature } from '../../feature.ts';
import { searchRoutes } from './routes.ts';

export interface SearchDeps {
  /** Known when all features are listed. */
  readonly features: () => readonly Feature[];
}

export interface SearchFeature extends Feature {}

/** One search over the records of all features. */
export function createSearch({ features }: SearchDeps): SearchFeature {
  return {
    name: 'search',
    routes: [searchRoutes(() => features().flatMap(({ search }) => search ?? []))],
  };
}
