import { Readable } from 'node:stream';
import { type Logger, quoted } from '@jackfield/ports';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { problem, unavailable } from '../kernel/problem.ts';
import { sendProblem } from './answers.ts';
import type { ApiRequest } from './api-request.ts';
import { type ByteRange, readByteRange } from './byte-range.ts';
import { describedBy, descriptionOf, documented } from './documents.ts';
import type { FileRoute, ServedFile } from './file-route.ts';
import { isKnown } from './kept-answers.ts';
import { requestSchemaOf } from './request-schema.ts';
import type { RouteGroup } from './route.ts';

export interface FileDeps {
  /** Authenticates and counts, as for every operation. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined>;
  readonly log: Logger;
  requestOf(request: FastifyRequest): ApiRequest<unknown, unknown, unknown>;
}

/** Seconds after which a client asks again for a file that cannot be read now. */
const retrySeconds = 10;

/** GET and HEAD of the files of a group. */
export function registerFiles(
  scope: FastifyInstance,
  prefix: string,
  group: RouteGroup,
  deps: FileDeps,
): readonly string[] {
  return (group.files ?? []).map((file) => {
    const url = `${prefix}${file.path}`;
    for (const method of ['GET', 'HEAD'] as const) {
      scope.route({
        method,
        url,
        // Fastify would answer HEAD by GET, and read the whole file for its length.
        exposeHeadRoute: false,
        schema: {
          ...requestSchemaOf({ params: file.params }),
          headers: rangeHeader,
          ...(method === 'HEAD' ? { hide: true } : {}),
        },
        config: {
          countsItself: true,
          least: 'viewer',
          ...documented(() => descriptionOfFile(file, group)),
        },
        onRequest: deps.admit,
        handler: (request, reply) => serve(file, request, reply, deps),
      });
    }
    return url;
  });
}

async function serve(
  route: FileRoute,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: FileDeps,
): Promise<FastifyReply> {
  const found = await route.find(deps.requestOf(request));
  if (!found.ok) return sendProblem(reply, found.problem);
  const file = found.value;
  reply.headers({ 'accept-ranges': 'bytes', etag: file.entityTag });
  // RFC 9110 §13.2.2: it goes before Range.
  if (isKnown(file.entityTag, request.headers['if-none-match'])) return reply.code(304).send();
  const range = requestedRange(request, file);
  if (range === 'unsatisfiable') {
    // RFC 9110 §15.5.17: the answer says how long the file is.
    reply.header('content-range', `bytes */${file.bytes}`);
    const sentence = `Range must be bytes within the ${file.bytes} of this file, not ${quoted(request.headers.range ?? '')}`;
    return sendProblem(reply, problem('range-not-satisfiable', sentence));
  }
  const { from, to } = range ?? { from: 0, to: file.bytes - 1 };
  let content: AsyncIterable<Uint8Array> | undefined;
  try {
    if (request.method !== 'HEAD' && file.bytes > 0) content = await file.read(from, to);
  } catch (error) {
    const { method, url } = request;
    deps.log.error({ api_id: request.id, method, url, err: error }, 'request refused: file unreadable');
    return sendProblem(reply, unavailable('file', retrySeconds));
  }
  reply.headers({ 'content-type': file.contentType, 'content-length': to - from + 1 });
  if (range !== undefined) {
    reply.code(206).header('content-range', `bytes ${from}-${to}/${file.bytes}`);
  }
  return content === undefined ? reply.send() : reply.send(Readable.from(content, { objectMode: false }));
}

/** RFC 9110 §13.1.5: with If-Range a part is sent only of the file that the client has; §14.2: HEAD has no ranges. */
function requestedRange(request: FastifyRequest, file: ServedFile): ByteRange | 'unsatisfiable' | undefined {
  if (request.method === 'HEAD') return undefined;
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== file.entityTag) return undefined;
  return readByteRange(request.headers.range, file.bytes);
}

const rangeHeader = Type.Object({ range: Type.Optional(Type.String({ examples: ['bytes=0-65535'] })) });

function descriptionOfFile({ operation, id, description, contentTypes }: FileRoute, group: RouteGroup) {
  const described = descriptionOf(
    {
      method: 'GET',
      path: '',
      operation,
      ...(id === undefined ? {} : { id }),
      ...(description === undefined ? {} : { description }),
      schema: {},
      refuses: ['range-not-satisfiable'],
      success: 200,
      run: () => Promise.reject(new Error('only described, never run')),
    },
    group,
  );
  const whole = Object.fromEntries(
    contentTypes.map((each) => [each, { schema: Type.String({ format: 'binary' }) }]),
  );
  return {
    ...described,
    response: {
      ...(described.response as Record<number, unknown>),
      200: { [describedBy]: 'The file.', content: whole },
      206: { [describedBy]: 'The part that Range names.', content: whole },
      304: { [describedBy]: 'The client has the file: If-None-Match names it.', type: 'null' },
    },
  };
}
