import { buildResponse } from '../message/build-response.ts';
import type { SipRequest } from '../message/message.ts';
import { printBriefly, printMessage } from '../message/print-message.ts';
import type { UserAgentCounters } from './counters.ts';
import type { ExtraParts } from './extra-parts.ts';
import type { Refusal } from './screening.ts';
import type { SendTarget } from './send-target.ts';
import type { ServerTransactionTable } from './server-transactions.ts';
import type { ServerTransaction } from './transactions.ts';
import type { ReplyFields } from './user-agent-options.ts';

/** The parts of the user agent that answering needs. */
export interface AnsweringDeps extends Pick<ExtraParts, 'reasonPhrase' | 'answerWithin'> {
  readonly servers: ServerTransactionTable;
  readonly counters: UserAgentCounters;
  readonly userAgentName: string | undefined;
  token(): string;
  send(target: SendTarget, text: string): void;
}

/** A request to answer without a transaction. */
export interface AnsweredRequest {
  readonly request: SipRequest;
  readonly target: SendTarget;
  /** Length of the received text in characters. */
  readonly size: number;
  readonly reliable: boolean;
}

/** Answers requests outside of legs. */
export interface Answering {
  /** The first final answer of a transaction counts; an answer above the limit of an unauthenticated sender is dropped. */
  answer(transaction: ServerTransaction, status: number, fields?: ReplyFields & { toTag?: string }): void;
  /** Our own refusal; over UDP it is repeated only for a repeated request. */
  refuse(transaction: ServerTransaction, refusal: Refusal): void;
  /** An answer without a transaction; over UDP never larger than the received text. */
  refuseStateless(incoming: AnsweredRequest, refusal: Refusal): void;
}

/** Creates the answers of a user agent. */
export function createAnswering(deps: AnsweringDeps): Answering {
  const { servers, counters, userAgentName, reasonPhrase, answerWithin } = deps;

  function respond(
    transaction: ServerTransaction,
    status: number,
    fields: ReplyFields & { readonly toTag?: string },
    once: boolean,
  ): void {
    const { request, limit } = transaction;
    if (request === undefined) return;
    // RFC 3261 §8.2.6.2: every response above 100 has a To tag, of at least 32 random bits (§19.3).
    const tag = () => (limit === undefined ? deps.token() : deps.token().slice(0, 8));
    const tagged = status === 100 || fields.toTag !== undefined ? fields : { ...fields, toTag: tag() };
    const response = buildResponse(request, status, fields.reason ?? reasonPhrase(status), tagged);
    if (userAgentName !== undefined) response.headers.set('Server', userAgentName);
    const text = answerWithin(limit, response);
    if (text === undefined) counters.amplifying += 1;
    servers.step(transaction, { type: 'respond', status, text: text ?? '', ...(once ? { once } : {}) });
  }

  return {
    answer: (transaction, status, fields = {}) => respond(transaction, status, fields, false),
    refuse: (transaction, refusal) => respond(transaction, refusal.status, refusal, true),
    refuseStateless({ request, target, size, reliable }, { status, headers }) {
      const fields = headers ? { headers } : {};
      const response = buildResponse(request, status, reasonPhrase(status), {
        ...fields,
        toTag: deps.token(),
      });
      if (userAgentName !== undefined) response.headers.set('Server', userAgentName);
      const text = printMessage(response);
      if (reliable || text.length <= size) {
        deps.send(target, text);
        return;
      }
      const brief = printBriefly(buildResponse(request, status, '', { toTag: deps.token().slice(0, 8) }));
      if (brief.length <= size) deps.send(target, brief);
      else counters.amplifying += 1;
    },
  };
}
