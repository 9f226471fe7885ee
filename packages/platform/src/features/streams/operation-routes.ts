import { streamBody, streamList, streamListQuery } from '@jackfield/contract';
import type { Static, TObject, TProperties } from 'typebox';
import { type ApiRoute, type RequestAccount, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { notFound } from '../../kernel/problem.ts';
import { accepted, type Result, refused } from '../../kernel/result.ts';
import type { Usage } from '../usage/index.ts';
import type { StreamCommands } from './commands.ts';
import type { Streamed, StreamQueries } from './queries.ts';
import { streamItemOf, streamObjectOf } from './views.ts';

/** The resource whose streams a path names: a call, or a whole multiparty call. */
export interface StreamResource<All extends TProperties, One extends TProperties> {
  /** e.g. `Call/:call_uuid/Stream/`. */
  readonly path: string;
  /** In the titles of the operations: `a call`. */
  readonly of: string;
  /** In their ids: `Call`. */
  readonly ids: string;
  /** Description of the list, for the documentation. */
  readonly listed: string;
  readonly paramsOfAll: TObject<All>;
  readonly paramsOfOne: TObject<One>;
  /** The requested path, below the account's. */
  pathOf(params: Static<TObject<All>>): string;
  /** Refuses a resource that the viewer may not see. */
  findAll(viewer: RequestAccount, params: Static<TObject<All>>): Promise<Result<Streamed>>;
  /** The resource of one stream. */
  findOne(viewer: RequestAccount, params: Static<TObject<One>>): Promise<Result<Streamed>>;
  streamIn(params: Static<TObject<One>>): string;
}

export interface OperationDeps {
  readonly queries: StreamQueries;
  readonly commands: Pick<StreamCommands, 'stopOne' | 'stopAll' | 'nowOf'>;
  readonly usage: Usage;
}

/** List, retrieve, stop one, stop all: the same for each resource. */
export function streamOperations<All extends TProperties, One extends TProperties>(
  resource: StreamResource<All, One>,
  { queries, commands, usage }: OperationDeps,
): readonly ApiRoute[] {
  const { path, of, paramsOfAll, paramsOfOne } = resource;

  const list = route({
    method: 'GET',
    path,
    operation: `List the streams of ${of}`,
    id: `list${resource.ids}Streams`,
    description: resource.listed,
    schema: { params: paramsOfAll, query: streamListQuery, response: streamList },
    success: 200,
    async run({ account, params, query }) {
      const found = await resource.findAll(account, params);
      if (!found.ok) return found;
      const asked = `/v1/Account/${account.authId}/${resource.pathOf(params)}`;
      return answerPage(
        { query, path: asked },
        (page) => queries.list(account, found.value, page),
        streamItemOf,
      );
    },
  });

  const get = route({
    method: 'GET',
    path: `${path}:stream_id/`,
    operation: `Retrieve a stream of ${of}`,
    id: `retrieve${resource.ids}Stream`,
    schema: { params: paramsOfOne, response: streamBody },
    success: 200,
    async run({ account, params }) {
      const found = await resource.findOne(account, params);
      if (!found.ok) return found;
      const stream = resource.streamIn(params);
      const row = await queries.find(account, found.value, stream);
      return row === undefined
        ? refused(notFound('stream', stream))
        : accepted(streamObjectOf(row, usage, commands.nowOf(stream)));
    },
  });

  const stopOne = route({
    method: 'DELETE',
    path: `${path}:stream_id/`,
    operation: `Stop a stream of ${of}`,
    id: `stop${resource.ids}Stream`,
    schema: { params: paramsOfOne },
    success: 204,
    async run({ account, params }) {
      const found = await resource.findOne(account, params);
      return found.ok ? commands.stopOne(account, found.value, resource.streamIn(params)) : found;
    },
  });

  const stopAll = route({
    method: 'DELETE',
    path,
    operation: `Stop all streams of ${of}`,
    id: `stop${resource.ids}Streams`,
    schema: { params: paramsOfAll },
    success: 204,
    async run({ account, params }) {
      const found = await resource.findAll(account, params);
      if (!found.ok) return found;
      await commands.stopAll(account, found.value);
      return accepted(undefined);
    },
  });

  return [list, get, stopOne, stopAll];
}
