import type { FastifyRequest } from 'fastify';
import { type Problem, problem } from '../../kernel/problem.ts';

/**
 * Refuses a request that another page made with our cookie. SameSite keeps other sites out; these headers keep out other ports and
 * other hosts of the same site as well, and a page cannot change them. Browsers send `Sec-Fetch-Site` over HTTPS and to this machine.
 */
export function foreignPageRefusal(request: FastifyRequest): Problem | undefined {
  const { method, headers } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  const site = headers['sec-fetch-site'];
  const isSiteOurs = site === undefined || site === 'same-origin' || (isRead && site === 'none');
  if (!isSiteOurs) return foreign(`Sec-Fetch-Site must be same-origin, not ${JSON.stringify(site)}`);
  if (isRead) return undefined;
  const ours = `${request.protocol}://${request.host}`;
  const { origin } = headers;
  if (origin === ours) return undefined;
  return foreign(`Origin must be ${ours}, not ${origin === undefined ? 'absent' : JSON.stringify(origin)}`);
}

function foreign(sentence: string): Problem {
  return problem('forbidden', `a session of the console is for its own page: ${sentence}`);
}

/** Whether a page sent the request by script: a challenge for HTTP Basic would open a dialog of the browser. */
export function isSentByScript({ headers }: FastifyRequest): boolean {
  const mode = headers['sec-fetch-mode'];
  return headers['x-requested-with'] !== undefined || (mode !== undefined && mode !== 'navigate');
}
