export { createHttpEgress, type HttpEgressOptions } from './http-egress.ts';
