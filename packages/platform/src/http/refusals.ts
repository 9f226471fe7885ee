import type { Socket } from 'node:net';
import type { Logger } from '@jackfield/ports';
import type { ConnectionError, FastifyError, FastifyRequest } from 'fastify';
import { type Problem, problem, unavailable } from '../kernel/problem.ts';
import { errorText } from './answers.ts';
import { refusalOf } from './parameter-refusal.ts';

/** Carries a problem out of a place that can only throw, such as a body parser. */
export class RefusedRequest extends Error {
  readonly problem: Problem;

  constructor(refusal: Problem) {
    super(refusal.sentence);
    this.problem = refusal;
  }
}

/** What a thrown error means to the client: a refusal of what was sent, or a fault of ours without any detail. */
export function problemOf(error: FastifyError | Error, request: FastifyRequest, log: Logger): Problem {
  if (error instanceof RefusedRequest) return error.problem;
  if ('validation' in error && error.validation !== undefined) {
    const part = error.validationContext ?? 'body';
    const schema = request.routeOptions.schema as Record<string, unknown> | undefined;
    const data = { body: request.body, querystring: request.query, params: request.params }[part as 'body'];
    return refusalOf(error.validation, schema?.[part], data);
  }
  const { code, statusCode } = error as FastifyError;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return problem('unsupported-media-type', 'the body must be JSON: send Content-Type: application/json');
  }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return problem('payload-too-large', 'the body is larger than this API takes');
  }
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
    return problem('invalid-parameter', 'a part of the path is longer than any identifier');
  }
  if (code === 'FST_ERR_BAD_URL') return badUrl;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return problem('malformed-body', 'the request could not be read');
  }
  if (code === 'database-unavailable') {
    log.warn({ api_id: request.id, err: error }, 'A request found no database.');
    return unavailable('database', databaseRetrySeconds);
  }
  log.error(
    { api_id: request.id, method: request.method, url: request.url, err: error },
    'A request failed.',
  );
  return problem('internal', 'the platform failed; quote the api_id when you report it');
}

/** What a restart or a failover of the database takes at best. */
const databaseRetrySeconds = 5;

export const badUrl: Problem = problem(
  'invalid-parameter',
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

/** What cannot be parsed as HTTP never reaches a route; it gets the same kind of body. */
export function refuseConnection(error: ConnectionError, socket: Socket, apiId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, sentence] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'the headers are larger than this API takes']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'the request did not arrive in time']
        : ['400 Bad Request', 'this is not a well-formed HTTP request'];
  const body = errorText(apiId, sentence);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
