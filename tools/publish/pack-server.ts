import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildPackage, compile, readManifest, root, writeManifest } from './build-package.ts';
import { packed } from './pack-package.ts';
import { runCommand } from './run-command.ts';

const server = join(root, 'apps/server');
const consoleBuilder = join(root, 'apps/console/build/build-console.ts');
const guideBuilder = join(root, 'tools/docs-site/build.ts');
const ours = /^@jackfield\//;

/**
 * Platforms that have a package of the Node.js that runs the server under an older one. The package `node` of the workspace fetches it by an
 * install script, which npm asks its user to approve; of optional dependencies npm takes the package of its platform.
 */
const nodePlatforms = ['linux-x64', 'linux-arm64', 'win-x64'];

/**
 * Packs the server as `jackfield`, whose command is the server's. The libraries of the workspace are inside the tarball, so that it installs by
 * itself, globally as well, and so are the built files of the console and of the guide; npm fetches only other people's packages. Returns the tarball's path; throws with the compiler's output.
 */
export function packServer(into: string): string {
  return packed('jackfield', into, (staging) => {
    const libraries = librariesOf(server);
    for (const library of libraries) {
      const directory = join(staging, 'node_modules', library);
      mkdirSync(directory, { recursive: true });
      buildPackage(directoryOf(library), directory, { declarations: false });
      leaveDependenciesToServer(directory);
    }
    compile(server, [join(server, 'src/main.ts')], staging, false);
    buildLauncher(staging);
    runCommand(process.execPath, [consoleBuilder, join(staging, 'console')], root);
    runCommand(process.execPath, [guideBuilder, join(staging, 'guide')], root);
    for (const file of ['README.md', 'LICENSE']) cpSync(join(root, file), join(staging, file));
    writeManifest(staging, manifestOf(libraries));
  });
}

/**
 * The manifest of the server names what its libraries depend on. Named by a library as well, npm counts such a package among the files of this tarball where it
 * installs it below the server, because another package has another version of it, and leaves an empty directory.
 */
function leaveDependenciesToServer(library: string): void {
  const { dependencies: _, ...manifest } = readManifest(library);
  writeManifest(library, manifest);
}

function buildLauncher(staging: string): void {
  mkdirSync(join(staging, 'bin'));
  const launcher = readFileSync(join(server, 'bin/jackfield.js'), 'utf8');
  const sources = '../src/main.ts';
  if (!launcher.includes(sources)) throw new Error(`bin/jackfield.js does not name ${sources}`);
  writeFileSync(join(staging, 'bin/jackfield.js'), launcher.replace(sources, '../dist/main.js'), {
    mode: 0o755,
  });
}

function manifestOf(libraries: readonly string[]): object {
  const { description, keywords } = readManifest(root) as unknown as Record<string, unknown>;
  const { version, bin } = readManifest(server);
  const all = [server, ...libraries.map(directoryOf)].map(
    (source) => readManifest(source).dependencies ?? {},
  );
  const { node, ...dependencies } = Object.fromEntries(
    all.flatMap((each) => Object.entries(each)).sort(([one], [other]) => one.localeCompare(other)),
  );
  return {
    name: 'jackfield',
    version,
    description,
    keywords,
    license: 'Apache-2.0',
    type: 'module',
    // The launcher starts the Node 24 among the dependencies under an older one.
    engines: { node: '>=18' },
    bin,
    files: ['bin', 'console', 'dist', 'guide'],
    dependencies,
    optionalDependencies: Object.fromEntries(nodePlatforms.map((platform) => [`node-${platform}`, node])),
    bundleDependencies: libraries,
  };
}

/** The packages of the workspace that this one needs, directly or through another one. */
function librariesOf(source: string, found = new Set<string>()): readonly string[] {
  for (const name of Object.keys(readManifest(source).dependencies ?? {})) {
    if (!ours.test(name) || found.has(name)) continue;
    found.add(name);
    librariesOf(directoryOf(name), found);
  }
  return [...found].sort();
}

function directoryOf(library: string): string {
  return join(root, 'packages', library.replace(ours, ''));
}
