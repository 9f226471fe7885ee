import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Compile } from 'typebox/schema';
import { encodeOpenApi } from './open-api.ts';
import { apiVersion, readDefinitions } from './schema.ts';

/** An object of the API, whose fields the schema has checked. */
// biome-ignore lint/suspicious/noExplicitAny: as deep as the API, and a test reads what it needs
export type KubernetesObject = Record<string, any>;

interface Resource {
  readonly groupVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

interface Change {
  readonly type: 'ADDED' | 'MODIFIED';
  readonly resource: string;
  readonly object: KubernetesObject;
}

const resources: Readonly<Record<string, Resource>> = {
  nodes: { groupVersion: 'v1', kind: 'Node', isNamespaced: false },
  configmaps: { groupVersion: 'v1', kind: 'ConfigMap', isNamespaced: true },
  persistentvolumeclaims: { groupVersion: 'v1', kind: 'PersistentVolumeClaim', isNamespaced: true },
  secrets: { groupVersion: 'v1', kind: 'Secret', isNamespaced: true },
  services: { groupVersion: 'v1', kind: 'Service', isNamespaced: true },
  deployments: { groupVersion: 'apps/v1', kind: 'Deployment', isNamespaced: true },
};
const verbs = ['create', 'get', 'list', 'patch', 'watch'];
const path =
  /^\/(?:api\/(?<core>v1)|apis\/(?<group>[^/]+\/v1))(?:\/namespaces\/(?<namespace>[^/]+))?\/(?<resource>[a-z]+)(?:\/(?<name>[^/]+))?$/;

const definitions = readDefinitions();
const openApi = encodeOpenApi(apiVersion, definitions);
const discovery = discoveryDocuments();

/** An answer that is no success, as the API words it: kubectl decides by the reason. */
class Refusal extends Error {
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, message: string) {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/**
 * What kubectl needs of an API server: discovery, the OpenAPI document by which kubectl validates, and the kinds of `resources` with
 * their verbs. It refuses what the types of `kubernetes-types` do not have. It has one namespace, and asks no client who it is.
 */
export class KubernetesApiServer {
  /** Emits `change` after each. */
  readonly changes = new EventEmitter().setMaxListeners(0);
  readonly #history: Change[] = [];
  readonly #objects = new Map<string, KubernetesObject>();
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: Error) => respondRefusal(response, error));
  });

  static async start(): Promise<KubernetesApiServer> {
    const api = new KubernetesApiServer();
    api.#server.listen(0, '127.0.0.1');
    await once(api.#server, 'listening');
    return api;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await this.#server[Symbol.asyncDispose]();
  }

  list(resource: string): readonly KubernetesObject[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${resource}/`)).map(([, object]) => object);
  }

  get(resource: string, name: string): KubernetesObject | undefined {
    return this.#objects.get(`${resource}/${name}`);
  }

  create(resource: string, given: KubernetesObject): KubernetesObject {
    const { groupVersion, kind, isNamespaced } = resources[resource]!;
    const object = withoutNulls({ apiVersion: groupVersion, kind, ...given });
    const name = object.metadata?.name ?? '';
    if (name === '')
      throw new Refusal(422, 'Invalid', `${kind} "" is invalid: metadata.name: Required value`);
    if (this.get(resource, name) !== undefined)
      throw new Refusal(409, 'AlreadyExists', `${resource} "${name}" already exists`);
    const own = { uid: crypto.randomUUID(), creationTimestamp: now(), generation: 1 };
    const metadata = { ...(isNamespaced ? { namespace: 'default' } : {}), ...object.metadata, ...own };
    return this.#store('ADDED', resource, { ...object, metadata });
  }

  /** RFC 7396. */
  patch(resource: string, name: string, patch: KubernetesObject): KubernetesObject {
    const stored = this.get(resource, name);
    if (stored === undefined) throw notFound(resource, name);
    return this.#store('MODIFIED', resource, merged(stored, patch));
  }

  #store(type: Change['type'], resource: string, given: KubernetesObject): KubernetesObject {
    assertValid(resource, given);
    const metadata = { ...given.metadata, resourceVersion: String(this.#history.length + 1) };
    const object = { ...given, metadata };
    this.#objects.set(`${resource}/${metadata.name}`, object);
    this.#history.push({ type, resource, object });
    this.changes.emit('change');
    return object;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.url);
    const document = discovery.get(pathname);
    if (document !== undefined) return respond(response, 200, document);
    if (pathname === '/openapi/v2') {
      response.setHeader('content-type', 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
      response.end(openApi);
      return;
    }
    const { core, group = core, resource = '', name } = path.exec(pathname)?.groups ?? {};
    if (resources[resource]?.groupVersion !== group)
      throw new Refusal(404, 'NotFound', 'the server could not find the requested resource');
    if (request.method === 'POST') {
      respond(response, 201, this.create(resource, (await json(request)) as KubernetesObject));
    } else if (request.method === 'PATCH' && name !== undefined) {
      if (request.headers['content-type'] !== 'application/merge-patch+json')
        throw new Refusal(415, 'UnsupportedMediaType', 'only merge patches are accepted here');
      respond(response, 200, this.patch(resource, name, (await json(request)) as KubernetesObject));
    } else if (request.method !== 'GET') {
      throw new Refusal(405, 'MethodNotAllowed', `${request.method} is not supported here`);
    } else if (name === undefined) this.#enumerate(resource, searchParams, response);
    else respond(response, 200, this.get(resource, name) ?? notFound(resource, name));
  }

  /** The objects of a kind, or, with `watch`, what happens to them after `resourceVersion`. */
  #enumerate(resource: string, query: URLSearchParams, response: ServerResponse): void {
    const [, only] = /^metadata\.name=(.+)$/.exec(query.get('fieldSelector') ?? '') ?? [];
    const isMeant = ({ metadata }: KubernetesObject) => only === undefined || metadata.name === only;
    const { groupVersion, kind } = resources[resource]!;
    if (!['1', 'true'].includes(query.get('watch') ?? '')) {
      const metadata = { resourceVersion: String(this.#history.length) };
      const items = this.list(resource).filter(isMeant);
      respond(response, 200, { apiVersion: groupVersion, kind: `${kind}List`, metadata, items });
      return;
    }
    let next = Number(query.get('resourceVersion') ?? 0);
    const send = () => {
      for (; next < this.#history.length; next++) {
        const { type, resource: changed, object } = this.#history[next]!;
        if (changed === resource && isMeant(object)) response.write(`${JSON.stringify({ type, object })}\n`);
      }
    };
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    this.changes.on('change', send);
    response.once('close', () => this.changes.off('change', send));
    send();
  }
}

/** One validator for a kind, compiled at its first object. */
const validators = new Map<string, ReturnType<typeof Compile>>();

function assertValid(resource: string, object: KubernetesObject): void {
  const { kind, groupVersion } = resources[resource]!;
  const validator =
    validators.get(kind) ??
    Compile({
      definitions,
      $ref: `#/definitions/io.k8s.api.${groupVersion.includes('/') ? 'apps' : 'core'}.v1.${kind}`,
    });
  validators.set(kind, validator);
  const [, errors] = validator.Errors(object);
  const faults = errors.map(({ instancePath, message }) => `${instancePath} ${message}`).join(', ');
  if (faults !== '') throw new Refusal(400, 'BadRequest', `${kind} is not as the types say: ${faults}`);
}

