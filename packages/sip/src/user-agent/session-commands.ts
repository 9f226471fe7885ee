import type { SessionInput } from '../dialog/session-state.ts';
import type { Call } from './call-listener.ts';

/** The commands of an owner that go to the session of its call, whichever side called. */
export type SessionCommands = Pick<
  Call,
  'offer' | 'sendInfo' | 'refer' | 'acceptReferral' | 'refuseReferral' | 'reportReferral'
>;

/** Creates the commands; `send` passes an input to the session. */
export function sessionCommands(
  send: (input: SessionInput) => void,
  reasonPhrase: (status: number) => string,
): SessionCommands {
  return {
    offer: (content, method) => send({ type: 'offer', content, ...(method && { method }) }),
    sendInfo: (content) => send({ type: 'send-info', content }),
    refer: (uri, headers) => send({ type: 'send-refer', uri, ...(headers && { headers }) }),
    acceptReferral: () => send({ type: 'accept-referral' }),
    refuseReferral: (status = 603, headers) =>
      send({ type: 'refuse-referral', status, ...(headers && { headers }) }),
    reportReferral: (status) => send({ type: 'report-referral', status, phrase: reasonPhrase(status) }),
  };
}
