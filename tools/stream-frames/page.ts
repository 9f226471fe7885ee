import { applicationFrame, platformFrame } from '@jackfield/contract';

export const pagePath = 'docs/reference/stream-frames.md';

/** The part of JSON Schema that the frames use. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** From the folder of the page. */
const docs = '..';

const introduction = `# Stream frames

After this page your server reads and writes every frame of an audio stream. The page is written by \`npx node tools/stream-frames/write-page.ts\` from the contract, which checks the frames that are
sent; [the schema](${docs}/stream-frames.schema.json) has the same for programs. [Streams](${docs}/guides/streams.md) explains when which frame comes.
`;

/** The whole page, from the contract. */
export function pageText(): string {
  const parts = [
    ['What the platform sends', platformFrame],
    ['What your server sends', applicationFrame],
  ] as const;
  return (
    introduction + parts.map(([title, schema]) => `\n## ${title}\n${framesOf(schema as object)}`).join('')
  );
}

function framesOf(schema: Schema): string {
  return (schema.anyOf ?? [schema]).map(frame).join('');
}

function frame({ properties = {}, required = [], description }: Schema): string {
  const name = String(properties.event?.const);
  const sentence = description === undefined ? '' : `${description}\n\n`;
  return `\n### ${name}\n\n${sentence}| field | value | |\n|---|---|---|\n${rows(properties, required, '')}`;
}

function rows(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  above: string,
): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const optional = required.includes(name) ? '' : 'may be absent. ';
      const row = `| \`${above}${name}\` | ${shownValue(schema)} | ${optional}${schema.description ?? ''} |\n`;
      return row + rows(schema.properties ?? {}, schema.required ?? [], `${above}${name}.`);
    })
    .join('');
}

function shownValue({ const: value, enum: values, anyOf, type, items }: Schema): string {
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values !== undefined) return values.map((each) => `\`${JSON.stringify(each)}\``).join(', ');
  if (anyOf !== undefined) return anyOf.map(shownValue).join(', ');
  return items === undefined ? (type ?? 'any') : `list of ${shownValue(items)}`;
}
