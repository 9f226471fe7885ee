import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { build, type OutputFile, type Plugin } from 'esbuild';

/** A file that a worker or a child process of the server starts with: no import names it. */
const startedFile = /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g;

/** Packages that read a file beside their own, or load a native one. */
const apart = [
  '@echogarden/*',
  '@scalar/*',
  'koffi',
  'libopus-wasm',
  'mpg123-decoder',
  'pino',
  'pino-pretty',
  'wasm-media-encoders',
];

/** What CommonJS modules expect to find, for those that the bundle has inside. */
const commonJs = `import { createRequire as createRequireOfBundle } from 'node:module';
const require = createRequireOfBundle(import.meta.url);
const { filename: __filename, dirname: __dirname } = import.meta;
`;

const oldMs = 86_400_000;

/**
 * Bundles the server and what it starts, for the tests that start it often: 1,500 modules of TypeScript take 0.8 s of CPU at each start.
 * Built from the sources at each run of the tests, below `cache`, in a directory whose name is the hash of the bundle: a run beside this one
 * never loses its own. Resolves with the file that starts the server.
 */
export async function bundleServer(root: string, cache: string): Promise<string> {
  const started = startedFiles(root);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: {
      main: 'apps/server/src/main.ts',
      ...Object.fromEntries(started.map((path) => [builtName(root, path), path])),
    },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: apart,
    banner: { js: commonJs },
    plugins: [nameBuiltFiles(root)],
    outdir: 'dist',
    write: false,
    logLevel: 'error',
  });
  // One directory above the built files, as above the sources: the server reads its version there.
  const manifest = await readFile(join(root, 'apps/server/package.json'));
  const directory = join(cache, hashOf(outputFiles, manifest));
  await removeOld(cache);
  if (existsSync(directory)) await utimes(directory, new Date(), new Date());
  else await writeBundle(outputFiles, manifest, directory, cache);
  // Also for a server that a test starts as another user.
  await chmod(directory, 0o755);
  return join(directory, 'dist/main.js');
}

function startedFiles(root: string): readonly string[] {
  const sources = globSync('packages/adapters/src/**/*.ts', { cwd: root }).filter(
    (path) => !/test/.test(path),
  );
  return sources.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return [...text.matchAll(startedFile)].map(([, name]) => join(root, path, '..', `${name}.ts`));
  });
}

/** All built files are in one directory: those with the same name in several folders keep their folders' names. */
function builtName(root: string, path: string): string {
  return relative(root, path).replace(/\.ts$/, '').replaceAll(sep, '-');
}

function nameBuiltFiles(root: string): Plugin {
  return {
    name: 'files that workers start with',
    setup(building) {
      building.onLoad({ filter: /[\\/]adapters[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        const contents = text.replaceAll(
          startedFile,
          (_, name) => `new URL('./${builtName(root, join(path, '..', `${name}.ts`))}.js', import.meta.url)`,
        );
        return contents === text ? undefined : { contents, loader: 'ts' };
      });
      // The console and the guide are those of the clone, not some beside the bundle as in the published package.
      building.onLoad({ filter: /[\\/](console|guide)-pages\.ts$/ }, ({ path }) => {
        const text = readFileSync(path, 'utf8');
        return {
          contents: text.replaceAll('import.meta.dirname', JSON.stringify(dirname(path))),
          loader: 'ts',
        };
      });
    },
  };
}

function hashOf(files: readonly OutputFile[], manifest: Buffer): string {
  const hash = createHash('sha256').update(manifest);
  for (const { path, contents } of files) hash.update(path).update(contents);
  return hash.digest('hex').slice(0, 16);
}

async function writeBundle(
  files: readonly OutputFile[],
  manifest: Buffer,
  directory: string,
  cache: string,
): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'draft-'));
  await mkdir(join(draft, 'dist'));
  for (const { path, contents } of files) await writeFile(join(draft, 'dist', basename(path)), contents);
  await writeFile(join(draft, 'package.json'), manifest);
  try {
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // A run beside this one was faster.
    if (!existsSync(directory)) throw error;
  }
}

async function removeOld(cache: string): Promise<void> {
  if (!existsSync(cache)) return;
  for (const name of await readdir(cache)) {
    const path = join(cache, name);
    if (Date.now() - (await stat(path)).mtimeMs > oldMs) await rm(path, { recursive: true, force: true });
  }
}
