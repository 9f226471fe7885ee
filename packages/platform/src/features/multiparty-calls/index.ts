export {
  createMultipartyCalls,
  type MultipartyCallsDeps,
  type MultipartyCallsFeature,
} from './multiparty-calls.ts';
