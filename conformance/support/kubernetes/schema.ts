import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What OpenAPI 2 has of a schema, as far as the types of the Kubernetes API need it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | false;
}

const modules: Readonly<Record<string, string>> = {
  'core/v1': 'io.k8s.api.core.v1',
  'apps/v1': 'io.k8s.api.apps.v1',
  'meta/v1': 'io.k8s.apimachinery.pkg.apis.meta.v1',
  'api/resource': 'io.k8s.apimachinery.pkg.api.resource',
  runtime: 'io.k8s.apimachinery.pkg.runtime',
};
const types = dirname(createRequire(import.meta.url).resolve('kubernetes-types/package.json'));
/** The name of a definition, by that of its type: no two of these modules share one. */
const fullNames = new Map<string, string>();

/** Of the Kubernetes API that `kubernetes-types` describes: its makers wrote these types from its OpenAPI document. */
export const apiVersion: string = JSON.parse(readFileSync(join(types, 'package.json'), 'utf8')).version;

/** The definitions of the OpenAPI document, by their full names: the types read backwards. */
export function readDefinitions(): Readonly<Record<string, Schema>> {
  const declared = Object.entries(modules).flatMap(([module, prefix]) => declarationsOf(module, prefix));
  for (const { name, prefix } of declared) {
    assert.ok(!fullNames.has(name), `${name} is a type of two modules`);
    fullNames.set(name, `${prefix}.${name}`);
  }
  return Object.fromEntries(declared.map(({ name, prefix, read }) => [`${prefix}.${name}`, read()]));
}

interface Declaration {
  readonly name: string;
  readonly prefix: string;
  readonly read: () => Schema;
}

function declarationsOf(module: string, prefix: string): readonly Declaration[] {
  const text = readFileSync(join(types, `${module}.d.ts`), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\{\s*\[name: string\]: ([^;]+);\s*\}/g, 'Map<$1>');
  const declared = text.matchAll(/^export (?:interface (\w+) \{\n([\s\S]*?)^\}|type (\w+) = (.*);)$/gm);
  return [...declared].map(([, name, body, alias = '', aliased]) =>
    body === undefined
      ? { name: alias, prefix, read: () => schemaOf(aliased!) }
      : { name: name!, prefix, read: () => objectOf(body) },
  );
}

function objectOf(body: string): Schema {
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  // `FieldsV1` and `RawExtension` are any object.
  if (lines.length === 0) return { type: 'object' };
  const fields = lines.map((line) => {
    const [, name, optional, type] =
      /^ +(?:readonly )?"?([\w$-]+)"?(\??): (.*);$/.exec(line) ?? assert.fail(`no field: ${line}`);
    return { name: name!, isRequired: optional === '', schema: schemaOf(type!) };
  });
  return {
    type: 'object',
    required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    additionalProperties: false,
  };
}

function schemaOf(type: string): Schema {
  if (['string', 'number', 'boolean'].includes(type)) return { type };
  if (type === 'number | string') return { type: ['number', 'string'] };
  const [, literal] = /^"(.*)"$/.exec(type) ?? [];
  if (literal !== undefined) return { type: 'string', const: literal };
  const [, generic, inner] = /^(Array|Map)<(.*)>$/.exec(type) ?? [];
  if (generic === 'Array') return { type: 'array', items: schemaOf(inner!) };
  if (generic === 'Map') return { type: 'object', additionalProperties: schemaOf(inner!) };
  return { $ref: `#/definitions/${fullNames.get(type) ?? assert.fail(`no type is called ${type}`)}` };
}
