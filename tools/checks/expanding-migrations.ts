import { isTest, type SourceCheck, type SourceFile, type Violation } from './check-result.ts';

const migrationFile = /\/migrations\/\d{4}-[a-z0-9-]+\.ts$/;
const isStatement = /^(?:alter|create|delete|do|drop|insert|merge|select|truncate|update|with)\b/i;
/** Templates, which functions of the file may put together, and SQL in quotes. */
const sqlTexts = /`([^`]*)`|\b(?:sql|postgres): '([^']*)'/g;

/**
 * A migration only adds, or says in `contracts` what it takes from a release that does not know it, or in `reshapes` how that release goes on
 * (docs/decisions/0061-migrations-that-only-add.md).
 */
export const expandingMigrations: SourceCheck = {
  name: 'expanding migrations',
  find: (files) =>
    files.filter(({ path }) => migrationFile.test(path) && !isTest(path)).flatMap(violationsOf),
};

function violationsOf({ path, text }: SourceFile): readonly Violation[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '');
  const sql = [...code.matchAll(sqlTexts)].map((match) => match[1] ?? match[2]).join(';');
  const taken = takenBy(sql.replace(/\$\{[^}]*\}/g, ' '));
  const said = /^ {2}(contracts|reshapes):\s*'/m.exec(code)?.[1];
  if (taken !== undefined && said === undefined) {
    const sentence = `${taken}: only add, say in 'contracts' what an earlier release loses, or in 'reshapes' how it goes on`;
    return [{ path, line: 1, sentence }];
  }
  if (taken === undefined && said !== undefined) {
    return [{ path, line: 1, sentence: `it only adds: remove '${said}'` }];
  }
  return [];
}

/** What the first statement that does more than add would do to a release that does not know it. */
function takenBy(sql: string): string | undefined {
  const made = new Set<string>();
  for (const raw of sql.replace(/--[^\n]*/g, '').split(';')) {
    const statement = raw.replace(/\s+/g, ' ').trim();
    // Templates also hold parts of statements, such as the columns of several tables.
    if (!isStatement.test(statement)) continue;
    const table = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/i.exec(statement)?.[1];
    if (table !== undefined) made.add(table);
    else if (!adds(statement, made)) return `'${statement.slice(0, 80)}' does more than add`;
  }
  return undefined;
}

/** `made` holds the tables of this migration, and its columns as `table.column`. */
function adds(statement: string, made: Set<string>): boolean {
  if (/^CREATE INDEX /i.test(statement)) return true;
  // Rows that the other release writes could violate it, unless only this migration's table has it.
  const unique = /^CREATE UNIQUE INDEX \w+ ON (\w+)/i.exec(statement)?.[1];
  if (unique !== undefined) return made.has(unique);
  const column = /^ALTER TABLE (\w+) ADD COLUMN (.*)$/i.exec(statement);
  if (column !== null) {
    const [, table = '', definition = ''] = column;
    made.add(`${table}.${definition.split(' ')[0]}`);
    const isRequired = /\bNOT NULL\b/i.test(definition) && !/\bDEFAULT\b/i.test(definition);
    return made.has(table) || !(isRequired || /\b(UNIQUE|REFERENCES|CHECK)\b/i.test(definition));
  }
  if (/^INSERT INTO (\w+)/i.test(statement)) return true;
  // Other columns have a meaning for the other release.
  const filled = /^UPDATE (\w+) SET (\w+) = /i.exec(statement);
  return filled !== null && made.has(`${filled[1]}.${filled[2]}`);
}
