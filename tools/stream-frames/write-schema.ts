import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaPath, schemaText } from './schema.ts';

/** Writes docs/stream-frames.schema.json from the contract as it is. */
writeFileSync(join(import.meta.dirname, '../..', schemaPath), schemaText());
process.stdout.write(`${schemaPath} is written.\n`);
