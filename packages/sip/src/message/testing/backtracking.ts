/**
 * A regular expression that counts the steps of a backtracking engine: each test of a class or character, each branch and each
 * backtrack is one step. Supports the syntax that this package uses.
 */
export interface SteppedPattern {
  /** The end of the match at or after `start` or -1, and its steps. */
  match(subject: string, start: number): { readonly end: number; readonly steps: number };
}

type Instruction =
  | { readonly op: 'one'; readonly accepts: (code: number) => boolean }
  | { readonly op: 'split'; readonly first: number; readonly second: number }
  | { readonly op: 'jump'; readonly to: number }
  | { readonly op: 'assert'; readonly holds: (subject: string, at: number) => boolean }
  | { readonly op: 'look'; readonly program: readonly Instruction[]; readonly negative: boolean }
  | { readonly op: 'match' };

/** Above this the pattern counts as exponential. */
const MOST_STEPS = 20_000_000;

/** Compiles a pattern; throws for unsupported syntax. */
export function steppedPattern({ source, flags }: RegExp): SteppedPattern {
  const program: Instruction[] = [];
  const reader = { source, at: 0, ignoresCase: flags.includes('i') };
  alternatives(reader, program);
  if (reader.at < source.length) throw new Error(`${source}: ")" without "("`);
  program.push({ op: 'match' });
  const isSticky = flags.includes('y');
  return {
    match(subject, start) {
      let steps = 0;
      for (let from = start; from <= subject.length; from += 1) {
        const found = run(program, subject, from);
        steps += found.steps;
        if (found.end >= 0 || isSticky) return { end: found.end, steps };
        if (steps > MOST_STEPS) throw new Error(`${source}: more than ${MOST_STEPS} steps`);
      }
      return { end: -1, steps };
    },
  };
}

function run(program: readonly Instruction[], subject: string, from: number): { end: number; steps: number } {
  const waiting: number[] = [];
  let pc = 0;
  let at = from;
  for (let steps = 1; ; steps += 1) {
    const next = program[pc]!;
    let isDead = false;
    if (next.op === 'match') return { end: at, steps };
    if (next.op === 'one') {
      isDead = at >= subject.length || !next.accepts(subject.charCodeAt(at));
      at += 1;
      pc += 1;
    } else if (next.op === 'split') {
      waiting.push(next.second, at);
      pc = next.first;
    } else if (next.op === 'jump') pc = next.to;
    else if (next.op === 'assert') {
      isDead = !next.holds(subject, at);
      pc += 1;
    } else {
      const looked = run(next.program, subject, at);
      steps += looked.steps;
      isDead = looked.end >= 0 === next.negative;
      pc += 1;
    }
    if (steps > MOST_STEPS) throw new Error(`more than ${MOST_STEPS} steps`);
    if (!isDead) continue;
    if (waiting.length === 0) return { end: -1, steps };
    at = waiting.pop()!;
    pc = waiting.pop()!;
  }
}

interface Reader {
  readonly source: string;
  at: number;
  readonly ignoresCase: boolean;
}

function alternatives(reader: Reader, out: Instruction[]): void {
  const start = out.length;
  const ends: number[] = [];
  sequence(reader, out);
  while (reader.source[reader.at] === '|') {
    reader.at += 1;
    // The previous instructions become the first branch: they and their jump targets move by one.
    shift(out, start, 1);
    ends.push(out.length);
    out.push({ op: 'jump', to: -1 });
    out[start] = { op: 'split', first: start + 1, second: out.length };
    const before = out.length;
    const rest: Instruction[] = [];
    sequence(reader, rest);
    out.push(...moved(rest, before));
    for (let index = 0; index < ends.length - 1; index += 1) ends[index]! += 1;
  }
  for (const end of ends) out[end] = { op: 'jump', to: out.length };
}

function sequence(reader: Reader, out: Instruction[]): void {
  while (reader.at < reader.source.length && !'|)'.includes(reader.source[reader.at]!)) {
    const piece: Instruction[] = [];
    atom(reader, piece);
    repeated(reader, piece, out);
  }
}

