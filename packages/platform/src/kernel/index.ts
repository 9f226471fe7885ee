export { createOutbox, outboxMigrations } from './outbox.ts';
