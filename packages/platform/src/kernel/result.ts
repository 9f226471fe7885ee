import type { Problem } from './problem.ts';

/** What a command answers: its value, or the problem that refused it. */
export type Result<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Sentences about parts of the request that were not followed: `warnings` of the answer. */
      readonly warnings?: readonly string[];
    }
  | { readonly ok: false; readonly problem: Problem };

export function accepted<T>(value: T, warnings: readonly string[] = []): Result<T> {
  return warnings.length === 0 ? { ok: true, value } : { ok: true, value, warnings };
}

/** Fits a `Result` of any value. */
export function refused(problem: Problem): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem };
}
