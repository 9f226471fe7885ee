import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

interface KeptAnswer {
  readonly bytes: Buffer;
  /** Strong: other bytes have another one (RFC 9110 §8.8.3), quotes included. */
  readonly entityTag: string;
}

/**
 * Every success of this scope is the same at each request of its path. It is kept once, as bytes that all connections share; a
 * client that has it (`If-None-Match`) gets 304.
 */
export function keepAnswers(scope: FastifyInstance): void {
  const kept = new Map<string, KeptAnswer>();
  scope.addHook('onSend', async (request, reply, payload) => {
    const { url = '' } = request.routeOptions;
    if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
    let answer = kept.get(url);
    if (answer === undefined) {
      const bytes = Buffer.from(payload);
      answer = { bytes, entityTag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
      kept.set(url, answer);
    }
    reply.headers({ etag: answer.entityTag, 'cache-control': 'no-cache' });
    if (isKnown(answer.entityTag, request.headers['if-none-match'])) {
      reply.code(304).removeHeader('content-type').removeHeader('content-length');
      return null;
    }
    // Fastify has set the length of the text, which is that of the bytes.
    return answer.bytes;
  });
}

/** RFC 9110 §13.1.2, which requires the weak comparison. */
export function isKnown(entityTag: string, condition: string | undefined): boolean {
  if (condition === undefined) return false;
  return condition.split(',').some((each) => ['*', entityTag].includes(each.trim().replace(/^W\//, '')));
}
