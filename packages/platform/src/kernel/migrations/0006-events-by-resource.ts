import type { Migration } from '@jackfield/ports';

/** For readers of the event stream that follow one call or one multiparty call. */
export const eventsByResource: Migration = {
  name: 'kernel/0006-events-by-resource',
  sql: 'CREATE INDEX outbox_by_resource ON outbox (resource, written_in, id);',
};
