export { callMigrations } from '../create-calls.ts';
export { createCallStore } from '../store.ts';
export { emptyLeg } from './call-rows.ts';
