import { AjvCompiler, type BuildCompilerFromPool } from '@fastify/ajv-compiler';

/** What Fastify calls to compile the schema of a part of a route. */
type Compile = ReturnType<BuildCompilerFromPool>;
type Route = Parameters<Compile>[0];

type Validator = ReturnType<Compile>;

const build = AjvCompiler();
const pools = new WeakMap<Compile, Compile>();
/** Compiles a schema that no request has needed yet. */
const waiting = new Set<() => void>();

/**
 * Compiles a schema at the first request that needs it, and once a process, however many interfaces are created in it. Ajv takes 0.4 s of CPU
 * for the schemas of all routes: a start waits for none of them, and tests create hundreds of interfaces. Two schemas are the same when their
 * JSON is, because Ajv reads nothing else of them.
 */
export const sharedValidators: BuildCompilerFromPool = (externals, options) => {
  const compile = build(externals, options);
  const known = pools.get(compile);
  if (known !== undefined) return known;
  const ofJson = new Map<string, Validator>();
  // The schemas of most routes are constants, which need no JSON to be found.
  const ofSchemas = new WeakMap<object, Validator>();
  const compileOnce = ((route: Route & { readonly schema: object }) => {
    const known = ofSchemas.get(route.schema);
    if (known !== undefined) return known;
    const json = JSON.stringify(route.schema);
    const validator = ofJson.get(json) ?? compiledLater(() => compile(route));
    ofJson.set(json, validator);
    ofSchemas.set(route.schema, validator);
    return validator;
  }) as Compile;
  pools.set(compile, compileOnce);
  return compileOnce;
};

/** Compiles the schemas that no request has needed yet; returns their number. Throws where Ajv refuses one. */
export function compileWaiting(): number {
  const all = [...waiting];
  for (const compile of all) compile();
  return all.length;
}

function compiledLater(compile: () => Validator): Validator {
  let compiled: Validator | undefined;
  const compiledNow = (): Validator => {
    waiting.delete(compiledNow);
    compiled ??= compile();
    return compiled;
  };
  waiting.add(compiledNow);
  const validator = ((data: unknown) => {
    const validate = compiledNow();
    const outcome = validate(data);
    // Where Fastify looks for the reasons of a refusal.
    Object.assign(validator, { errors: validate.errors });
    return outcome;
  }) as Validator;
  return validator;
}
