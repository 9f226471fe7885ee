import { type Static, Type } from 'typebox';
import { apiId } from '../envelopes.ts';
import { looseInteger } from '../loose.ts';
import { text } from '../primitives.ts';

export const defaultSearchResults = 20;
export const maxSearchResults = 50;

export const searchQuery = Type.Object({
  q: text({
    minLength: 3,
    maxLength: 100,
    description:
      'A UUID, a number, the whole name of a multiparty call, or the beginning of the name of an endpoint or an application.',
  }),
  limit: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: maxSearchResults,
      default: defaultSearchResults,
      description: 'Results.',
    }),
  ),
});
export type SearchQuery = Static<typeof searchQuery>;

export const searchKinds = [
  'call',
  'multiparty-call',
  'recording',
  'endpoint',
  'number',
  'application',
  'verify-session',
] as const;

export const searchResult = Type.Object(
  {
    kind: Type.Unsafe<(typeof searchKinds)[number]>({ type: 'string', enum: [...searchKinds] }),
    id: Type.String({ description: 'Its identifier in paths.' }),
    title: Type.String({ examples: ['+12025550000 → +12025550101'] }),
    at: Type.Union([Type.String(), Type.Null()], {
      description: 'When it began; null for an endpoint, a number or an application.',
    }),
    resource_uri: Type.String(),
  },
  { title: 'Search result' },
);
export type SearchResult = Static<typeof searchResult>;

export const searchBody = Type.Object({ api_id: apiId, objects: Type.Array(searchResult) });
