import { createHeaders } from '../../message/headers.ts';
import type { ByteString, SipHeaders, SipMessage, SipRequest } from '../../message/message.ts';
import { parseMessage } from '../../message/parse-message.ts';
import { createMemoryLink, type LinkEnd } from '../../user-agent/testing/memory-link.ts';
import type { UserAgentDeps } from '../../user-agent/user-agent-options.ts';

/** Parses a message; throws unless it is well formed. */
export function wellFormed(text: ByteString): SipMessage {
  const { message, problem } = parseMessage(text);
  if (message === undefined) throw new Error(`not well formed: ${problem.sentence}`);
  return message;
}

/** Parses a request; throws unless it is well formed. */
export function wellFormedRequest(text: ByteString): SipRequest {
  const message = wellFormed(text);
  if (message.kind !== 'request') throw new Error('a response');
  return message;
}

/** An answer, read leniently: headers that it copies from its request may be malformed. */
export interface Answer {
  readonly status: number;
  readonly headers: SipHeaders;
}

/** The outcome of one message to an element. */
export interface Meeting {
  readonly element: LinkEnd;
  /** The element's answers without repetitions. */
  readonly answers: readonly Answer[];
  /** Statuses of the answers. */
  readonly statuses: readonly number[];
  /** The answer, when there is exactly one. */
  readonly answer: Answer | undefined;
}

/** Options of the element. */
export interface MeetOptions {
  readonly protocol?: 'udp' | 'tcp';
  readonly deps?: Partial<UserAgentDeps>;
  prepare?(element: LinkEnd): void;
}

/**
 * Sends a message to an endpoint that is busy (486 to INVITE) and answers other requests with 200. After all timers have fired
 * the endpoint must hold no state.
 */
export function meet(text: ByteString, { protocol = 'udp', deps = {}, prepare }: MeetOptions = {}): Meeting {
  const link = createMemoryLink({ protocol }, deps);
  const element = link.bob;
  // The other end sends no ACK and no answer.
  link.alice.ua.close();
  element.onRequest = (incoming) => incoming.reply(200);
  element.onInvite = (invite) => invite.reject(486);
  prepare?.(element);
  link.inject('bob', text);
  link.clock.advance(400_000);
  const { transactions, dialogs, timers } = element.ua.census();
  if (transactions + dialogs + timers + link.clock.pending() > 0)
    throw new Error('a transaction, dialog or timer is left');
  const answers = [...new Set(element.texts)].map(readAnswer);
  const statuses = answers.map(({ status }) => status);
  return { element, answers, statuses, answer: answers.length === 1 ? answers[0] : undefined };
}

function readAnswer(text: ByteString): Answer {
  const [start = '', ...fields] = text.slice(0, text.indexOf('\r\n\r\n')).split('\r\n');
  const status = /^SIP\/2\.0 ([1-6][0-9]{2}) [^\r\n]*$/.exec(start)?.[1];
  if (status === undefined) throw new Error(`the element must send responses only, not ${start}`);
  const pairs = fields.map((field) => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon), field.slice(colon + 1).trim()] as const;
  });
  return { status: Number(status), headers: createHeaders(pairs) };
}
