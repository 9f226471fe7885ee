import {
  newVerifySession,
  startedVerifySession,
  verifyCheck,
  verifyCheckPassed,
  verifyReceipt,
  verifySessionBody,
  verifySessionList,
  verifySessionListQuery,
  verifySessionPath,
} from '@jackfield/contract';
import { type ApiRoute, route } from '../../http/index.ts';
import { answerPage } from '../../kernel/pagination.ts';
import { notFound, problem } from '../../kernel/problem.ts';
import { accepted, refused } from '../../kernel/result.ts';
import type { CheckCode, StartSession } from './commands.ts';
import type { Proofs } from './proofs/proof.ts';
import { readSessionFilters, type SessionQueries } from './queries.ts';

export interface RouteDeps {
  readonly queries: SessionQueries;
  readonly start: StartSession;
  readonly check: CheckCode;
  readonly proofs: Proofs;
}

export function sessionRoutes({ queries, start, check, proofs }: RouteDeps): readonly ApiRoute[] {
  return [
    route({
      method: 'POST',
      path: 'Verify/Session/',
      operation: 'Send a code',
      id: 'createVerifySession',
      description: 'A code that is still valid is sent again: the session stays the same.',
      schema: { body: newVerifySession, response: startedVerifySession },
      success: 202,
      async run({ account, body, now }) {
        const started = await start(account, body, now);
        return started.ok ? accepted({ message: 'Session initiated', session_uuid: started.value }) : started;
      },
    }),
    route({
      method: 'POST',
      path: 'Verify/Session/:session_uuid/',
      operation: 'Check a code',
      id: 'checkVerifyCode',
      description: 'A wrong code and a session that is over get the same answer.',
      schema: { params: verifySessionPath, body: verifyCheck, response: verifyCheckPassed },
      refuses: ['incorrect-otp'],
      success: 200,
      async run({ account, params, body }) {
        const checked = await check(account, params.session_uuid, body.otp);
        return checked.ok
          ? accepted({ message: 'session validated successfully.', session_uuid: checked.value })
          : checked;
      },
    }),
    route({
      method: 'GET',
      path: 'Verify/Session/:session_uuid/',
      operation: 'Retrieve a session',
      id: 'retrieveVerifySession',
      schema: { params: verifySessionPath, response: verifySessionBody },
      success: 200,
      async run({ account, params }) {
        const session = await queries.find(account, params.session_uuid);
        return session === undefined ? refused(notFound('session', params.session_uuid)) : accepted(session);
      },
    }),
    route({
      method: 'GET',
      path: 'Verify/Session/:session_uuid/Receipt/',
      operation: 'Retrieve a receipt of a verification',
      id: 'retrieveVerifyReceipt',
      description: 'A signed statement (JWS, EdDSA) that the recipient was verified, when and how.',
      schema: { params: verifySessionPath, response: verifyReceipt },
      refuses: ['conflict'],
      success: 200,
      async run({ account, params }) {
        const receipt = await proofs.receiptOf(account, params.session_uuid);
        if (receipt === undefined) return refused(notFound('session', params.session_uuid));
        if (receipt === 'not-verified') {
          return refused(problem('conflict', 'only a verified session has a receipt'));
        }
        const session_uuid = params.session_uuid.toLowerCase();
        return accepted({ session_uuid, receipt, keys_url: proofs.keysUrl });
      },
    }),
    route({
      method: 'GET',
      path: 'Verify/Session/',
      operation: 'List sessions',
      id: 'listVerifySessions',
      description: 'Newest first, of the last 90 days.',
      schema: { query: verifySessionListQuery, response: verifySessionList },
      success: 200,
      async run({ account, query, now }) {
        const filters = readSessionFilters(query);
        if (!filters.ok) return filters;
        const answer = await answerPage(
          { query, path: `/v1/Account/${account.authId}/Verify/Session/` },
          async (page) => {
            const { total, sessions } = await queries.list(account, filters.value, page, now);
            return { total, rows: sessions };
          },
          (session) => session,
        );
        // Clients expect `sessions` instead of `objects` in this list.
        return answer.ok ? accepted({ meta: answer.value.meta, sessions: answer.value.objects }) : answer;
      },
    }),
  ];
}
