import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { whyUnread } from './read-faults.ts';

/** One order of precedence: the environment, then the file `.env` in `directory`, then the defaults. */
export function readEnvironment(directory = process.cwd(), env = process.env): NodeJS.Dict<string> {
  return { ...readEnvFile(directory).values, ...env };
}

/** The file `.env` of a directory: a missing one is empty. */
export interface EnvFile {
  readonly values: NodeJS.Dict<string>;
  /** The line of each name. */
  readonly lines: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
}

const assignment = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*)$/;
const nothing = /^\s*(?:#.*)?$/;

export function readEnvFile(directory = process.cwd()): EnvFile {
  const path = join(directory, '.env');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const problems = isMissing ? [] : [`${path} ${whyUnread(error)}: mend or remove it`];
    return { values: {}, lines: new Map(), problems };
  }
  return { values: parseEnv(text), ...linesOf(text, path) };
}

/** `parseEnv` skips what it does not understand, and joins lines behind a quote that nothing closes. */
function linesOf(text: string, path: string): Pick<EnvFile, 'lines' | 'problems'> {
  const lines = new Map<string, number>();
  const problems: string[] = [];
  let open: { readonly quote: string; readonly line: number } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (open !== undefined) {
      if (line.includes(open.quote)) open = undefined;
      continue;
    }
    const [, name, value = ''] = assignment.exec(line) ?? [];
    if (name === undefined) {
      // The line is not shown: it may be a part of a secret.
      if (!nothing.test(line))
        problems.push(`${path}: line ${index + 1} must be NAME=value, a # comment or empty`);
      continue;
    }
    lines.set(name, index + 1);
    const [quote = ''] = /^["'`]/.exec(value) ?? [];
    if (quote !== '' && !value.slice(1).includes(quote)) open = { quote, line: index + 1 };
  }
  if (open !== undefined) problems.push(`${path}: line ${open.line} has a ${open.quote} that nothing closes`);
  return { lines, problems };
}
