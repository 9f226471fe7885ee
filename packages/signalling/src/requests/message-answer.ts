import { ALLOWED_METHODS, type IncomingRequest, parseSipUri } from '@jackfield/sip';
import { isOurs } from '../parties/domains.ts';

/** The user and body of the MESSAGE with which the hosted browser SDK asks for the address of its client. */
const addressUser = 'admin';
const addressQuestion = 'ipAddress';

/** Answers MESSAGE: the client's own address to the question of the hosted browser SDK, 405 to everything else. */
export function answerMessage({ request, flow, reply }: IncomingRequest, domains: readonly string[]): void {
  const uri = parseSipUri(request.uri);
  const isQuestion =
    uri?.user === addressUser && isOurs(uri.host, domains) && request.body.trim() === addressQuestion;
  if (!isQuestion) reply(405, { headers: [['Allow', `${ALLOWED_METHODS}, REGISTER`]] });
  else reply(200, { contentType: 'text/plain', body: flow.remoteAddress.replace(/^::ffff:/i, '') });
}
