import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runTool, type ToolCheck } from './tool-check.ts';

/** Functions longer than this are named in `long-functions.json`, with their length; the list may only shrink. */
export const lineLimit = 80;

const listPath = 'tools/checks/long-functions.json';

const biome: ToolCheck = {
  name: 'function lengths',
  program: { package: '@biomejs/biome', name: 'biome' },
  args: [
    'lint',
    '--only=complexity/noExcessiveLinesPerFunction',
    '--max-diagnostics=none',
    '--reporter=json',
    '.',
  ],
};

export interface LongFunction {
  readonly path: string;
  readonly line: number;
  readonly name: string;
  /** Lines of code, as Biome counts them: without comments and blank lines. */
  readonly lines: number;
}

interface Diagnostic {
  readonly category: string;
  readonly message: string;
  readonly location: {
    readonly path: string;
    readonly start: { readonly line: number; readonly column: number };
  };
}

/** Functions over the limit, except the bodies of `describe` and `it`: a list of cases may be long. */
export async function findLongFunctions(root: string): Promise<readonly LongFunction[]> {
  const { output } = await runTool(biome, root);
  const start = output.indexOf('{');
  const { diagnostics } = JSON.parse(output.slice(start, output.lastIndexOf('}') + 1)) as {
    diagnostics: readonly Diagnostic[];
  };
  return diagnostics.flatMap(({ category, message, location: { path, start } }) => {
    if (!category.endsWith('noExcessiveLinesPerFunction')) return [];
    const text = readFileSync(join(root, path), 'utf8');
    const name = nameOf(text.split('\n'), start.line, start.column);
    if (name === undefined && path.endsWith('.test.ts')) return [];
    const lines = Number(/\((\d+)\)/.exec(message)?.[1]);
    return [{ path, line: start.line, name: name ?? `line ${start.line}`, lines }];
  });
}

/** Undefined for a function that is an argument of a call. */
function nameOf(lines: readonly string[], line: number, column: number): string | undefined {
  const text = lines[line - 1] ?? '';
  const [before, after] = [text.slice(0, column - 1), text.slice(column - 1)];
  return (
    /^(?:async\s+)?function\s*\*?\s*([\w$]+)/.exec(after)?.[1] ??
    /(?:const|let)\s+([\w$]+)[^=]*=\s*$/.exec(before)?.[1] ??
    /([\w$]+):\s*$/.exec(before)?.[1] ??
    /^(?:async\s+)?([\w$#]+)\s*\(/.exec(after)?.[1]
  );
}

/** What is wrong: a function that is new or has grown, and an entry that is out of date. */
export function judged(
  found: readonly LongFunction[],
  allowed: Readonly<Record<string, number>>,
): readonly string[] {
  const present = lengthsOf(found);
  const grown = found.flatMap((each) => {
    const limit = allowed[keyOf(each)] ?? lineLimit;
    if (each.lines <= limit) return [];
    return [
      `${each.path}:${each.line} '${each.name}' has ${each.lines} lines; at most ${limit}: split it where it has a second reason`,
    ];
  });
  const outOfDate = Object.entries(allowed).flatMap(([key, lines]) => {
    const now = present[key];
    if (now !== undefined && now >= lines) return [];
    const change = now === undefined ? 'remove the entry' : `write ${now}`;
    return [`${listPath} ${key} ${now === undefined ? 'is within the limit' : 'has shrunk'}: ${change}`];
  });
  return [...grown, ...outOfDate];
}

function lengthsOf(found: readonly LongFunction[]): Readonly<Record<string, number>> {
  const lengths: Record<string, number> = {};
  for (const each of found.toSorted((one, other) => keyOf(one).localeCompare(keyOf(other)))) {
    lengths[keyOf(each)] = Math.max(each.lines, lengths[keyOf(each)] ?? 0);
  }
  return lengths;
}

/** Without its folder, so that a file can move; two functions of one name in files of one name share the longer length. */
function keyOf({ path, name }: LongFunction): string {
  return `${basename(path)} ${name}`;
}

if (import.meta.main) {
  const root = process.cwd();
  const found = await findLongFunctions(root);
  if (process.argv.includes('--write')) {
    writeFileSync(join(root, listPath), `${JSON.stringify(lengthsOf(found), null, 2)}\n`);
  }
  const allowed = JSON.parse(readFileSync(join(root, listPath), 'utf8')) as Record<string, number>;
  const findings = judged(found, allowed);
  for (const finding of findings) console.log(finding);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
