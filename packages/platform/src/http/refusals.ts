import type { Socket } from 'node:net';
import { isUnavailable, type Logger, quoted } from '@jackfield/ports';
import type { ConnectionError, FastifyError, FastifyRequest } from 'fastify';
import { type Problem, problem, statusOf, unavailable } from '../kernel/problem.ts';
import { errorText } from './answers.ts';
import { refusalOf } from './parameter-refusal.ts';

// An import of node:http also loads the HTTP client of Node for its names WebSocket and MessageEvent: 80 ms of CPU and 3 MB.
const { maxHeaderSize, STATUS_CODES } = process.getBuiltinModule('node:http');

/** Carries a problem out of code that can only throw, such as a body parser. */
export class RefusedRequest extends Error {
  readonly problem: Problem;

  constructor(refusal: Problem) {
    super(refusal.sentence);
    this.problem = refusal;
  }
}

/** The problem for the client of a thrown error: a refusal of the request, or an internal fault without details. */
export function problemOf(error: FastifyError | Error, request: FastifyRequest, log: Logger): Problem {
  if ('validation' in error && error.validation !== undefined) {
    const part = error.validationContext ?? 'body';
    const schema = request.routeOptions.schema as Record<string, unknown> | undefined;
    const data = { body: request.body, querystring: request.query, params: request.params }[part as 'body'];
    return refusalOf(error.validation, schema?.[part], data);
  }
  const { code, statusCode } = error as FastifyError;
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const given = quoted(request.headers['content-type'] ?? '');
      return problem('unsupported-media-type', `Content-Type must be application/json, not ${given}`);
    }
    case 'FST_ERR_CTP_BODY_TOO_LARGE': {
      const { bodyLimit } = request.routeOptions;
      return problem('payload-too-large', `the body must not be longer than ${bodyLimit} bytes`);
    }
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH': {
      const announced = quoted(request.headers['content-length'] ?? '');
      return problem('malformed-body', `the body must have the length of Content-Length, ${announced}`);
    }
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return problem(
        'malformed-request',
        `a part of the path must not be longer than ${longestPathPart} characters`,
      );
    case 'FST_ERR_BAD_URL':
      return badUrl;
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return problem('malformed-request', 'the request could not be read: it must be well-formed HTTP');
  }
  return problemOfFault(error, request, log);
}

/** What the log says of a request. */
type FaultyRequest = Pick<FastifyRequest, 'id' | 'method' | 'url'> & Partial<Pick<FastifyRequest, 'account'>>;

/** The problem for the client of an error that an operation has thrown. */
export function problemOfFault(
  error: Error,
  { id, method, url, account }: FaultyRequest,
  log: Logger,
): Problem {
  if (error instanceof RefusedRequest) return error.problem;
  const of = account ? { account: account.authId } : {};
  if (isUnavailable(error)) {
    log.warn({ api_id: id, ...of, err: error }, 'request refused: database unavailable');
    return unavailable('database', databaseRetrySeconds);
  }
  log.error({ api_id: id, ...of, method, url, err: error }, 'request failed: internal fault');
  return problem('internal', 'internal fault: report the api_id to the operator of the platform');
}

/** Characters of one part of a path; a list of member identifiers is one part. */
export const longestPathPart = 2048;

/** A restart or a failover of the database lasts at least so long. */
const databaseRetrySeconds = 5;

export const badUrl: Problem = problem(
  'malformed-request',
  'the path and the query must be percent-encoded UTF-8 without NUL',
);

/** Percent-encoding that decodes to UTF-8 and holds no NUL, which one of the databases cannot store. */
export function isReadableUrl(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    return !decodeURIComponent(url).includes('\0');
  } catch {
    return false;
  }
}

/** Bytes that are not HTTP reach no route; they are answered with a body of the same form. */
export function refuseConnection(error: ConnectionError, socket: Socket, apiId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = problemOfConnection(error);
  const status = statusOf(refusal);
  const body = errorText(refusal, apiId);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function problemOfConnection({ code }: ConnectionError): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problem('headers-too-large', `the headers must not be longer than ${maxHeaderSize} bytes`);
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('request-timeout', 'the request did not arrive completely in time: send it again');
    default:
      return problem('malformed-request', 'the request must be well-formed HTTP');
  }
}
