/** A field of a form, made from a parameter of the API. */
export interface FormField {
  readonly name: string;
  readonly kind: 'text' | 'secret' | 'url' | 'number' | 'choice' | 'boolean' | 'lines';
  readonly isRequired: boolean;
  readonly description: string;
  /** What the API allows, as its own refusal says it. */
  readonly allowed: string;
  readonly choices: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** The parts of JSON Schema that the contract's requests use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly not?: object;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly writeOnly?: boolean;
  readonly 'x-allowed'?: string;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** One field for each parameter; parameters that are always refused have none. */
export function fieldsOf(schema: object): readonly FormField[] {
  const { properties, required = [] } = schema as ObjectSchema;
  return Object.entries(properties)
    .filter(([, each]) => each.not === undefined)
    .map(([name, each]) => fieldOf(name, each, required.includes(name)));
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): FormField {
  const forms = [schema, ...(schema.anyOf ?? [])];
  const found = forms.find((each) => each.enum !== undefined);
  const number = forms.find(({ type }) => type === 'integer' || type === 'number');
  const longest = forms.find(({ maxLength }) => maxLength !== undefined)?.maxLength;
  return {
    name,
    kind: kindOf(name, schema, forms),
    isRequired,
    description: schema.description ?? '',
    allowed: schema['x-allowed'] ?? '',
    choices: (found?.enum ?? []).map(String),
    ...(number?.minimum === undefined ? {} : { minimum: number.minimum }),
    ...(number?.maximum === undefined ? {} : { maximum: number.maximum }),
    ...(longest === undefined ? {} : { maxLength: longest }),
  };
}

function kindOf(name: string, schema: Schema, forms: readonly Schema[]): FormField['kind'] {
  const isOf = (type: string) => forms.some((each) => each.type === type);
  if (isOf('boolean')) return 'boolean';
  if (isOf('integer') || isOf('number')) return 'number';
  if (isOf('array')) return 'lines';
  if (forms.some((each) => each.enum !== undefined)) return 'choice';
  if (schema.writeOnly) return 'secret';
  return /(^|_)url$/.test(name) ? 'url' : 'text';
}

/** The body of a request: what the reader has entered; with `known`, what differs from it. */
export function bodyOf(
  fields: readonly FormField[],
  values: Readonly<Record<string, string>>,
  known: Readonly<Record<string, string>> = {},
): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const text = values[field.name] ?? '';
    if (text === (known[field.name] ?? '')) continue;
    body[field.name] = enteredValue(field, text);
  }
  return body;
}

function enteredValue({ kind }: FormField, text: string): unknown {
  if (kind === 'boolean') return text === 'true';
  if (kind === 'number') return Number(text);
  if (kind !== 'lines') return text;
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The texts of a form that shows a record. */
export function textsOf(
  fields: readonly FormField[],
  record: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { name, kind } of fields) {
    const value = record[name];
    if (kind === 'secret' || value === undefined || value === null) texts[name] = '';
    else texts[name] = Array.isArray(value) ? value.join('\n') : String(value);
  }
  return texts;
}
