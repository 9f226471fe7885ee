/** The longest wait for anything that has to come: a machine that runs the tests may be five times slower than usual. */
export const patienceMs = 60_000;
