/** Where the values of a JSON text stand, for sentences about files that people write. */
export type JsonLines =
  | {
      readonly ok: true;
      /** The line of the value at a path such as `carriers[0].caps.host`, or of the nearest object around it; undefined where there is none. */
      readonly lineOf: (path: string) => number | undefined;
    }
  /** No value of the text is in the sentence: it may be a secret. */
  | { readonly ok: false; readonly line: number; readonly expected: string };

const token =
  /[{}[\]:,]|"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)\b/uy;
const blank = /[ \t\r\n]*/y;
/** Deeper texts are no file of an operator. */
const deepest = 200;

/** RFC 8259 §7: a text has them as escapes alone. */
const hasControls = (found: string) => [...found].some((each) => each < ' ');

class Fault extends Error {}

export function jsonLines(text: string): JsonLines {
  const positions = new Map<string, number>();
  let at = 0;

  // Assertions of control flow need the declared type.
  const fault: (expected: string) => never = (expected) => {
    throw new Fault(expected);
  };

  function next(): string | undefined {
    blank.lastIndex = at;
    blank.exec(text);
    at = blank.lastIndex;
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    return found !== undefined && hasControls(found) ? undefined : found;
  }

  function accept(...allowed: readonly string[]): string {
    const found = next();
    if (found === undefined || !allowed.includes(found)) return fault(`${allowed.join(' or ')} is expected`);
    at += found.length;
    return found;
  }

  function members(path: string, depth: number): void {
    for (let isFirst = true; ; isFirst = false) {
      const key = next();
      if (isFirst && key === '}') break;
      if (key === undefined || !key.startsWith('"'))
        fault('a name in double quotes is expected, without a comma before a }');
      const begin = at;
      at += key.length;
      accept(':');
      const name = JSON.parse(key) as string;
      value(path === '' ? name : `${path}.${name}`, depth, begin);
      if (accept(',', '}') === '}') return;
    }
    accept('}');
  }

  function items(path: string, depth: number): void {
    if (next() === ']') {
      accept(']');
      return;
    }
    for (let index = 0; ; index++) {
      next();
      value(`${path}[${index}]`, depth, at);
      if (accept(',', ']') === ']') return;
    }
  }

  function value(path: string, depth: number, begin: number): void {
    const found = next();
    if (found === undefined || '}]:,'.includes(found))
      fault('a value is expected: a text in double quotes, a number, true, false, null, { or [');
    if (depth > deepest) fault(`at most ${deepest} levels are allowed`);
    positions.set(path, begin);
    at += found.length;
    if (found === '{') members(path, depth + 1);
    if (found === '[') items(path, depth + 1);
  }

  const lineAt = (position: number) => text.slice(0, position).split('\n').length;
  try {
    value('', 0, 0);
    if (next() !== undefined || at < text.length) fault('the end of the file is expected');
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { ok: false, line: lineAt(at), expected: error.message };
  }
  return {
    ok: true,
    lineOf(path) {
      for (let known = path; known !== ''; known = known.replace(/(?:^|\.)[^.[]*$|\[[^.[]*$/, '')) {
        const position = positions.get(known);
        if (position !== undefined) return lineAt(position);
      }
      return undefined;
    },
  };
}

/** Puts the line before each sentence that begins with a path of the text; of a text that is no JSON, the expected token follows. */
export function withLines(text: string, problems: readonly string[]): readonly string[] {
  const lines = jsonLines(text);
  if (!lines.ok) {
    const { line, expected } = lines;
    return problems.map((problem) =>
      problem.startsWith('line ') ? problem : `line ${line}: ${problem}: ${expected}`,
    );
  }
  return problems.map((problem) => {
    const [path = ''] = /^[^\s:]+/.exec(problem) ?? [];
    const line = lines.lineOf(path);
    return line === undefined ? problem : `line ${line}: ${problem}`;
  });
}

/** Why a text is no JSON, with the line. */
export function syntaxProblem(text: string, name: string): string {
  const lines = jsonLines(text);
  return lines.ok ? `${name} is no JSON` : `line ${lines.line}: ${name} is no JSON: ${lines.expected}`;
}
