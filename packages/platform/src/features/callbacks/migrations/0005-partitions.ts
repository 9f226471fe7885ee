import type { Migration } from '@jackfield/ports';

/**
 * The log becomes partitions by `callback_id`, which begins with its time; `kernel/time-partitions.ts` creates and drops them. What the table
 * had before is one of them, up to a day from now or, if there are identifiers of another kind, up to the last one. `callbacks_rest` holds
 * what no other partition does. The table is locked while PostgreSQL reads it once.
 */
export const callbackPartitions: Migration = {
  name: 'callbacks/0005-partitions',
  reshapes: 'its statements name the table, which has the same columns, key and indexes',
  sql: '',
  postgres: `
ALTER TABLE callbacks RENAME TO callbacks_before;
ALTER INDEX callbacks_pkey RENAME TO callbacks_before_pkey;
ALTER INDEX callbacks_by_main_account RENAME TO callbacks_before_by_main_account;
ALTER INDEX callbacks_by_resource RENAME TO callbacks_before_by_resource;
ALTER INDEX callbacks_by_age RENAME TO callbacks_before_by_age;
ALTER INDEX callbacks_of_subaccount RENAME TO callbacks_before_of_subaccount;
CREATE TABLE callbacks (LIKE callbacks_before INCLUDING DEFAULTS, PRIMARY KEY (callback_id)) PARTITION BY RANGE (callback_id);
CREATE INDEX callbacks_by_main_account ON callbacks (main_account, created_at);
CREATE INDEX callbacks_by_resource ON callbacks (resource, created_at);
CREATE INDEX callbacks_by_age ON callbacks (created_at);
CREATE INDEX callbacks_of_subaccount ON callbacks (account, created_at) WHERE account <> main_account;
CREATE TABLE callbacks_rest PARTITION OF callbacks DEFAULT;
DO $$
DECLARE
  tomorrow TEXT := lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint + 86400000), 12, '0');
BEGIN
  EXECUTE format('ALTER TABLE callbacks ATTACH PARTITION callbacks_before FOR VALUES FROM (MINVALUE) TO (%L)',
    greatest(substr(tomorrow, 1, 8) || '-' || substr(tomorrow, 9), (SELECT max(callback_id) || '0' FROM callbacks_before)));
END $$;
`,
};
