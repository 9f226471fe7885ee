export { createRequest, type RequestFields } from './message/create-request.ts';
export { createResponse, type ResponseFields } from './message/create-response.ts';
export { type CSeq, parseCSeq, printCSeq } from './message/cseq.ts';
export type { Flow } from './message/flow.ts';
export { createHeaders, splitList } from './message/headers.ts';
export { addressOfHost, hostOfAddress, isHost } from './message/host.ts';
export type { ByteString, SipHeaders, SipMessage, SipRequest, SipResponse } from './message/message.ts';
export { type NameAddr, parseNameAddr, printNameAddr, tagOf } from './message/name-addr.ts';
export { type Param, paramOf, parseParams, printParams, withParam } from './message/params.ts';
export {
  DEFAULT_PARSE_LIMITS,
  type ParseLimits,
  type ParseOutcome,
  type ParseProblem,
  parseMessage,
} from './message/parse-message.ts';
export { printMessage } from './message/print-message.ts';
export { reasonPhrase } from './message/reason-phrases.ts';
export { sameUri } from './message/same-uri.ts';
export { isToken, parseDeltaSeconds, parseDigits, quote, unquote } from './message/tokens.ts';
export {
  parseSipUri,
  parseUri,
  printUri,
  type SipUri,
  type TelUri,
  uriScheme,
} from './message/uri.ts';
export { decodeUtf8, encodeUtf8 } from './message/utf8.ts';
export {
  BRANCH_COOKIE,
  createVia,
  parseVia,
  printVia,
  type ResponseTarget,
  responseTarget,
  stampReceived,
  type Via,
} from './message/via.ts';
