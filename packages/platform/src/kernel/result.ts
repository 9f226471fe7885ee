import type { Problem } from './problem.ts';

/** What a command answers: its value, or the problem that refused it. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem };

export function accepted<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** Fits a `Result` of any value. */
export function refused(problem: Problem): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem };
}
