import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import type { SourceFile } from './check-result.ts';

const roots = ['packages', 'apps', 'tools', 'conformance', 'benchmarks', 'examples'];
const documents = ['*.md', 'docs/**/*.{md,json}', 'tools/checks/*.json', 'deploy/**/*.*'];

/** Every TypeScript file, document, manifest and file of deploy of the workspace under `root`. */
export async function readSourceFiles(root: string): Promise<readonly SourceFile[]> {
  const patterns = [
    'package.json',
    ...documents,
    ...roots.flatMap((directory) => [`${directory}/**/*.{ts,svelte,md,xml}`, `${directory}/*/package.json`]),
  ];
  const paths: string[] = [];
  for await (const path of glob(patterns, {
    cwd: root,
    exclude: (name) => /(^|\/)(node_modules|dist|data)$/.test(name),
  })) {
    paths.push(path.replaceAll('\\', '/'));
  }
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
