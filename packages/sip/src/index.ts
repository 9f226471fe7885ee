export { type Authorization, parseAuthorization } from './auth/authorization.ts';
export {
  type Challenge,
  type ChallengeFields,
  challenges,
  DIGEST_ALGORITHMS,
  parseChallenge,
} from './auth/challenge.ts';
export {
  type AuthorizedRequest,
  authorize,
  type DigestCredentials,
  type DigestUse,
} from './auth/digest-client.ts';
export {
  createHa1,
  type DigestAlgorithm,
  type Equals,
  type Ha1,
  type Hash,
} from './auth/digest-response.ts';
export {
  type Claim,
  createDigestServer,
  type DigestServer,
  type DigestServerOptions,
  decoyHa1,
  type Judgement,
  verifyDigest,
} from './auth/digest-server.ts';
export {
  createNonces,
  type IssuedNonce,
  type NonceOptions,
  type Nonces,
  type NonceUse,
} from './auth/nonces.ts';
export { ALLOWED_METHODS, type HeaderPairs, SUPPORTED_OPTIONS } from './dialog/answers.ts';
export { keyOfInfo, type PressedKey } from './dialog/info-digit.ts';
export { parseReplaces, type Replaces } from './dialog/replaces.ts';
export type { Content, EndReason, OfferMethod } from './dialog/session-state.ts';
export { DEFAULT_SESSION_INTERVAL, type SessionInterval } from './dialog/session-timer.ts';
export { type Attempt, triesNext } from './locate/failover.ts';
export type { LocatedTarget } from './locate/location.ts';
export type { ResponseFields } from './message/build-response.ts';
export { createRequest, type RequestFields } from './message/create-request.ts';
export { createResponse } from './message/create-response.ts';
export { type CSeq, parseCSeq, printCSeq } from './message/cseq.ts';
export type { Flow, Protocol } from './message/flow.ts';
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
export type { Binding } from './registration/binding.ts';
export {
  DEFAULT_REGISTRATION_LIMITS,
  decideRegistration,
  type RegistrationDecision,
  type RegistrationLimits,
  type RegistrationRequest,
} from './registration/decide-registration.ts';
export { RFC3261_TIMERS, type TimerDurations } from './transaction/timers.ts';
export type {
  AnswerFields,
  Call,
  CallListener,
  DialledCall,
  DialogName,
  DialogSnapshot,
  IncomingInvite,
} from './user-agent/call-listener.ts';
export type { UserAgentCounters } from './user-agent/counters.ts';
export type { InviteOptions, InviteTarget } from './user-agent/invite-options.ts';
export type { RequestOptions, RequestOutcome } from './user-agent/outgoing-request.ts';
export { isReachedOver, type SendTarget } from './user-agent/send-target.ts';
export {
  createTimerWheel,
  type TimerWheel,
  type WheelClock,
  type WheelTimer,
} from './user-agent/timer-wheel.ts';
export { createUserAgent } from './user-agent/user-agent.ts';
export type {
  Guard,
  IncomingRequest,
  ReplyFields,
  UserAgent,
  UserAgentCensus,
  UserAgentDeps,
  UserAgentLimits,
} from './user-agent/user-agent-options.ts';
