import type { Migration } from '@jackfield/ports';

/** The machine on whose disk a file waits for its store, or for its removal; without a name any machine removes it. */
export const filesOfANode: Migration = {
  name: 'recordings/0006-files-of-a-node',
  sql: `
ALTER TABLE recording_files_to_keep ADD COLUMN node TEXT NOT NULL DEFAULT '';
ALTER TABLE recording_files_to_remove ADD COLUMN node TEXT NOT NULL DEFAULT '';
`,
};
