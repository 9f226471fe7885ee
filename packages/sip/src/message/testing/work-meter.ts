import { type SteppedPattern, steppedPattern } from './backtracking.ts';

/**
 * The cost of a piece of work without a clock: the characters that string functions read, and the steps of patterns, backtracks
 * included. Concatenation and slices are nearly free, as in the engine.
 */
export function workOf(work: () => void): number {
  let steps = 0;
  const text = String.prototype;
  const { indexOf, lastIndexOf, charCodeAt, includes, startsWith, slice } = text;
  const { split, replace, trim, toLowerCase, toUpperCase } = text;
  const { exec } = RegExp.prototype;
  const { join } = Array.prototype;
  const call = Reflect.apply;
  /** Counts the whole string. */
  const whole = <Args extends unknown[], Result>(original: (this: string, ...args: Args) => Result) =>
    function (this: string, ...args: Args): Result {
      steps += this.length + 1;
      return call(original, this, args) as Result;
    };
  const patched = {
    indexOf(this: string, sought: string, from = 0): number {
      const found: number = call(indexOf, this, [sought, from]);
      steps += (found < 0 ? this.length : found) - from + 1;
      return found;
    },
    lastIndexOf: whole(lastIndexOf),
    charCodeAt(this: string, index: number): number {
      steps += 1;
      return call(charCodeAt, this, [index]);
    },
    startsWith(this: string, sought: string, from?: number): boolean {
      steps += sought.length;
      return call(startsWith, this, [sought, from]);
    },
    slice(this: string, from?: number, to?: number): string {
      steps += 1;
      return call(slice, this, [from, to]);
    },
    includes: whole(includes),
    split: whole(split as (this: string, separator: string) => string[]),
    replace: whole(replace as (this: string, pattern: string, by: string) => string),
    trim: whole(trim),
    toLowerCase: whole(toLowerCase),
    toUpperCase: whole(toUpperCase),
  };
  const originals = Object.fromEntries(Object.keys(patched).map((name) => [name, text[name as 'trim']]));
  const patterns = new Map<string, SteppedPattern>();

  /** The stepped form of a pattern; compile it with the meter off. */
  function stepped(pattern: RegExp): SteppedPattern {
    const key = `${pattern.flags}/${pattern.source}`;
    const known = patterns.get(key) ?? steppedPattern(pattern);
    patterns.set(key, known);
    return known;
  }

  function meteredExec(this: RegExp, subject: string): RegExpExecArray | null {
    const from = this.global || this.sticky ? this.lastIndex : 0;
    const found: RegExpExecArray | null = call(exec, this, [subject]);
    off();
    const walked = stepped(this).match(subject, from);
    on();
    steps += walked.steps;
    const end = found === null ? -1 : found.index + found[0].length;
    if (walked.end !== end) throw new Error(`${this} ends at ${end}, walked at ${walked.end}`);
    return found;
  }

  function on(): void {
    Object.assign(text, patched);
    RegExp.prototype.exec = meteredExec;
    Array.prototype.join = function (separator?: string): string {
      const joined: string = call(join, this, [separator]);
      steps += joined.length;
      return joined;
    };
  }

  function off(): void {
    Object.assign(text, originals);
    RegExp.prototype.exec = exec;
    Array.prototype.join = join;
  }

  on();
  try {
    work();
  } finally {
    off();
  }
  return steps;
}
