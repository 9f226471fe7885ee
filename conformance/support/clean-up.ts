/** Carries out every step although an earlier one fails, and then fails with all their errors: nothing that a step would have stopped keeps the test process alive. */
export async function cleanUp(...steps: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
}
