import type { Migration } from '@jackfield/ports';

/** `sandbox_messages_due` is for receipts that a crash has delayed; the other indexes answer the list and the removal of old messages. */
export const sandboxMessagesTable: Migration = {
  name: 'sandbox-messages/0001-sandbox-messages',
  sql: `
CREATE TABLE sandbox_messages (
  message_uuid TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  main_account TEXT NOT NULL,
  sender TEXT NOT NULL,
  recipient TEXT NOT NULL,
  text TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  receipt_at BIGINT
);
CREATE INDEX sandbox_messages_by_main_account ON sandbox_messages (main_account, created_at, message_uuid);
CREATE INDEX sandbox_messages_by_account ON sandbox_messages (account, created_at, message_uuid);
CREATE INDEX sandbox_messages_by_recipient ON sandbox_messages (main_account, recipient, created_at);
CREATE INDEX sandbox_messages_by_time ON sandbox_messages (created_at);
CREATE INDEX sandbox_messages_due ON sandbox_messages (receipt_at) WHERE receipt_at IS NOT NULL;
`,
};
