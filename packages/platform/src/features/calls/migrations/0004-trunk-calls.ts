import type { Migration } from '@jackfield/ports';

const filters = [
  'trunk_id',
  'from_number',
  'to_number',
  'hangup_code',
  'hangup_source',
  'direction',
] as const;

const indexes = (view: 'main' | 'sub', column: string, rows: string) =>
  [undefined, ...filters]
    .map((filter) => {
      const name = `trunk_calls_of_${view}${filter === undefined ? '' : `_by_${filter}`}`;
      const columns = [column, ...(filter === undefined ? [] : [filter]), 'ended_at', 'call_uuid'].join(', ');
      return `CREATE INDEX ${name} ON calls (${columns}) WHERE ${rows};`;
    })
    .join('\n');

/**
 * The records of calls through trunks are those of the calls themselves, for the owner of the trunk. Each filter has its index for
 * both views; other calls are in none of them, and cost nothing more.
 */
export const trunkCalls: Migration = {
  name: 'calls/0004-trunk-calls',
  sql: `
ALTER TABLE calls ADD COLUMN trunk_id TEXT;
ALTER TABLE calls ADD COLUMN trunk_account TEXT;
ALTER TABLE calls ADD COLUMN trunk_main_account TEXT;
${indexes('main', 'trunk_main_account', 'ended_at IS NOT NULL AND trunk_id IS NOT NULL')}
${indexes('sub', 'trunk_account', 'ended_at IS NOT NULL AND trunk_id IS NOT NULL AND trunk_account <> trunk_main_account')}
`,
};
