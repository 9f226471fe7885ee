import type { SwaggerOptions } from '@fastify/swagger';
import { withExamples } from './document-examples.ts';
import { documentedWebhooks } from './documented-webhooks.ts';
import type { RouteGroup } from './route.ts';

/** What a reader must know before the first request. */
const introduction = `
Endpoints, calls, multiparty calls, audio streams, recordings, trunks and verification, as JSON over HTTP.

**Authentication.** HTTP Basic: \`auth_id\` as user, \`auth_token\` as password. The \`auth_id\` in the path is yours, or that of one of your subaccounts.
The web console has a cookie instead (\`POST /console/session\`): its requests are answered with 403 when they come from another page or need another role.

**Samples.** With \`JACKFIELD=http://127.0.0.1:8080/v1/Account/<auth_id>\` and \`AUTH=<auth_id>:<auth_token>\` in your shell the samples can be sent as they stand, once
their identifiers are yours.

**Requests.** A POST has a JSON body. Paths end with a slash, which may be left out. Booleans and numbers may be sent as text. A parameter that the
operation does not know is named in \`warnings\` of the answer; a name that is probably misspelt is refused with 400.

**Answers.** Every JSON body has \`api_id\`: quote it when you report a problem. 200 was read, 201 created, 202 changed or begun, 204 done without a body.

**Errors.** \`{"api_id": "…", "error": "…", "error_code": "…"}\`: the sentence of \`error\` names the parameter, its value and what is allowed; \`error_code\` is for programs
and stays the same when the sentence changes. Each operation lists its codes; a wrong method is 405 with \`method-not-allowed\`.

**Lists.** \`limit\` (1 to 20) and \`offset\`; \`meta.next\` is the path of the next page, or null.

**Rates.** 300 requests in any 5 seconds for each account: \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` are in every answer. Above it 429, with \`Retry-After\`.

**Idempotency.** A POST with \`Idempotency-Key\` (1 to 255 visible ASCII characters) is done once in 24 hours: the same request gets the same answer again, with
\`Idempotency-Replayed: true\`; the key with another request is 409.

**Webhooks.** The requests to your URLs are below \`webhooks\`, signed and sent at least once. \`GET Event/\` has the same events, and more, without your own server.
`.trim();

/** The whole document without its paths. */
export function openApiOptions(features: readonly RouteGroup[]): SwaggerOptions {
  return {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Jackfield',
        version: 'v1',
        description: introduction,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: tagsOf(features),
      components: {
        securitySchemes: {
          account: { type: 'http', scheme: 'basic', description: 'auth_id and auth_token of an account' },
          console: {
            type: 'apiKey',
            in: 'cookie',
            name: 'jackfield_session',
            description: 'A session of the web console; its name begins with __Host- on HTTPS',
          },
        },
      },
      security: [{ account: [] }, { console: [] }],
      // The types of the plugin know the paths of a document alone.
      webhooks: documentedWebhooks() as never,
    },
    transformObject: (document) =>
      'openapiObject' in document
        ? (withComponents(document.openapiObject) as never)
        : document.swaggerObject,
  };
}

/** One tag for each name with operations; groups of one name share it with their descriptions. */
function tagsOf(groups: readonly RouteGroup[]) {
  const described = new Map<string, readonly string[]>();
  for (const { name, description = `${name}.`, routes, files = [] } of groups) {
    if (routes.length + files.length === 0) continue;
    described.set(name, [...(described.get(name) ?? []), description]);
  }
  return [...described].map(([name, sentences]) => ({ name, description: sentences.join(' ') }));
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Puts each titled schema and each refusal once into the components, so that a generated client has a type with its name. */
function withComponents(document: object): object {
  const schemas: Record<string, Json> = {};
  const shared = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(shared);
    if (value === null || typeof value !== 'object') return value;
    const copy = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shared(each)]));
    const { title, type } = copy;
    if (typeof title !== 'string' || type !== 'object') return copy;
    const name = componentName(title);
    const known = schemas[name];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(copy)) return copy;
    schemas[name] = copy;
    return { $ref: `#/components/schemas/${name}` };
  };
  // JSON first: schemas carry symbols and functions of their library.
  const { components, ...rest } = JSON.parse(JSON.stringify(document));
  const body = Object.fromEntries(
    Object.entries(rest).map(([name, each]) => [name, name === 'info' ? each : shared(each as Json)]),
  );
  return {
    ...body,
    paths: withExamples(body.paths as never),
    components: { ...components, schemas: { ...components?.schemas, ...schemas } },
  };
}

/** `SIP endpoint` → `SipEndpoint`. */
function componentName(title: string): string {
  return title
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase())
    .join('');
}
