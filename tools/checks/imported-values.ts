import { parseFileSync } from '@swc/core';

/**
 * The specifiers from which the file at `path` imports or exports anything that is not written `import type` or `export type`. Node
 * loads a module for `import { type A }` as well, so those count.
 */
export function importedValues(path: string): ReadonlySet<string> {
  const { body } = parseFileSync(path, { syntax: 'typescript', target: 'es2022' });
  const specifiers = new Set<string>();
  for (const item of body) {
    if (item.type === 'ImportDeclaration' || item.type === 'ExportNamedDeclaration') {
      if (item.source && !item.typeOnly) specifiers.add(item.source.value);
    } else if (item.type === 'ExportAllDeclaration') specifiers.add(item.source.value);
  }
  return specifiers;
}
