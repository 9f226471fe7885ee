const { NODE_COMPILE_CACHE } = process.env;

/** The variable of a run of the tests that saves each server the time of stripping the types: 0.7 s of CPU. */
export const compileCache: Readonly<Record<string, string>> =
  NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
