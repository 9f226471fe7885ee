import { chmodSync, cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { runCommand } from './run-command.ts';

export const root = join(import.meta.dirname, '../..');

/** Fields of a package.json that packing changes or reads. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A file that a worker or a child process starts with: no import names it. */
const startedFile = /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g;

export function readManifest(source: string): Manifest {
  return JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
}

/**
 * Builds a package of the workspace for other projects, because Node strips no types below `node_modules`: JavaScript and declarations of the
 * files that its exports, its programs and its workers reach, its package.json, its README and the licence. `into` exists, inside the workspace,
 * so that the compiler finds what the package depends on. Declarations are left out on demand. Throws with the compiler's output.
 */
export function buildPackage(source: string, into: string, { declarations = true } = {}): void {
  const { devDependencies: _, ...manifest } = readManifest(source) as Manifest & {
    devDependencies?: unknown;
  };
  const { exports = {}, bin = {} } = manifest;
  compile(
    source,
    [...filesOf(source, Object.values({ ...exports, ...bin })), ...started(source)],
    into,
    declarations,
  );
  const published = {
    // Not in the workspace, whose Node comes with it: npm would warn of each package under another one.
    engines: { node: '>=24' },
    ...manifest,
    exports: mapped(exports, (path) => ({
      ...(declarations ? { types: built(path, '.d.ts') } : {}),
      default: built(path, '.js'),
    })),
    ...(manifest.bin === undefined ? {} : { bin: mapped(bin, (path) => built(path, '.js')) }),
    files: ['dist'],
  };
  writeManifest(into, published);
  for (const path of Object.values(bin)) chmodSync(join(into, built(path, '.js')), 0o755);
  if (existsSync(join(source, 'README.md'))) cpSync(join(source, 'README.md'), join(into, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(into, 'LICENSE'));
}

export function writeManifest(into: string, manifest: object): void {
  writeFileSync(join(into, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Compiles these files of a package, and what they import of it, to `dist`. */
export function compile(source: string, files: readonly string[], into: string, declaration: boolean): void {
  const own = join(source, 'tsconfig.json');
  const config = {
    // A package for browsers has settings of its own.
    extends: relative(into, existsSync(own) ? own : join(root, 'tsconfig.json')),
    compilerOptions: {
      noEmit: false,
      declaration,
      // `npm run check` has checked the types. Declarations come out the same, in a tenth of the time.
      noCheck: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(source, 'src'),
      outDir: join(into, 'dist'),
    },
    files,
    // Declarations for other people's packages that have none.
    include: [join(root, 'packages/*/src/**/*.d.ts')],
    exclude: [],
  };
  const file = join(into, 'tsconfig.json');
  writeFileSync(file, JSON.stringify(config));
  runCommand(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', file], root);
  for (const built of globSync('dist/**/*.js', { cwd: into })) nameBuiltFiles(join(into, built));
}

/** The compiler renames files in imports alone. */
function nameBuiltFiles(file: string): void {
  const text = readFileSync(file, 'utf8');
  const named = text.replaceAll(startedFile, "new URL('$1.js', import.meta.url)");
  if (named !== text) writeFileSync(file, named);
}

/** The files of the package that its workers and child processes start with. */
function started(source: string): readonly string[] {
  const sources = globSync('src/**/*.ts', { cwd: source }).filter(
    (path) => !/test|testing/.test(basename(path)),
  );
  return sources.flatMap((path) => {
    const text = readFileSync(join(source, path), 'utf8');
    return [...text.matchAll(startedFile)].map(([, name]) => join(source, path, '..', `${name}.ts`));
  });
}

// `./src/a.ts`, and all files that a pattern of `exports` matches.
function filesOf(source: string, paths: readonly string[]): readonly string[] {
  return paths.flatMap((path) => globSync(path, { cwd: source }).map((file) => join(source, file)));
}

/** `./src/a.ts` as the tarball has it. */
function built(path: string, ending: '.js' | '.d.ts'): string {
  return path.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, ending);
}

function mapped<Value>(record: Readonly<Record<string, string>>, map: (path: string) => Value) {
  return Object.fromEntries(Object.entries(record).map(([key, path]) => [key, map(path)]));
}
