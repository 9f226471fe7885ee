import { type ConsoleRole, newConsoleSession } from '@jackfield/contract/console';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { missingParameter, type Problem, problem } from '../../kernel/problem.ts';
import { sendAnswer, sendProblem } from '../answers.ts';
import { refuseOtherMethods } from '../method-not-allowed.ts';
import type { FailedGuesses } from '../source-limits.ts';
import { type ConsoleAccess, type ConsoleSession, consoleSessionItemOf } from './console-access.ts';
import { foreignPageRefusal } from './same-origin.ts';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from './session-cookie.ts';

interface LoginBody {
  readonly auth_id?: string;
  readonly auth_token?: string;
  readonly login_token?: string;
  readonly role?: ConsoleRole;
}

const path = '/console/session';
export const longestUserAgent = 200;

/** `POST`, `GET` and `DELETE /console/session`: login, who is logged in, logout. Requests are counted by source. */
export function registerConsoleLogin(
  app: FastifyInstance,
  { access, guesses }: { readonly access: ConsoleAccess; readonly guesses: FailedGuesses },
): void {
  void app.register(async (scope) => {
    scope.addHook('onRequest', (_request, reply, done) => {
      // A challenge for HTTP Basic would open a dialog of the browser.
      reply.headers({ 'cache-control': 'no-store', 'www-authenticate': 'Cookie realm="jackfield"' });
      done();
    });
    scope.post(path, { schema: { hide: true, body: newConsoleSession } }, (request, reply) =>
      logIn(request, reply, access, guesses),
    );
    scope.get(path, { schema: { hide: true } }, async (request, reply) => {
      const secret = readSessionCookie(request);
      const session = secret === undefined ? undefined : await access.find(secret);
      return session === undefined ? sendProblem(reply, loggedOut) : sendSession(reply, 200, session);
    });
    scope.delete(path, { schema: { hide: true } }, async (request, reply) => {
      const refusal = foreignPageRefusal(request);
      if (refusal !== undefined) return sendProblem(reply, refusal);
      const secret = readSessionCookie(request);
      if (secret !== undefined) await access.logOut(secret);
      clearSessionCookie(reply);
      return sendAnswer(reply, { status: 204, body: undefined });
    });
    refuseOtherMethods(scope, path, ['GET', 'POST', 'DELETE']);
  });
}

async function logIn(
  request: FastifyRequest,
  reply: FastifyReply,
  access: ConsoleAccess,
  guesses: FailedGuesses,
): Promise<FastifyReply> {
  const refusal = foreignPageRefusal(request) ?? guesses.refusalOf(request.ip);
  if (refusal !== undefined) return sendProblem(reply, refusal);
  const { auth_id: authId, auth_token: authToken, login_token: loginToken, role } = request.body as LoginBody;
  if (loginToken === undefined) {
    if (authId === undefined) return sendProblem(reply, missingParameter('auth_id'));
    if (authToken === undefined) return sendProblem(reply, missingParameter('auth_token'));
  }
  const replaces = readSessionCookie(request);
  const opened = await access.logIn({
    userAgent: (request.headers['user-agent'] ?? '').slice(0, longestUserAgent),
    address: request.ip,
    ...(loginToken === undefined
      ? { credentials: { authId: authId!, authToken: authToken! } }
      : { loginToken }),
    ...(role === undefined ? {} : { role }),
    ...(replaces === undefined ? {} : { replaces }),
  });
  if (opened === undefined) {
    guesses.note(request.ip);
    return sendProblem(reply, loginToken === undefined ? wrongCredentials : usedLink);
  }
  setSessionCookie(reply, opened.secret);
  return sendSession(reply, 201, opened.session);
}

function sendSession(reply: FastifyReply, status: number, session: ConsoleSession): FastifyReply {
  const body = { api_id: reply.request.id, ...consoleSessionItemOf(session, session.id) };
  return sendAnswer(reply, { status, body: JSON.stringify(body) });
}

const loggedOut: Problem = problem('unauthenticated', 'no session: log in with POST /console/session');
const wrongCredentials: Problem = problem(
  'unauthenticated',
  'login failed: auth_id and auth_token must be those of an account',
);
const usedLink: Problem = problem(
  'unauthenticated',
  'login failed: the link is unknown, was used before or has expired; create another one',
);
