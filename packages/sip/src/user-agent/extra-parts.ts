import type { DigestCredentials } from '../auth/digest-client.ts';
import type { Hash } from '../auth/digest-response.ts';
import type { Flow } from '../message/flow.ts';
import type { ByteString, SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import type { Via } from '../message/via.ts';
import type { ChallengeAnswer } from './challenge-answer.ts';
import type { Refusal } from './screening.ts';
import type { HostTarget, Route, Routes, RoutesDeps, SendTarget } from './send-target.ts';
import type { ServerTransactionTable } from './server-transactions.ts';
import type { TimerWheel, WheelClock } from './timer-wheel.ts';
import type { TransactionDeps } from './transaction-effects.ts';

/** Parts of a user agent that a phone in a web page replaces by smaller ones, so that its page loads faster. */
export interface ExtraParts {
  /** Answers challenges with credentials. */
  challengeAnswer(
    deps: { readonly hash?: Hash; token(): string },
    credentials: DigestCredentials | undefined,
  ): ChallengeAnswer | undefined;
  /** The reason phrase of a status, for human readers alone (RFC 3261 §7.2). */
  reasonPhrase(status: number): string;
  /** The text of a response, within the limit of an unauthenticated sender over UDP. */
  answerWithin(most: number | undefined, response: SipResponse): ByteString | undefined;
  /** The routes of a request: a large one avoids UDP (RFC 3261 §18.1.1), and targets that were silent come last. */
  orderedRoutes(routes: readonly Route[], request: SipRequest, now: number): readonly Route[];
  /** The CANCEL of an INVITE; it may say that another phone has answered. */
  cancelFor(invite: SipRequest, completedElsewhere: boolean): SipRequest;
  /** The target of a route has not responded. */
  noteSilent(route: Route, now: number): void;
  /** The routes of the user agent. */
  createRoutes(deps: RoutesDeps): Routes;
  /** The routes of a call whose target an outsider chose. */
  routesWithin(routes: Routes, reaches: (address: string) => boolean, back?: Route): Routes;
  /** The routes of a dialog whose INVITE went to `verified`. */
  routesBesideVerified(routes: Routes, verified: HostTarget | undefined): Routes;
  /** The target of responses to a request whose top Via was `via`. */
  targetOf(request: SipRequest, via: Via, flow: Flow): SendTarget;
  /** The target of a response whose connection is closed; undefined if there is none. */
  targetOfLostFlow(via: Via): SendTarget | undefined;
  /** The flow over which requests reach the sender of a request whose top Via was `via`; undefined if it listens elsewhere. */
  flowTo(via: Via, flow: Flow): string | undefined;
  /** The message with the session description as its only body. */
  withSessionAlone<Message extends SipMessage>(message: Message): Message;
  /** Refuses a body that is no session. */
  screenContent(request: SipRequest): Refusal | undefined;
  /** Server transactions, most of which are answered already. */
  createServers(deps: TransactionDeps): ServerTransactionTable;
  /** Timers for many concurrent calls. */
  createTimers<Owner>(options: {
    readonly clock: WheelClock;
    readonly fire: (owner: Owner, key: string) => void;
  }): TimerWheel<Owner>;
}
