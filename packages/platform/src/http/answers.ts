import type { ErrorBody } from '@jackfield/contract';
import type { FastifyReply } from 'fastify';
import { type Problem, statusOf } from '../kernel/problem.ts';
import type { Answer } from './idempotency.ts';

/** Only here does a problem become a status and a body. */
export function answerTo(refusal: Problem, apiId: string): Answer {
  return {
    status: statusOf(refusal),
    body: errorText(refusal, apiId),
    ...(refusal.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: refusal.retryAfterSeconds }),
  };
}

/** `error` stands before `error_code`: clients of the hosted interface read it alone. */
export function errorText({ sentence, code }: Problem, apiId: string): string {
  const body: ErrorBody = { api_id: apiId, error: sentence, error_code: code };
  return JSON.stringify(body);
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
