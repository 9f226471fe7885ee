import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { compile, type Manifest, readManifest, root, writeManifest } from './build-package.ts';
import { packed } from './pack-package.ts';

/**
 * Packs a package with the parts of the workspace that it reaches inside its own files, so that it installs by itself and brings no other
 * package of the workspace. Its dependencies are the packages of others that these files import. The declarations are those that the public ones
 * reach; none of them may name a package of the workspace.
 */
export async function packBundle(name: string, into: string): Promise<string> {
  const source = join(root, 'packages', name);
  const manifest = readManifest(source);
  const entries = Object.values({ ...manifest.exports, ...manifest.bin });
  mkdirSync(join(root, 'dist'), { recursive: true });
  const staging = mkdtempSync(join(root, 'dist', `bundle-${name}-`));
  try {
    const imported = await bundle(source, entries, join(staging, 'dist'));
    writeDeclarations(source, entries, staging);
    return packed(name, into, (at) => {
      cpSync(join(staging, 'dist'), join(at, 'dist'), { recursive: true });
      for (const file of ['README.md', 'LICENSE']) {
        cpSync(join(file === 'LICENSE' ? root : source, file), join(at, file));
      }
      writeManifest(at, published(manifest, imported));
    });
  } finally {
    rmSync(staging, { recursive: true });
  }
}

/** Bundles the entries; gives the names of the packages that they import. */
async function bundle(source: string, entries: readonly string[], into: string): Promise<readonly string[]> {
  mkdirSync(into, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: source,
    entryPoints: [...entries],
    outdir: into,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    metafile: true,
    logLevel: 'error',
    plugins: [{ name: 'others-stay-outside', setup: keepOthersOutside }],
  });
  const paths = Object.values(metafile.outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => packageOf(path)),
  );
  return [...new Set(paths.filter((path) => !path.startsWith('node:')))].sort();
}

type Setup = NonNullable<NonNullable<Parameters<typeof build>[0]['plugins']>[number]['setup']>;

const keepOthersOutside: Setup = ({ onResolve }) => {
  onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === 'entry-point' || path.startsWith('@jackfield/') ? undefined : { path, external: true },
  );
};

function packageOf(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

function writeDeclarations(source: string, entries: readonly string[], staging: string): void {
  const all = join(staging, 'all');
  mkdirSync(all);
  compile(
    source,
    entries.map((entry) => join(source, entry)),
    all,
    true,
  );
  const reached = new Set<string>();
  const reach = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, 'utf8');
    const ours = /from ['"](@jackfield\/[^'"]+)['"]/.exec(text)?.[1];
    if (ours !== undefined) {
      throw new Error(
        `${relative(all, file)} is public and names ${ours}: its types have to stand in the package itself`,
      );
    }
    for (const [, path = ''] of text.matchAll(/from ['"](\.[^'"]+)\.(?:js|ts)['"]/g)) {
      reach(join(dirname(file), `${path}.d.ts`));
    }
  };
  for (const entry of entries)
    reach(join(all, 'dist', entry.replace(/^\.\/src\//, '').replace(/\.ts$/, '.d.ts')));
  for (const file of globSync('**/*.d.ts', { cwd: join(all, 'dist') })) {
    if (!reached.has(join(all, 'dist', file))) continue;
    mkdirSync(dirname(join(staging, 'dist', file)), { recursive: true });
    writeFileSync(join(staging, 'dist', file), readFileSync(join(all, 'dist', file)));
  }
}

function published(manifest: Manifest, imported: readonly string[]): object {
  const { exports = {}, bin, dependencies: _, ...rest } = manifest;
  const built = (path: string, ending: string) =>
    path.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, ending);
  const mapped = <Value>(record: Readonly<Record<string, string>>, map: (path: string) => Value) =>
    Object.fromEntries(Object.entries(record).map(([key, path]) => [key, map(path)]));
  const versions = versionsOfOthers();
  return {
    ...rest,
    engines: { node: '>=24' },
    exports: mapped(exports, (path) => ({ types: built(path, '.d.ts'), default: built(path, '.js') })),
    ...(bin === undefined ? {} : { bin: mapped(bin, (path) => built(path, '.js')) }),
    files: ['dist'],
    dependencies: Object.fromEntries(
      imported.map((name) => {
        const version = versions.get(name);
        if (version === undefined)
          throw new Error(`no package of the workspace has ${name} among its dependencies`);
        return [name, version];
      }),
    ),
  };
}

/** The versions that packages of the workspace depend on. */
function versionsOfOthers(): ReadonlyMap<string, string> {
  const manifests = globSync('packages/*/package.json', { cwd: root });
  return new Map(
    manifests.flatMap((path) => Object.entries(readManifest(join(root, dirname(path))).dependencies ?? {})),
  );
}
