import { exampleIds, parameterExample, type RequestExample, requestExamples } from '@jackfield/contract';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: ValueSchema;
  readonly example?: unknown;
}

interface ValueSchema {
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ValueSchema[];
}

type Paths = Readonly<Record<string, Readonly<Record<string, object>>>>;

const accountPath = '/v1/Account/{auth_id}';

/** The paths of a document with a value of each parameter, with bodies, and with a command for each operation. */
export function withExamples(paths: Paths): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [
          method,
          shownOperation(method, path, operation as Operation),
        ]),
      ),
    ]),
  );
}

function shownOperation(method: string, path: string, operation: Operation): object {
  const { operationId, parameters = [], requestBody } = operation;
  const bodies = requestBody === undefined ? [] : requestExamples(operationId);
  return {
    ...operation,
    parameters: parameters.map(shownParameter),
    ...(requestBody === undefined ? {} : { requestBody: shownBody(requestBody, bodies) }),
    'x-codeSamples': (bodies.length === 0 ? [undefined] : bodies).map((body) => ({
      lang: 'Shell',
      label: body === undefined ? 'curl' : `curl: ${body.summary}`,
      source: commandOf(method, path, body?.value),
    })),
  };
}

function shownParameter(parameter: Parameter): object {
  const example = parameter.example ?? parameterExample(parameter.name);
  return { ...parameter, example: fitting(parameter.schema, example) };
}

/** The first value of an enumeration, whatever a parameter of the same name accepts elsewhere. */
function fitting({ default: byDefault, enum: values, anyOf = [] }: ValueSchema, example: unknown): unknown {
  return values?.[0] ?? anyOf.find((each) => each.enum !== undefined)?.enum?.[0] ?? example ?? byDefault;
}

function shownBody(body: NonNullable<Operation['requestBody']>, examples: readonly RequestExample[]): object {
  const content = Object.entries(body.content).map(([type, media]) => [
    type,
    { ...media, examples: Object.fromEntries(examples.map((each, at) => [`example${at + 1}`, each])) },
  ]);
  return { ...body, content: Object.fromEntries(content) };
}

/** A line for a shell in which JACKFIELD is the address of the account, and AUTH its auth_id:auth_token, as in the README. */
function commandOf(method: string, path: string, body: object | undefined): string {
  const ids: Readonly<Record<string, string>> = exampleIds;
  const below = path.slice(accountPath.length).replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
  const start = `curl -u $AUTH $JACKFIELD${below}`;
  if (method === 'get') return start;
  if (method === 'delete') return `${start} -X DELETE`;
  if (body === undefined) return `${start} -X POST`;
  return `${start} -H 'Content-Type: application/json' -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;
}