function atom(reader: Reader, out: Instruction[]): void {
  const { source } = reader;
  const here = source[reader.at]!;
  reader.at += 1;
  if (here === '(') {
    const kind = /^\?[:=!]/.exec(source.slice(reader.at, reader.at + 2))?.[0] ?? '';
    reader.at += kind.length;
    const inner: Instruction[] = [];
    alternatives(reader, inner);
    reader.at += 1;
    if (kind === '?=' || kind === '?!') {
      out.push({ op: 'look', program: [...inner, { op: 'match' }], negative: kind === '?!' });
    } else out.push(...inner);
  } else if (here === '[') {
    const end = endOfClass(source, reader.at);
    one(reader, `[${source.slice(reader.at, end)}]`, out);
    reader.at = end + 1;
  } else if (here === '^') out.push({ op: 'assert', holds: (_, at) => at === 0 });
  else if (here === '$') out.push({ op: 'assert', holds: (subject, at) => at === subject.length });
  else if (here === '\\') {
    const escaped = /^(?:x[0-9a-f]{2}|u[0-9a-f]{4}|.)/i.exec(source.slice(reader.at))![0];
    reader.at += escaped.length;
    if (escaped === 'b') out.push({ op: 'assert', holds: isWordEdge });
    else one(reader, `\\${escaped}`, out);
  } else one(reader, here === '/' ? '\\/' : here, out);
}

/** One character: the real engine decides which of the 256 of a byte string match. */
function one(reader: Reader, pattern: string, out: Instruction[]): void {
  const alone = new RegExp(`^${pattern}$`, reader.ignoresCase ? 'i' : '');
  const table = Array.from({ length: 257 }, (_, code) => plainTest(alone, String.fromCharCode(code)));
  out.push({ op: 'one', accepts: (code) => table[Math.min(code, 256)]! });
}

// The original: the meter may have patched RegExp.prototype.exec while a pattern is compiled.
const { exec } = RegExp.prototype;
function plainTest(pattern: RegExp, text: string): boolean {
  return exec.call(pattern, text) !== null;
}

function repeated(reader: Reader, piece: readonly Instruction[], out: Instruction[]): void {
  const found = exec.call(/^(?:[*+?]|\{(\d+)(,?)(\d*)\})/, reader.source.slice(reader.at));
  if (found === null) {
    out.push(...moved(piece, out.length));
    return;
  }
  reader.at += found[0].length;
  const isLazy = reader.source[reader.at] === '?';
  if (isLazy) reader.at += 1;
  const [least, most] = bounds(found);
  for (let count = 0; count < least; count += 1) out.push(...moved(piece, out.length));
  const split = (enter: number, leave: number): Instruction =>
    isLazy ? { op: 'split', first: leave, second: enter } : { op: 'split', first: enter, second: leave };
  if (most === Number.POSITIVE_INFINITY) {
    const loop = out.length;
    const leave = loop + piece.length + 2;
    out.push(split(loop + 1, leave), ...moved(piece, loop + 1), { op: 'jump', to: loop });
    return;
  }
  const leave = out.length + (most - least) * (piece.length + 1);
  for (let count = least; count < most; count += 1) {
    out.push(split(out.length + 1, leave));
    out.push(...moved(piece, out.length));
  }
}

function bounds(found: RegExpExecArray): readonly [least: number, most: number] {
  const [sign, least, comma, most] = found;
  if (sign === '*') return [0, Number.POSITIVE_INFINITY];
  if (sign === '+') return [1, Number.POSITIVE_INFINITY];
  if (sign === '?') return [0, 1];
  if (comma === '') return [Number(least), Number(least)];
  return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
}

/** Instructions with jump targets from 0, relocated to `by`. */
function moved(piece: readonly Instruction[], by: number): readonly Instruction[] {
  return piece.map((each): Instruction => {
    if (each.op === 'split') return { op: 'split', first: each.first + by, second: each.second + by };
    return each.op === 'jump' ? { op: 'jump', to: each.to + by } : each;
  });
}

function shift(out: Instruction[], start: number, by: number): void {
  const tail = moved(out.splice(start), by);
  for (let index = 0; index < by; index += 1) out.push({ op: 'match' });
  out.push(...tail);
}

function endOfClass(source: string, start: number): number {
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === ']') return at;
  }
  throw new Error(`${source}: a class without end`);
}

function isWordEdge(subject: string, at: number): boolean {
  const isWord = (index: number): boolean =>
    index >= 0 && index < subject.length && exec.call(/\w/, subject[index]!) !== null;
  return isWord(at - 1) !== isWord(at);
}
