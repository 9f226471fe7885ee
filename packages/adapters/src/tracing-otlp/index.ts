export { createCallTracing } from './call-tracing.ts';