function discoveryDocuments(): ReadonlyMap<string, object> {
  const listOf = (requested: string) => ({
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: requested,
    resources: Object.entries(resources)
      .filter(([, { groupVersion }]) => groupVersion === requested)
      .map(([name, { kind, isNamespaced }]) => ({
        name,
        singularName: '',
        namespaced: isNamespaced,
        kind,
        verbs,
      })),
  });
  const version = { groupVersion: 'apps/v1', version: 'v1' };
  const group = { name: 'apps', versions: [version], preferredVersion: version };
  const [major, minor] = apiVersion.split('.');
  return new Map<string, object>([
    ['/version', { major, minor, gitVersion: `v${apiVersion}` }],
    ['/api', { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }],
    ['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: [group] }],
    ['/api/v1', listOf('v1')],
    ['/apis/apps/v1', listOf('apps/v1')],
  ]);
}

function notFound(resource: string, name: string): Refusal {
  return new Refusal(404, 'NotFound', `${resource} "${name}" not found`);
}

function respond(response: ServerResponse, status: number, body: object): void {
  if (body instanceof Refusal) respondRefusal(response, body);
  else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function respondRefusal(response: ServerResponse, error: Error): void {
  const { code, reason } = error instanceof Refusal ? error : { code: 500, reason: 'InternalError' };
  const { message } = error;
  respond(response, code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
  });
}

/** A field with null is one without a value. */
function withoutNulls(object: KubernetesObject): KubernetesObject {
  return JSON.parse(JSON.stringify(object, (_, value) => value ?? undefined));
}

function merged(target: unknown, patch: KubernetesObject): KubernetesObject {
  const result: KubernetesObject = { ...(isObject(target) ? target : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = isObject(value) ? merged(result[name], value) : value;
  }
  return result;
}

function isObject(value: unknown): value is KubernetesObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function now(): string {
  return `${new Date().toISOString().slice(0, -5)}Z`;
}
