import type { FastifyReply } from 'fastify';
import { type Problem, statusOf } from '../kernel/problem.ts';
import type { Answer } from './idempotency.ts';

/** The one place where a problem becomes a status and a body. */
export function answerTo(refusal: Problem, apiId: string): Answer {
  return {
    status: statusOf(refusal),
    body: errorText(apiId, refusal.sentence),
    ...(refusal.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: refusal.retryAfterSeconds }),
  };
}

export function errorText(apiId: string, sentence: string): string {
  return JSON.stringify({ api_id: apiId, error: sentence });
}

export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status);
  if (answer.status === 401 && !reply.hasHeader('www-authenticate')) {
    reply.header('www-authenticate', 'Basic realm="jackfield", charset="UTF-8"');
  }
  if (answer.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(answer.retryAfterSeconds));
  }
  if (answer.body === undefined) return reply.send();
  return reply.header('content-type', 'application/json; charset=utf-8').send(answer.body);
}

export function sendProblem(reply: FastifyReply, refusal: Problem): FastifyReply {
  return sendAnswer(reply, answerTo(refusal, reply.request.id));
}
