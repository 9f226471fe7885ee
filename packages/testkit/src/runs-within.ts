/**
 * A property of a random test whose runs begin within this time; later runs are left out, so a slow machine makes fewer. Each run that
 * has begun is waited for: `interruptAfterTimeLimit` of fast-check leaves one behind, whose calls would then outlive their test.
 */
export function runsWithin<Values extends unknown[]>(
  limitMs: number,
  run: (...values: Values) => Promise<void>,
): (...values: Values) => Promise<void> {
  const from = performance.now();
  return async (...values) => {
    if (performance.now() - from < limitMs) await run(...values);
  };
}
