import { isTest, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';

const migrationFile = /\/migrations\/(\d{4})-[a-z0-9-]+\.ts$/;

/**
 * Migrations of one folder have numbers of their own. That every feature is in the platform's list is a rule of `features.ts`; a migration
 * that its feature does not list is an unused file.
 */
export const migrations: SourceCheck = {
  name: 'migrations',
  find: (files) =>
    numberedTwice(
      files.filter(({ path }) => path.endsWith('.ts') && !isTest(path) && migrationFile.test(path)),
    ),
};

function numberedTwice(found: readonly SourceFile[]): readonly Violation[] {
  const first = new Map<string, string>();
  return found.flatMap(({ path }) => {
    const numbered = path.slice(0, path.lastIndexOf('/') + 5);
    const other = first.get(numbered);
    first.set(numbered, other ?? path);
    return other === undefined ? [] : [{ path, line: 1, sentence: `has the number of ${other}` }];
  });
}
