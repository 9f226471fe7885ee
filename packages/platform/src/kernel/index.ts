export { incarnationMigrations } from './incarnation.ts';
export { createOutbox, outboxMigrations } from './outbox.ts';
export { boundAt } from './partition-plan.ts';
export { createTimePartitions } from './time-partitions.ts';
