export { hangupNames } from '@jackfield/ports';
export { callMigrations } from '../create-calls.ts';
export { statusOfEndedCall } from '../domain/call-status.ts';
export { explainEnd } from '../domain/end-explanation.ts';
export { createCallStore } from '../store.ts';
export { emptyLeg } from './call-rows.ts';
