import { applicationFrame, platformFrame } from '@jackfield/contract';

export const schemaPath = 'docs/stream-frames.schema.json';

/** JSON Schema (2020-12) of the frames of audio streams, from the contract. */
export function schemaText(): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Frames of audio streams',
    description: 'What the platform says (fromPlatform) and what an application says (fromApplication).',
    anyOf: [{ $ref: '#/$defs/fromPlatform' }, { $ref: '#/$defs/fromApplication' }],
    $defs: { fromPlatform: platformFrame, fromApplication: applicationFrame },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
