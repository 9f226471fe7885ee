import { readInteger } from '@jackfield/contract';
import {
  defaultSearchResults,
  type SearchResult,
  searchBody,
  searchQuery,
} from '@jackfield/contract/console';
import type { Search } from '../../feature.ts';
import { type RequestAccount, type RouteGroup, route } from '../../http/index.ts';
import { accepted } from '../../kernel/result.ts';
import { type FoundRecord, readSearchTerm } from '../../kernel/search-term.ts';

export function searchRoutes(searches: () => readonly Search[]): RouteGroup {
  return {
    name: 'Console',
    routes: [
      route({
        method: 'GET',
        path: 'Search/',
        operation: 'Search',
        id: 'listMatches',
        description:
          'Finds calls, multiparty calls, recordings and verifications by UUID, calls and verifications by number, multiparty calls by name, endpoints and applications by the beginning of their name. Endpoints, numbers and applications come first, then the newest records.',
        schema: { query: searchQuery, response: searchBody },
        success: 200,
        async run({ account, query }) {
          const limit = readInteger(query.limit) ?? defaultSearchResults;
          const term = readSearchTerm(query.q);
          const found = await Promise.all(searches().map((search) => search(account, term, limit)));
          const objects = found.flat().sort(inOrder).slice(0, limit);
          return accepted({ objects: objects.map((record) => resultOf(account, record)) });
        },
      }),
    ],
  };
}

function inOrder(one: FoundRecord, other: FoundRecord): number {
  return (other.at ?? Infinity) - (one.at ?? Infinity) || one.id.localeCompare(other.id);
}

function resultOf({ authId }: RequestAccount, { kind, id, title, at, path }: FoundRecord): SearchResult {
  const resource_uri = `/v1/Account/${authId}/${path}`;
  return { kind, id, title, at: at === null ? null : new Date(at).toISOString(), resource_uri };
}
