import fc from 'fast-check';

/** Loaded before every test file: the random tests of one run share the seed that `npm test` prints. */
const seed = process.env.TEST_SEED;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
