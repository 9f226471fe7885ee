import type { Clock } from '@jackfield/ports';

/** Repeats the last answer for `freshMs`, then asks again. A failure is not repeated. */
export function askedSeldom<Answer>(
  clock: Clock,
  ask: () => Promise<Answer>,
  freshMs = 5_000,
): () => Promise<Answer> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let answer: Promise<Answer> | undefined;
  return () => {
    if (answer === undefined || clock.now() - askedAt > freshMs) {
      askedAt = clock.now();
      const asked = ask();
      answer = asked;
      asked.catch(() => {
        if (answer === asked) answer = undefined;
      });
    }
    return answer;
  };
}
