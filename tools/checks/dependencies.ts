import { posix } from 'node:path';
import { isTest, isTypeScript, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';
import { importsOf } from './imports-of.ts';
import { partOf } from './workspace-place.ts';

interface Manifest {
  readonly name?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  /** What the user of the package brings. */
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * What a package imports stands in its own package.json. Tests may also use its devDependencies, the root's, and every package of the
 * workspace; folders outside packages/ and apps/ use the root's.
 */
export const dependencies: SourceCheck = {
  name: 'dependencies',
  find(files) {
    const manifests = new Map<string, Manifest>();
    for (const file of files) {
      if (posix.basename(file.path) === 'package.json') {
        manifests.set(posix.dirname(file.path), JSON.parse(file.text) as Manifest);
      }
    }
    return files.filter(isTypeScript).flatMap((file) => undeclared(file, manifests));
  },
};

function undeclared(file: SourceFile, manifests: ReadonlyMap<string, Manifest>): readonly Violation[] {
  const root = manifests.get('.') ?? {};
  const own = manifests.get(file.path.split('/').slice(0, 2).join('/'));
  const part = partOf(file.path);
  const mayUse = new Set(Object.keys({ ...own?.dependencies, ...own?.peerDependencies }));
  if (own === undefined || isTest(file.path)) {
    for (const manifest of own === undefined ? manifests.values() : [root, own]) {
      for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))
        mayUse.add(name);
    }
  }
  return importsOf(file).flatMap(({ target, line, specifier }) => {
    if (target.kind === 'workspace') {
      if (target.package === part || own === undefined || isTest(file.path)) return [];
      if (mayUse.has(`@jackfield/${target.package}`)) return [];
    } else if (target.kind !== 'npm' || mayUse.has(target.package)) {
      return [];
    }
    const where = own === undefined ? 'package.json' : `the package.json of ${part}`;
    return [{ path: file.path, line, sentence: `'${specifier}' is not among the dependencies of ${where}` }];
  });
}
