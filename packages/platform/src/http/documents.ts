import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify';
import { Type } from 'typebox';
import { keepAnswers } from './kept-answers.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';
import { openApiOptions } from './openapi.ts';
import { registerReferencePage } from './reference-page.ts';
import { refusedAnswers } from './refused-codes.ts';
import type { ApiRoute, RouteGroup } from './route.ts';

/** Collects the operations that `app` registers from here on, from the schemas that validate; the result describes all of them. */
export function describeOperations(
  app: FastifyInstance,
  features: readonly RouteGroup[],
): () => Promise<string> {
  void app.register(swagger, openApiOptions(features));
  return async () => {
    await app.ready();
    return JSON.stringify(app.swagger());
  };
}

/** `GET /openapi.json` and `GET /docs/`, without resources of other hosts. */
export function registerDocuments(app: FastifyInstance, describe: () => Promise<string>): void {
  void app.register(async (scope) => {
    keepAnswers(scope);
    let document: Promise<string> | undefined;
    scope.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
      document ??= describe();
      const text = await document;
      return reply.header('content-type', 'application/json; charset=utf-8').send(text);
    });
    refuseOtherMethods(scope, '/openapi.json', ['GET']);
    // The browser enforces that nothing is fetched from another host.
    scope.addHook('onRequest', (_request, reply, done) => {
      reply.header(
        'content-security-policy',
        "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:",
      );
      done();
    });
    registerReferencePage(scope);
  });
}

/** Describes an answer without being part of its schema, so that all errors have one schema. */
export const describedBy = 'x-response-description';

/** Adds to the schema of a route, which validates, what only the documentation shows. Nothing is described before the document is requested. */
export function documented(describe: () => FastifySchema): Pick<FastifyContextConfig, 'swaggerTransform'> {
  return { swaggerTransform: ({ schema, url }) => ({ schema: { ...schema, ...describe() }, url }) };
}

/** What the documentation shows of an operation besides the parts of a request, by which fastify validates. */
export function descriptionOf(route: ApiRoute, group: RouteGroup): FastifySchema {
  const { body, response } = route.schema;
  return {
    summary: route.operation,
    operationId: route.id ?? operationIdOf(route.operation),
    tags: [group.name],
    ...(route.description === undefined ? {} : { description: route.description }),
    response: {
      [route.success]: successOf(route, withWarnings(response ?? { type: 'object' }, body !== undefined)),
      ...refusedAnswers(route),
    },
  };
}

const successes = { 200: 'Done.', 201: 'Created.', 202: 'Changed or begun.', 204: 'Done.' } as const;

function successOf({ success, stream, download }: ApiRoute, schema: object): object {
  const described = { [describedBy]: successes[success] };
  if (success === 204) return { type: 'null', ...described };
  if (download !== undefined) {
    const file = { schema: Type.String({ format: 'binary' }) };
    return { ...described, content: { 'application/json': { schema }, [download.contentType]: file } };
  }
  if (stream === undefined) return { ...schema, ...described };
  const streamed = { schema: Type.String({ description: 'An endless stream.' }) };
  return { ...described, content: { 'application/json': { schema }, [stream.contentType]: streamed } };
}

/** The answer to a body may name what of it was ignored. */
function withWarnings(response: object, hasBody: boolean): object {
  const { properties } = response as { readonly properties?: object };
  if (!hasBody || properties === undefined) return response;
  const warnings = Type.Array(Type.String(), {
    description: 'Parameters and markup that were ignored, one sentence each; absent without any.',
  });
  return { ...response, properties: { ...properties, warnings } };
}

/** `Create an endpoint` → `createEndpoint`. */
function operationIdOf(operation: string): string {
  return operation
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .replace(/\b(a|an|the|of|through)\b/g, ' ')
    .trim()
    .replace(/ +(.)/g, (_, letter: string) => letter.toUpperCase());
}
