/** An operation of the API, as its document describes it. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the account, with `{names}`. */
  readonly path: string;
  readonly title: string;
  readonly group: string;
  /** One schema for all of its parameters. */
  readonly schema: { readonly properties: Record<string, object>; readonly required: readonly string[] };
  readonly parts: Readonly<Record<string, 'path' | 'query' | 'body'>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: object;
}

interface Described {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: object }>> };
}

/** The parts of an OpenAPI document that are read here. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, object>> };
}

const ofAccount = '/v1/Account/{auth_id}/';
const methods = { get: 'GET', post: 'POST', delete: 'DELETE' } as const;

/** The operations below the account, in the order of the document. */
export function operationsOf(document: ApiDocument): readonly Operation[] {
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith(ofAccount))
    .flatMap(([path, each]) =>
      Object.entries(methods).flatMap(([name, method]) => {
        const described = each[name];
        return described === undefined ? [] : [operationOf(document, path, method, described)];
      }),
    );
}

function operationOf(
  document: ApiDocument,
  path: string,
  method: Operation['method'],
  { operationId, summary = '', tags = [], parameters = [], requestBody }: Described,
): Operation {
  const properties: Record<string, object> = {};
  const parts: Record<string, 'path' | 'query' | 'body'> = {};
  const required: string[] = [];
  for (const { name, in: part, description, schema = {}, ...parameter } of parameters) {
    if (name === 'auth_id' || (part !== 'path' && part !== 'query')) continue;
    properties[name] = {
      ...resolved(document, schema),
      ...(description === undefined ? {} : { description }),
    };
    parts[name] = part;
    if (parameter.required === true) required.push(name);
  }
  const body = resolved(document, requestBody?.content?.['application/json']?.schema ?? {}) as {
    readonly properties?: Readonly<Record<string, object>>;
    readonly required?: readonly string[];
  };
  for (const [name, schema] of Object.entries(body.properties ?? {})) {
    properties[name] = resolved(document, schema);
    parts[name] = 'body';
  }
  return {
    id: operationId ?? `${method} ${path}`,
    method,
    path: path.slice(ofAccount.length),
    title: summary,
    group: tags[0] ?? '',
    schema: { properties, required: [...required, ...(body.required ?? [])] },
    parts,
  };
}

/** The schema that a reference names, or the schema itself. */
function resolved(document: ApiDocument, schema: object): object {
  const name = /^#\/components\/schemas\/(.+)$/.exec((schema as { $ref?: string }).$ref ?? '')?.[1];
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
}

export interface FilledRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Absent where the method has none. */
  readonly body?: object;
}

/** The request of an operation with these values. */
export function filledRequest(
  { method, path, parts }: Operation,
  values: Readonly<Record<string, unknown>>,
): FilledRequest {
  let filled = path;
  const query: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const part = parts[name];
    if (part === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (part === 'query') query[name] = String(value);
    else body[name] = value;
  }
  return { path: filled, query, ...(method === 'POST' ? { body } : {}) };
}
