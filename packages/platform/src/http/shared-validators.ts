import { AjvCompiler, type BuildCompilerFromPool } from '@fastify/ajv-compiler';

/** What Fastify calls to compile the schema of a part of a route. */
type Compile = ReturnType<BuildCompilerFromPool>;
type Route = Parameters<Compile>[0];

const build = AjvCompiler();
const pools = new WeakMap<Compile, Compile>();

/**
 * Compiles each schema once a process, however many interfaces are created in it. Tests create hundreds: Ajv took 0.5 s of CPU for the
 * schemas of one. Two schemas are the same when their JSON is, because Ajv reads nothing else of them.
 */
export const sharedValidators: BuildCompilerFromPool = (externals, options) => {
  const compile = build(externals, options);
  const known = pools.get(compile);
  if (known !== undefined) return known;
  const validators = new Map<string, ReturnType<Compile>>();
  const compileOnce = ((route: Route & { readonly schema: object }) => {
    const key = JSON.stringify(route.schema);
    const validator = validators.get(key) ?? compile(route);
    validators.set(key, validator);
    return validator;
  }) as Compile;
  pools.set(compile, compileOnce);
  return compileOnce;
};
