import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../../kernel/problem.ts';
import { sendAnswer, sendProblem } from '../answers.ts';
import { refuseOtherMethods } from '../method-not-allowed.ts';
import type { FailedGuesses } from '../source-limits.ts';
import type { IdentityLogin, IdentityRefusal } from './console-access.ts';
import { longestUserAgent } from './register-console-login.ts';
import { foreignPageRefusal } from './same-origin.ts';
import { clearLoginCookie, readLoginCookie, setLoginCookie, setSessionCookie } from './session-cookie.ts';

const path = '/console/login';
/** Where the identity provider sends the browser back; registered there. */
export const identityCallbackPath = `${path}/callback`;

interface IdentityLoginDeps {
  /** Undefined without a provider: the page then shows no button, and the other two paths are 404. */
  readonly identity: IdentityLogin | undefined;
  readonly guesses: FailedGuesses;
}

/** `GET /console/login`: which provider there is; `…/begin` leads to it, `…/callback` back. Requests are counted by source. */
export function registerIdentityLogin(app: FastifyInstance, { identity, guesses }: IdentityLoginDeps): void {
  void app.register(async (scope) => {
    scope.addHook('onRequest', (_request, reply, done) => {
      // The address of the callback holds a code: no other server may learn it.
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      done();
    });
    const hidden = { schema: { hide: true } };
    scope.get(path, hidden, (request, reply) => {
      const body = { api_id: request.id, identity_provider: identity?.host ?? null };
      return sendAnswer(reply, { status: 200, body: JSON.stringify(body) });
    });
    scope.get(`${path}/begin`, hidden, (request, reply) =>
      identity === undefined ? sendProblem(reply, noProvider) : begin(request, reply, identity),
    );
    scope.get(identityCallbackPath, hidden, (request, reply) =>
      identity === undefined ? sendProblem(reply, noProvider) : complete(request, reply, identity, guesses),
    );
    for (const url of [path, `${path}/begin`, identityCallbackPath]) refuseOtherMethods(scope, url, ['GET']);
  });
}

async function begin(
  request: FastifyRequest,
  reply: FastifyReply,
  identity: IdentityLogin,
): Promise<FastifyReply> {
  // Another page must not make a person log in.
  const refusal = foreignPageRefusal(request);
  if (refusal !== undefined) return sendProblem(reply, refusal);
  const begun = await identity.begin();
  if (typeof begun === 'string') return sendBack(reply, begun);
  setLoginCookie(reply, begun.secret);
  return reply.redirect(begun.url, 302);
}

async function complete(
  request: FastifyRequest,
  reply: FastifyReply,
  identity: IdentityLogin,
  guesses: FailedGuesses,
): Promise<FastifyReply> {
  const refusal = guesses.refusalOf(request.ip);
  if (refusal !== undefined) return sendProblem(reply, refusal);
  const secret = readLoginCookie(request);
  clearLoginCookie(reply);
  const url = request.raw.url ?? '';
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
  const opened =
    secret === undefined
      ? ('login-refused' as const)
      : await identity.complete(query, secret, {
          userAgent: (request.headers['user-agent'] ?? '').slice(0, longestUserAgent),
          address: request.ip,
        });
  if (typeof opened !== 'string') {
    setSessionCookie(reply, opened.secret);
    return reply.redirect('/console/', 303);
  }
  if (opened === 'login-refused') guesses.note(request.ip);
  return sendBack(reply, opened);
}

/** The page says what happened; nothing of the provider's answer comes into its address. */
function sendBack(reply: FastifyReply, refusal: IdentityRefusal): FastifyReply {
  return reply.redirect(`/console/#login-refused=${refusal}`, 303);
}

const noProvider = problem(
  'not-found',
  'this server has no identity provider: log in with a token or a link',
);
