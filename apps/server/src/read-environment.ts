import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

/** One order of precedence: the environment, then the file `.env` in `directory`, then the defaults. */
export function readEnvironment(directory = process.cwd(), env = process.env): NodeJS.Dict<string> {
  return { ...readEnvFile(join(directory, '.env')), ...env };
}

function readEnvFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
