import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { keepBuild } from './keep-build.ts';

/**
 * `node build-console.ts`: builds the console, unless its sources are as at the last build, and prints the directory of its files.
 * `node build-console.ts <directory>` copies them into that directory.
 */
const root = join(import.meta.dirname, '..');
const workspace = join(root, '../..');

const sources = [
  'apps/console/{src,build}/**/*.*',
  'apps/console/{index.html,package.json}',
  'packages/{contract,voice-sdk,sip}/src/**/*.ts',
];

async function main(target: string | undefined): Promise<string> {
  const built = await builtFromSources();
  if (target === undefined) return built;
  cpSync(built, target, { recursive: true });
  return target;
}

async function builtFromSources(): Promise<string> {
  const dist = join(root, 'dist');
  const name = `of-${sourcesHash()}`;
  if (existsSync(join(dist, name))) return join(dist, name);
  const own = join(dist, `new-${process.pid}`);
  await buildInto(own);
  return keepBuild(own, dist, name);
}

function sourcesHash(): string {
  const hash = createHash('sha256');
  for (const path of globSync(sources, { cwd: workspace }).sort()) {
    if (path.endsWith('.test.ts')) continue;
    hash.update(path).update(readFileSync(join(workspace, path)));
  }
  return hash.digest('hex').slice(0, 16);
}

async function buildInto(directory: string): Promise<void> {
  // They take a second to load, which a server whose console is built already does not wait for.
  const [{ build }, { svelte }] = await Promise.all([import('vite'), import('@sveltejs/vite-plugin-svelte')]);
  await build({
    configFile: false,
    root,
    base: '/console/',
    logLevel: 'error',
    // Errors and nothing else go to the caller: the directory is all of the output.
    plugins: [svelte({ configFile: false, compilerOptions: { runes: true } })],
    html: { cspNonce: '__NONCE__' },
    build: {
      outDir: directory,
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      // An image in the script would be a data URL that no cache shares.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  });
  for (const name of globSync('assets/*.{js,css,svg}', { cwd: directory })) {
    const path = join(directory, name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
  }
}

process.stdout.write(`${await main(process.argv[2])}\n`);
