export { incarnationMigrations } from './incarnation.ts';
export { createOutbox, outboxMigrations } from './outbox.ts';
