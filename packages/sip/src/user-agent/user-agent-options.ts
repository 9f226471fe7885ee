import type { DigestCredentials } from '../auth/digest-client.ts';
import type { Hash } from '../auth/digest-response.ts';
import type { SessionInterval } from '../dialog/session-timer.ts';
import type { ResponseFields } from '../message/create-response.ts';
import type { Flow, Protocol } from '../message/flow.ts';
import type { ByteString, SipRequest } from '../message/message.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import type { Call, CallListener, IncomingInvite } from './call-listener.ts';
import type { UserAgentCounters } from './counters.ts';
import type { InviteOptions } from './invite-options.ts';
import type { RequestOptions, RequestOutcome } from './outgoing-request.ts';
import type { PlaceTarget, SendTarget } from './send-target.ts';
import type { WheelClock } from './timer-wheel.ts';

/** A request outside every dialog other than INVITE; its server transaction repeats the answer as long as it must. */
export interface IncomingRequest {
  readonly request: SipRequest;
  readonly flow: Flow;
  /** Sends the response; only the first final one counts. A To tag is added. */
  reply(status: number, fields?: ReplyFields): void;
  /** Whoever sent it has shown who it is: over UDP the response may be larger than the request, which a guard prevents otherwise. */
  trust(): void;
}

/** Keeps noise out of a user agent that strangers reach. */
export interface Guard {
  /**
   * Whether a request that belongs to no dialog and no call of ours is answered; asked for every copy of it. `request` may be
   * malformed: it is what could be read.
   */
  admits(request: SipRequest, flow: Flow): boolean;
  /** Whether whoever sends on this flow is believed from the first word on; nobody unless told. */
  trusts?(flow: Flow): boolean;
}

/** What a reply carries beyond what it copies from its request. */
export interface ReplyFields extends Omit<ResponseFields, 'toTag'> {
  readonly reason?: string;
}

/** Everything that a user agent is given. */
export interface UserAgentDeps {
  readonly clock: WheelClock;
  /** Hands a message to the transport; a failure comes back through `transportFailed`. */
  send(target: SendTarget, text: ByteString): void;
  /** The flow of that id while it is alive. */
  flow(id: string): Flow | undefined;
  /** Our own address and port over a protocol, as it stands in Via and Contact. */
  address(protocol: Protocol): { readonly host: string; readonly port: number };
  /**
   * Finds where a URI leads whose host is a name (RFC 3263): calls `found` once, at once or later, with targets best first, of which
   * the next is tried when one fails. Without it the transport takes the host as it stands.
   */
  locate?(uri: string, found: (targets: readonly PlaceTarget[]) => void): void;
  /** An unpredictable token of letters and digits, for tags, branches and Call-IDs. */
  token(): string;
  /** Hash for digest credentials; without it challenges stay unanswered. */
  readonly hash?: Hash;
  /** Value of User-Agent and Server. */
  readonly userAgentName?: string;
  /** Methods outside a dialog that `request` answers; REGISTER and OPTIONS unless told. */
  readonly methods?: readonly string[];
  /** Option tags of extensions that the owner supports beyond those of the stack. */
  readonly supported?: readonly string[];
  readonly timers?: TimerDurations;
  /** The session timer of calls (RFC 4028); 1800 s, and nothing below 90 s, unless told. */
  readonly sessionInterval?: SessionInterval;
  readonly limits?: Partial<UserAgentLimits>;
  /** With a guard nobody is believed before `trust`: see there. Without one every sender is taken for who it says it is. */
  readonly guard?: Guard;
  readonly on: {
    request(incoming: IncomingRequest): void;
    invite(invite: IncomingInvite): void;
    /** An exception of a listener; it is counted, and the user agent goes on. */
    error?(error: unknown): void;
  };
}

/** Bounds of the tables; beyond them new requests are answered with 503. */
export interface UserAgentLimits {
  /** Client and server transactions together, 500,000: REGISTER over UDP keeps one for 32 s. */
  readonly maxTransactions: number;
  /** Legs, ringing and ended ones included, 50,000. */
  readonly maxDialogs: number;
  /** How long a call rings, out or in, before it is given up, 300,000 ms. */
  readonly ringingLimitMs: number;
}

/** What is alive in a user agent. */
export interface UserAgentCensus {
  readonly transactions: number;
  readonly dialogs: number;
  readonly timers: number;
}

/** A SIP user agent: transactions, dialogs and calls over a transport that it is given. */
export interface UserAgent {
  /** A message arrived: one datagram, or one message cut out of a stream. */
  receive(text: ByteString, flow: Flow): void;
  /** The transport could not send this text to that target; without a target it is not sent anywhere else. */
  transportFailed(text: ByteString, target?: SendTarget): void;
  /** A connection is gone. */
  flowClosed(id: string): void;
  /** Calls; with `credentials` challenges to INVITE and in-dialog requests are answered once each. */
  invite(options: InviteOptions & { readonly credentials?: DigestCredentials }, listener: CallListener): Call;
  /** Sends REGISTER, OPTIONS, MESSAGE and their kind; `settled` is called once, later. One challenge is answered. */
  request(
    options: RequestOptions & { readonly credentials?: DigestCredentials },
    settled: (outcome: RequestOutcome) => void,
  ): void;
  census(): UserAgentCensus;
  readonly counters: Readonly<UserAgentCounters>;
  /** Forgets everything without a word to anybody, and stops the clock timer. */
  close(): void;
}
