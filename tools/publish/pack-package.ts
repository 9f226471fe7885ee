import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Fields of a package.json that packing changes or reads. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}

/**
 * Packs one package of the workspace for other projects: JavaScript and declarations of the files that its public API reaches, its README and
 * the licence. Node strips no types below node_modules, so the package is built. Returns the tarball's path; throws with the compiler's output.
 */
export function packPackage(name: string, into: string): string {
  const source = join(root, 'packages', name);
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest;
  mkdirSync(into, { recursive: true });
  // Inside the workspace, so that the compiler finds what the package depends on.
  mkdirSync(join(root, 'dist'), { recursive: true });
  const staging = mkdtempSync(join(root, 'dist', `${name}-`));
  try {
    build(source, Object.values({ ...manifest.exports, ...manifest.bin }), staging);
    const published = {
      // Not in the workspace, whose Node comes with it: npm would warn of each package under another one.
      engines: { node: '>=24' },
      ...manifest,
      exports: mapped(manifest.exports, (path) => ({
        types: built(path, '.d.ts'),
        default: built(path, '.js'),
      })),
      ...(manifest.bin === undefined ? {} : { bin: mapped(manifest.bin, (path) => built(path, '.js')) }),
      files: ['dist'],
    };
    writeFileSync(join(staging, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
    for (const path of Object.values(manifest.bin ?? {})) chmodSync(join(staging, built(path, '.js')), 0o755);
    cpSync(join(source, 'README.md'), join(staging, 'README.md'));
    cpSync(join(root, 'LICENSE'), join(staging, 'LICENSE'));
    const packed = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', into], staging);
    const told = JSON.parse(packed) as readonly { filename: string }[] | Record<string, { filename: string }>;
    const [tarball] = Object.values(told) as { filename: string }[];
    return join(into, tarball!.filename);
  } finally {
    rmSync(staging, { recursive: true });
  }
}

function build(source: string, doors: readonly string[], staging: string): void {
  const config = {
    extends: relative(staging, join(root, 'tsconfig.json')),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: join(source, 'src'),
      outDir: join(staging, 'dist'),
    },
    files: doors.map((door) => join(source, door)),
    // What packages without types of their own are declared as.
    include: [join(source, 'src/**/*.d.ts')],
  };
  const file = join(staging, 'tsconfig.json');
  writeFileSync(file, JSON.stringify(config));
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', file], root);
  rmSync(file);
}

/** `./src/a.ts` as it is found in the tarball. */
function built(path: string, ending: '.js' | '.d.ts'): string {
  return path.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, ending);
}

function mapped<Value>(record: Readonly<Record<string, string>>, map: (path: string) => Value) {
  return Object.fromEntries(Object.entries(record).map(([key, path]) => [key, map(path)]));
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stdout + stderr}`);
  return stdout;
}
