/** Counters of a user agent since its creation; integers that only rise. */
export interface UserAgentCounters {
  requestsReceived: number;
  responsesReceived: number;
  messagesSent: number;
  /** Retransmitted requests that a server transaction absorbed. */
  requestsRepeated: number;
  /** Texts that do not parse as SIP. */
  malformed: number;
  /** Requests of RFC 2543 elements, whose branch lacks the magic cookie. */
  oldBranch: number;
  /** Responses that match no client transaction. */
  strayResponses: number;
  /** ACKs that match neither a transaction nor a dialog. */
  strayAcks: number;
  /** Requests refused because a table is full. */
  overloaded: number;
  /** Answers dropped because they were larger than the UDP request of an unauthenticated sender. */
  amplifying: number;
  /** Requests that the guard dropped without an answer. */
  unwanted: number;
  transportFailures: number;
  timeouts: number;
  /** Exceptions thrown by listeners. */
  listenerErrors: number;
}

/** Counters at zero. */
export function createCounters(): UserAgentCounters {
  return {
    requestsReceived: 0,
    responsesReceived: 0,
    messagesSent: 0,
    requestsRepeated: 0,
    malformed: 0,
    oldBranch: 0,
    strayResponses: 0,
    strayAcks: 0,
    overloaded: 0,
    amplifying: 0,
    unwanted: 0,
    transportFailures: 0,
    timeouts: 0,
    listenerErrors: 0,
  };
}
