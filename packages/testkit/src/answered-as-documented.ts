import assert from 'node:assert/strict';
import { Compile, type Validator } from 'typebox/schema';

/** The relevant parts of an answer of the HTTP interface. */
export interface GivenAnswer {
  readonly method: string;
  /** Path and query, from the root. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string | undefined;
  /** The body as received; empty without one. */
  readonly text: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly schema: { readonly pattern?: string };
}

interface Template {
  /** What each part of a path must match: a literal, a pattern, or any text. */
  readonly parts: readonly (string | RegExp | undefined)[];
  readonly operations: Readonly<Record<string, Operation>>;
}

interface Response {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

/** Returns the fault of an answer; undefined when it is as documented. */
export type AnswerJudge = (answer: GivenAnswer) => string | undefined;

const errorBody = { $ref: '#/components/schemas/Error' };

/** The prefix of API paths; health, metrics, receipts and the documentation are not operations. */
const apiPrefix = '/v1/';

/**
 * Checks answers against a served OpenAPI document: the status is listed, the body has a listed type, and the schema names every member.
 */
export function judgeOf(document: object): AnswerJudge {
  const { paths, components } = document as OpenApiDocument;
  const templates = Object.entries(paths)
    .map(([path, operations]) => templateOf(path, operations))
    .sort((one, other) => freedomOf(one) - freedomOf(other));
  const closed = { components: closedSchema(components) };
  const validators = new Map<object, Validator>();

  function faultsIn(schema: object, text: string): string | undefined {
    let validator = validators.get(schema);
    if (validator === undefined) {
      validator = Compile({ ...(closedSchema(schema) as object), ...closed } as never) as Validator;
      validators.set(schema, validator);
    }
    const body: unknown = JSON.parse(text);
    // Looking for errors takes many times the CPU of the check alone.
    if (validator.Check(body)) return undefined;
    const [, errors] = validator.Errors(body);
    return errors
      .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
      .join('; ');
  }

  function operationAt(method: string, url: string): Operation | undefined {
    const parts = partsOf(url.split('?')[0]!).map(decoded);
    const best = templates.find((template) => fits(template, parts));
    return best?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()];
  }

  return ({ method, url, status, contentType = '', text }) => {
    if (!url.startsWith(apiPrefix)) return undefined;
    const operation = operationAt(method, url);
    const faults = (what: string | undefined) =>
      what &&
      `${method} ${url} (${operation?.operationId ?? 'no operation'}) was answered with ${status}: ${what}\n${text}`;
    if (operation === undefined) {
      if (status < 400) return faults('the document has no such operation');
      return text === '' ? undefined : faults(faultsIn(errorBody, text));
    }
    const response = operation.responses[status];
    if (response === undefined) return faults('the status is not listed');
    // RFC 9110 §9.3.2: the answer to HEAD is that to GET without its body.
    if (method === 'HEAD') return undefined;
    if (response.content === undefined) return text === '' ? undefined : faults('no body is documented');
    const type = contentType.split(';')[0]!.trim();
    const media = response.content[type];
    if (media === undefined) return faults(`the type ${type || '(none)'} is not documented`);
    return type === 'application/json' ? faults(faultsIn(media.schema, text)) : undefined;
  };
}

/** The required part of a Fastify instance; it serves a document unless configured otherwise. */
interface Injectable {
  inject(options: unknown): Promise<InjectedAnswer>;
  swagger?(): object;
}

interface InjectedAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  readonly raw: { readonly req: { readonly method?: string; readonly url?: string } };
}

/**
 * From now on a test fails when an answer from `inject` is not described by the interface's own document. Interfaces that share `judges`
 * share the document: generating it takes 0.1 s for the whole platform.
 */
export function holdToDocument<App extends object>(app: App, judges: { judge?: AnswerJudge } = {}): App {
  const injectable = app as unknown as Injectable;
  const inject = injectable.inject.bind(injectable);
  injectable.inject = async (options) => {
    const answer = await inject(options);
    if (injectable.swagger === undefined) return answer;
    judges.judge ??= judgeOf(JSON.parse(JSON.stringify(injectable.swagger())));
    const { method = 'GET', url = '' } = answer.raw.req;
    const fault = judges.judge({
      method,
      url,
      status: answer.statusCode,
      contentType: answer.headers['content-type']?.toString(),
      text: answer.body,
    });
    assert.equal(fault, undefined, fault);
    return answer;
  };
  return app;
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '');
}

/** Invalid percent-encoding is refused on every path, so it may stay unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function templateOf(path: string, operations: Readonly<Record<string, Operation>>): Template {
  const parameters = Object.values(operations).flatMap(({ parameters: each = [] }) => each);
  const parts = partsOf(path).map((part) => {
    if (!part.startsWith('{')) return part;
    const found = parameters.find((each) => each.in === 'path' && `{${each.name}}` === part);
    return found?.schema.pattern === undefined ? undefined : new RegExp(found.schema.pattern, 'u');
  });
  return { parts, operations };
}

/** A literal part precedes a parameter with a pattern, which precedes any other parameter, as in the router. */
function freedomOf({ parts }: Template): number {
  return parts.reduce((sum, part) => sum + (typeof part === 'string' ? 0 : part === undefined ? 2 : 1), 0);
}

function fits(template: Template, parts: readonly string[]): boolean {
  return (
    template.parts.length === parts.length &&
    template.parts.every((part, at) => {
      if (typeof part === 'string') return part === parts[at];
      return part === undefined || part.test(parts[at]!);
    })
  );
}

/** The schema with every object closed whose members are named, unless the schema itself allows others. */
function closedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closedSchema);
  if (schema === null || typeof schema !== 'object') return schema;
  const copy = withClosedMembers(schema);
  const isObject = copy.type === 'object' && typeof copy.properties === 'object';
  return isObject && copy.additionalProperties === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}

function withClosedMembers(schema: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).map(([name, each]) => [
      name,
      // A part of allOf restricts members that another part names: closed, it would refuse them.
      name === 'allOf' && Array.isArray(each) ? each.map(withClosedMembers) : closedSchema(each),
    ]),
  );
}
