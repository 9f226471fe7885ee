import { writeFile } from 'node:fs/promises';
import { binaryPath, binaryText } from './binary.ts';

await writeFile(binaryPath, await binaryText());
process.stdout.write(`${binaryPath} is written.\n`);
