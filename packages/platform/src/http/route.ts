import type { ErrorCode } from '@jackfield/contract';
import type { ConsoleRole } from '@jackfield/contract/console';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import type { Result } from '../kernel/result.ts';
import type { ApiRequest } from './api-request.ts';
import type { FileRoute } from './file-route.ts';
import type { OpenRoute } from './open-route.ts';
import type { StreamOutput } from './streamed-answer.ts';

type Method = 'GET' | 'POST' | 'DELETE';

/** The path of every operation begins with it. */
export const accountPath = '/v1/Account/:auth_id/';

/** One operation of the HTTP interface; made with `route`, which knows the types. */
export interface ApiRoute {
  readonly method: Method;
  /** Below `/v1/Account/{auth_id}/`, with a slash at its end, e.g. `Endpoint/:endpoint_id/`; empty for the account itself. */
  readonly path: string;
  /** The title in the documentation, e.g. `Create an endpoint`. */
  readonly operation: string;
  /** Name of the function in a generated client; made of the title when left out. */
  readonly id?: string;
  readonly description?: string;
  readonly schema: RouteSchema;
  /** Codes that this operation answers besides those of its method (`refused-codes.ts`). */
  readonly refuses?: readonly ErrorCode[];
  /** The least role of a session of the console; by method and path when left out (`console/roles.ts`). */
  readonly least?: ConsoleRole;
  /** 204 is sent without a body, whatever `run` gives. */
  readonly success: 200 | 201 | 202 | 204;
  run(request: ApiRequest<unknown, unknown, unknown>): Promise<Result<object | undefined>>;
  /** A GET answers with a stream when the client accepts its type, otherwise with JSON, by `run`. */
  readonly stream?: StreamedAnswer<ApiRequest<unknown, unknown, unknown>>;
  /** A GET whose query requests it answers with a small file instead of JSON. */
  readonly download?: DownloadedAnswer<ApiRequest<unknown, unknown, unknown>>;
}

export interface DownloadedAnswer<Request extends { readonly query: unknown }> {
  readonly contentType: string;
  isRequested(query: Request['query']): boolean;
  run(request: Request): Promise<Result<{ readonly fileName: string; readonly bytes: Uint8Array }>>;
}

export interface StreamedAnswer<Request> {
  readonly contentType: string;
  /** Resolves with the writer of the stream; a problem is answered as JSON. `lastEventId` is the header Last-Event-ID. */
  open(request: Request, lastEventId: string | undefined): Promise<Result<(output: StreamOutput) => void>>;
}

export interface RouteSchema {
  readonly params?: TObject;
  readonly query?: TObject;
  readonly body?: TObject;
  /** Body of the success, `api_id` included. For the documentation: nothing is removed from the result of `run`. */
  readonly response?: TSchema;
}

/** The operations of a feature; `name` groups them in the documentation. */
export interface RouteGroup {
  readonly name: string;
  readonly description?: string;
  readonly routes: readonly ApiRoute[];
  /** Operations that answer with a file. */
  readonly files?: readonly FileRoute[];
  /** Operations outside of any account. */
  readonly open?: readonly OpenRoute[];
}

/** As `POST Call/`. */
export function operationOf({ method, path }: Pick<ApiRoute, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

interface TypedRoute<
  Params extends TProperties,
  Query extends TProperties,
  Body extends TProperties,
  Response extends TSchema,
> extends Omit<ApiRoute, 'schema' | 'run' | 'stream' | 'download'> {
  readonly schema: {
    readonly params?: TObject<Params>;
    readonly query?: TObject<Query>;
    readonly body?: TObject<Body>;
    readonly response?: Response;
  };
  /** `api_id` is put in front of its result. A problem promises that nothing has been changed. */
  run(
    request: ApiRequest<Static<TObject<Params>>, Static<TObject<Query>>, Static<TObject<Body>>>,
  ): Promise<Result<WithoutApiId<Static<Response>>>>;
  readonly stream?: StreamedAnswer<
    ApiRequest<Static<TObject<Params>>, Static<TObject<Query>>, Static<TObject<Body>>>
  >;
  readonly download?: DownloadedAnswer<
    ApiRequest<Static<TObject<Params>>, Static<TObject<Query>>, Static<TObject<Body>>>
  >;
}

type WithoutApiId<Body> = Body extends { api_id: unknown } ? Omit<Body, 'api_id'> : Body;

/** An operation whose `run` is typed by its schemas. */
export function route<
  // biome-ignore lint/complexity/noBannedTypes: the properties of a schema that is left out
  Params extends TProperties = {},
  // biome-ignore lint/complexity/noBannedTypes: as above
  Query extends TProperties = {},
  // biome-ignore lint/complexity/noBannedTypes: as above
  Body extends TProperties = {},
  Response extends TSchema = TSchema,
>(definition: TypedRoute<Params, Query, Body, Response>): ApiRoute {
  return definition as unknown as ApiRoute;
}
