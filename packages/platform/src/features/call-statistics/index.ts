export { createCallStatistics } from './create-call-statistics.ts';
