import { type Static, type TSchema, Type } from 'typebox';
import { allErrorCodes, type ErrorCode, errorCodes } from './error-codes.ts';
import { looseInteger } from './loose.ts';

export const apiId = Type.String({
  format: 'uuid',
  description: 'Identifier of the request; quote it when you report a problem.',
});

/** Body of every answer that is not a success. */
export const errorBody = Type.Object(
  {
    api_id: apiId,
    error: Type.String({
      description: 'A sentence that names the parameter, its value and what is allowed.',
    }),
    error_code: Type.Unsafe<ErrorCode>({
      type: 'string',
      enum: [...allErrorCodes],
      description: [
        'For programs: it stays the same when the sentence changes.',
        ...allErrorCodes.map(
          (code) => `- \`${code}\` (${errorCodes[code].status}): ${errorCodes[code].when}`,
        ),
      ].join('\n'),
    }),
  },
  { title: 'Error' },
);
export type ErrorBody = Static<typeof errorBody>;

/** Body of an answer that contains its message only. */
export const messageBody = (message: string) =>
  Type.Object({ api_id: apiId, message: Type.String({ examples: [message] }) });

export const defaultPageSize = 20;
export const maxPageSize = 20;

/** Query of every list. */
export const pageQuery = {
  limit: Type.Optional(
    looseInteger({
      minimum: 1,
      maximum: maxPageSize,
      default: defaultPageSize,
      description: 'Objects on a page.',
    }),
  ),
  offset: Type.Optional(
    looseInteger({
      minimum: 0,
      // An offset is counted by the database; beyond a billion nothing is stored.
      maximum: 1_000_000_000,
      default: 0,
      description: 'Objects to skip.',
    }),
  ),
};

/** `count` and `total_count` say the same: clients of the interface read the one or the other. */
export const listMeta = Type.Object(
  {
    limit: Type.Integer(),
    offset: Type.Integer(),
    count: Type.Integer({ description: 'The same as total_count.' }),
    total_count: Type.Integer({ description: 'Objects in the whole list.' }),
    next: Type.Union([Type.String(), Type.Null()], { description: 'Path and query of the next page.' }),
    previous: Type.Union([Type.String(), Type.Null()], {
      description: 'Path and query of the previous page.',
    }),
  },
  { title: 'List meta' },
);
export type ListMeta = Static<typeof listMeta>;

export const listBody = <Item extends TSchema>(item: Item) =>
  Type.Object({ api_id: apiId, meta: listMeta, objects: Type.Array(item) });
