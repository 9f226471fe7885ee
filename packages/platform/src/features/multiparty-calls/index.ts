export { createMultipartyCalls, type MultipartyCallsDeps } from './multiparty-calls.ts';
