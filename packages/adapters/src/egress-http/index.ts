export { createHttpEgress, type HttpEgress, type HttpEgressOptions } from './http-egress.ts';
