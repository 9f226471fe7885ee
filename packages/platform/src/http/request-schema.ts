import type { FastifySchema } from 'fastify';
import { type TObject, Type } from 'typebox';
import type { RouteSchema } from './route.ts';

const account = { auth_id: Type.String({ description: 'Your account, or one of its subaccounts.' }) };
const none = Type.Object({});
const known = new WeakMap<TObject, TObject>();

/** The schemas by which fastify validates a request. Their parts are the same objects in each interface of a process: validators are found by them. */
export function requestSchemaOf({ params = none, query, body }: RouteSchema): FastifySchema {
  const path = known.get(params) ?? Type.Object({ ...account, ...params.properties });
  known.set(params, path);
  return {
    params: path,
    ...(query === undefined ? {} : { querystring: query }),
    ...(body === undefined ? {} : { body }),
  };
}
