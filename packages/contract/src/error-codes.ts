/** What one code of an error says: the status that it is sent with, when, and what the client does about it. */
export interface ErrorCodeRow {
  readonly status: number;
  /** Sentences of docs/reference/errors.md, in Markdown. */
  readonly when: string;
  readonly remedy: string;
}

/**
 * The closed table of `error_code`: a code is here or is never sent. `docs/reference/errors.md` and the OpenAPI document are made of it. Codes
 * are stable; their sentences are not.
 */
export const errorCodes = {
  'invalid-parameter': {
    status: 400,
    when: 'A parameter or header has a wrong type, length, range or character, names something that does not exist, or does not go with the others.',
    remedy: 'Correct the parameter that the sentence names.',
  },
  'missing-parameter': {
    status: 400,
    when: 'A required parameter is absent.',
    remedy: 'Send it.',
  },
  'unknown-parameter': {
    status: 400,
    when: 'The body has a name that the operation does not know and that looks like a misspelling of a known name.',
    remedy: 'Use the name that the sentence proposes.',
  },
  'malformed-body': {
    status: 400,
    when: 'The body is not JSON in UTF-8, not an object, nested too deeply, or of another length than announced.',
    remedy: 'Send one JSON object with `Content-Type: application/json`.',
  },
  'malformed-request': {
    status: 400,
    when: 'The request is not well-formed HTTP, its path or query is not percent-encoded UTF-8, or a header stands twice that may stand once.',
    remedy: 'Build the request with an HTTP client library; encode each part of the path.',
  },
  'limit-reached': {
    status: 400,
    when: 'One more would exceed a limit of the resource, such as `max_participants` of a multiparty call, or a fifth recording of one call.',
    remedy: 'End or remove one, or raise the limit when you create the resource.',
  },
  'incorrect-otp': {
    status: 400,
    when: 'The code is not that of the Verify session, or the session is over. Both look the same.',
    remedy: 'Ask for the code again, or start a new session.',
  },
  unauthenticated: {
    status: 401,
    when: 'No credentials, wrong ones, or those of an account that may not act on this path. All look the same.',
    remedy: 'Send HTTP Basic with `auth_id` and `auth_token` of the account in the path or of its parent.',
  },
  forbidden: {
    status: 403,
    when: 'A delivery receipt names a message gateway that does not exist, or has another secret; a request with the cookie of the web console comes from another page, or needs another role.',
    remedy: 'Correct the URL of receipts at the gateway; log in with a role that may do it.',
  },
  'not-found': {
    status: 404,
    when: 'The path or the resource does not exist, or belongs to another account; a call that has ended is not live, and a recording that does not run cannot be stopped.',
    remedy: 'Check the path and the identifier.',
  },
  'method-not-allowed': {
    status: 405,
    when: 'The path exists, not with this method.',
    remedy: 'Use a method of the `Allow` header.',
  },
  'request-timeout': {
    status: 408,
    when: 'The request did not arrive completely in time.',
    remedy: 'Send it again, without pauses.',
  },
  conflict: {
    status: 409,
    when: 'The name is taken, or the resource is in a state that does not allow this: a sound cannot be played to a call that is not answered yet.',
    remedy: 'Read the resource and decide again.',
  },
  'idempotency-mismatch': {
    status: 409,
    when: 'The `Idempotency-Key` was used with another path or body within 24 hours.',
    remedy: 'Use a new key for a new request.',
  },
  'idempotency-outcome-unknown': {
    status: 409,
    when: 'An earlier request with this `Idempotency-Key` is under way at another node, or was cut off.',
    remedy: 'Read the resource; repeat with a new key only what was not done.',
  },
  'payload-too-large': {
    status: 413,
    when: 'The body is longer than accepted.',
    remedy: 'Send less.',
  },
  'unsupported-media-type': {
    status: 415,
    when: 'The body is of a type that is not understood.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  'range-not-satisfiable': {
    status: 416,
    when: 'A `Range` header names bytes that the file does not have.',
    remedy: 'Request bytes within the length in `Content-Range`.',
  },
  'missing-trunk-parameter': {
    status: 422,
    when: 'A required parameter of a trunk, a trunk credential, an IP access control list or an origination URI is absent.',
    remedy: 'Send it.',
  },
  'too-many-requests': {
    status: 429,
    when: 'More requests, failed authentications, connections or attempts than the window allows.',
    remedy: 'Wait for `Retry-After` seconds.',
  },
  'headers-too-large': {
    status: 431,
    when: 'The headers of the request are larger than accepted.',
    remedy: 'Send fewer or shorter headers.',
  },
  internal: {
    status: 500,
    when: 'A fault of the platform, logged under the `api_id`.',
    remedy: 'Report the `api_id` to the operator.',
  },
  unavailable: {
    status: 503,
    when: 'The database, a file or another part of the platform cannot be reached at this moment.',
    remedy:
      'Try again after `Retry-After` seconds; with an `Idempotency-Key` where that matters: the same key works again where nothing was made.',
  },
  draining: {
    status: 503,
    when: 'This node starts, drains or ends, and accepts no new work.',
    remedy: 'Try again after `Retry-After` seconds, or at another node.',
  },
  'no-capacity': {
    status: 503,
    when: 'A new call is requested while every node has as many as it carries (`JACKFIELD_CALLS`, or its RTP ports).',
    remedy: 'Try again after `Retry-After` seconds, when calls have ended.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeRow>>;

export type ErrorCode = keyof typeof errorCodes;

/** Every code, in the order of the table. */
export const allErrorCodes = Object.keys(errorCodes) as readonly ErrorCode[];
