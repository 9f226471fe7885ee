/** The longest wait for anything that has to come. A machine of tests may be five times slower than usual, and what never comes is no faster. */
export const patienceMs = 60_000;
