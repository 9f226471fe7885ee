import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownProcess } from './find-tests.ts';

/** Test files that run one after another in one process. */
export interface TestGroup {
  readonly name: string;
  readonly paths: readonly string[];
}

/**
 * Groups the files of a package, because starting Node and loading the package costs most files more than their tests do: 2 s of CPU
 * where a platform is loaded. Conformance files that start programs keep processes of their own, as do those of `ownProcess`. The groups come evenly
 * between the files that stand alone: those compute, these mostly wait.
 */
export function groupTests(paths: readonly string[], size = 24): readonly TestGroup[] {
  const alone: TestGroup[] = [];
  const packages = new Map<string, string[]>();
  for (const path of paths) {
    const [area = '', name = ''] = path.split('/');
    const hasPrograms = area === 'conformance' && name !== 'simulated';
    if (hasPrograms || ownProcess.includes(path)) {
      alone.push({ name: path.replace(/\.test\.ts$/, '').replaceAll('/', '-'), paths: [path] });
    } else {
      const key = area === 'tools' ? area : `${area}-${name}`;
      packages.set(key, [...(packages.get(key) ?? []), path]);
    }
  }
  const groups: TestGroup[] = [];
  for (const [name, members] of packages) {
    const count = Math.ceil(members.length / size);
    for (let index = 0; index < count; index++)
      groups.push({
        name: `${name}-${index + 1}`,
        // Neighbours in a folder are alike slow: dealt out like cards, not cut into stretches.
        paths: members.filter((_path, at) => at % count === index),
      });
  }
  return interleaved(alone, groups);
}

/** Both lists in their order, each spread evenly over the whole. */
function interleaved<Item>(left: readonly Item[], right: readonly Item[]): readonly Item[] {
  const at = (items: readonly Item[]) =>
    items.map((item, index) => ({ item, at: (index + 0.5) / items.length }));
  return [...at(left), ...at(right)].sort((one, other) => one.at - other.at).map(({ item }) => item);
}

/**
 * Writes one file for each group, which Node's runner starts as a process of its own; resolves with their paths. The runner sorts
 * by path, so their names begin with a number. Each file is a suite: its hooks reach its own tests only.
 */
export async function writeGroups(
  groups: readonly TestGroup[],
  { root, directory }: { readonly root: string; readonly directory: string },
): Promise<readonly string[]> {
  await mkdir(directory, { recursive: true });
  const entries: string[] = [];
  for (const [index, { name, paths }] of groups.entries()) {
    const entry = join(directory, `${String(index + 1).padStart(3, '0')}-${name}.mjs`);
    await writeFile(entry, paths.length === 1 ? soleEntry(join(root, paths[0]!)) : sharedEntry(root, paths));
    entries.push(entry);
  }
  return entries;
}

/** As if the file had been started itself: reports and the ports of conformance tests go by the name of the main file. */
function soleEntry(path: string): string {
  return `process.argv[1] = ${JSON.stringify(path)};\nawait import(${JSON.stringify(pathToFileURL(path).href)});\n`;
}

function sharedEntry(root: string, paths: readonly string[]): string {
  const suites = paths.map((path) => {
    const url = pathToFileURL(join(root, path)).href;
    const name = JSON.stringify(path);
    return `describe(${name}, async () => {
  before(beginFile);
  after(() => countFile(${name}));
  await import(${JSON.stringify(url)});
});\n`;
  });
  const counting = JSON.stringify(new URL('./process-cost.ts', import.meta.url).href);
  return `import { after, before, describe } from 'node:test';\nimport { beginFile, countFile } from ${counting};\n${suites.join('')}`;
}
