import type { Schema } from './schema.ts';

/**
 * The OpenAPI document in the one form that kubectl reads: the protobuf messages of `OpenAPIv2.proto` of gnostic, whose numbers of fields
 * stand here beside their names. All fields are messages or strings: a tag, a length, the content.
 */
export function encodeOpenApi(version: string, definitions: Readonly<Record<string, Schema>>): Buffer {
  const info = [field(1, 'Kubernetes'), field(2, version)];
  const named = Object.entries(definitions).map(([name, schema]) => field(1, namedSchema(name, schema)));
  const document = { swagger: 1, info: 2, paths: 8, definitions: 9 };
  return Buffer.concat([
    field(document.swagger, '2.0'),
    field(document.info, Buffer.concat(info)),
    field(document.paths, ''),
    field(document.definitions, Buffer.concat(named)),
  ]);
}

const numbers = {
  ref: 1,
  format: 2,
  required: 19,
  additionalProperties: 21,
  type: 22,
  items: 23,
  properties: 25,
  extension: 31,
};

function encodeSchema(schema: Schema): Buffer {
  const { $ref, type, required = [], additionalProperties, items, properties } = schema;
  const parts: Buffer[] = [];
  if ($ref !== undefined) parts.push(field(numbers.ref, $ref));
  if (Array.isArray(type)) parts.push(field(numbers.format, 'int-or-string'));
  for (const name of required) parts.push(field(numbers.required, name));
  if (additionalProperties)
    parts.push(field(numbers.additionalProperties, field(1, encodeSchema(additionalProperties))));
  if (type !== undefined)
    parts.push(field(numbers.type, field(1, typeof type === 'string' ? type : 'string')));
  if (items !== undefined) parts.push(field(numbers.items, field(1, encodeSchema(items))));
  if (properties !== undefined) {
    const named = Object.entries(properties).map(([name, each]) => field(1, namedSchema(name, each)));
    parts.push(field(numbers.properties, Buffer.concat(named)), ...kindOf(properties));
  }
  return Buffer.concat(parts);
}

/** By this extension kubectl finds the schema of an object. */
function kindOf({ apiVersion, kind }: Readonly<Record<string, Schema>>): readonly Buffer[] {
  if (apiVersion?.const === undefined || kind?.const === undefined) return [];
  const [version, group = ''] = apiVersion.const.split('/').reverse();
  const yaml = JSON.stringify([{ group, version, kind: kind.const }]);
  const name = field(1, 'x-kubernetes-group-version-kind');
  return [field(numbers.extension, Buffer.concat([name, field(2, field(2, yaml))]))];
}

function namedSchema(name: string, schema: Schema): Buffer {
  return Buffer.concat([field(1, name), field(2, encodeSchema(schema))]);
}

/** Wire type 2 of protobuf: what follows has a length. */
function field(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** Seven bits a byte, the lowest first; the highest bit says that another byte follows. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
