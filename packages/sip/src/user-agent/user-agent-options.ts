import type { DigestCredentials } from '../auth/digest-client.ts';
import type { Hash } from '../auth/digest-response.ts';
import type { SessionInterval } from '../dialog/session-timer.ts';
import type { ResponseFields } from '../message/build-response.ts';
import type { Flow, Protocol } from '../message/flow.ts';
import type { ByteString, SipRequest } from '../message/message.ts';
import type { TimerDurations } from '../transaction/timers.ts';
import type { CallListener, DialledCall, DialogSnapshot, IncomingInvite } from './call-listener.ts';
import type { UserAgentCounters } from './counters.ts';
import type { InviteOptions } from './invite-options.ts';
import type { RequestOptions, RequestOutcome } from './outgoing-request.ts';
import type { RoutesDeps, SendTarget } from './send-target.ts';
import type { WheelClock } from './timer-wheel.ts';

/** A request outside every dialog other than INVITE; its server transaction repeats the answer. */
export interface IncomingRequest {
  readonly request: SipRequest;
  readonly flow: Flow;
  /** Sends the response; only the first final one counts. A To tag is added. */
  reply(status: number, fields?: ReplyFields): void;
  /** Marks the sender as authenticated: over UDP the response may then be larger than the request even with a guard. */
  trust(): void;
}

/** Drops unwanted requests of unknown senders. */
export interface Guard {
  /**
   * Whether a request outside our dialogs and calls is answered; called for each copy. `request` may be the readable part of a
   * malformed message.
   */
  admits(request: SipRequest, flow: Flow): boolean;
  /** Whether the sender on this flow counts as authenticated from its first message; the default is no. */
  trusts?(flow: Flow): boolean;
}

/** Fields of a reply beyond those that it copies from its request. */
export interface ReplyFields extends Omit<ResponseFields, 'toTag'> {
  readonly reason?: string;
}

/** Dependencies and options of a user agent. */
export interface UserAgentDeps extends RoutesDeps {
  readonly clock: WheelClock;
  /** Passes a message to the transport; a failure comes back through `transportFailed`. */
  send(target: SendTarget, text: ByteString): void;
  /** Our own address and port over a protocol, for Via and Contact; `peer` is the address of the next hop, where it is known. */
  address(protocol: Protocol, peer?: string): { readonly host: string; readonly port: number };
  /** An unpredictable token of letters, digits and dots, for tags, branches and Call-IDs; its first eight characters are unpredictable too. */
  token(): string;
  /** Hash for digest credentials; without it challenges stay unanswered. */
  readonly hash?: Hash;
  /**
   * A hash with a secret key, in hexadecimal digits: senders cannot choose keys that collide in a table. Without it all senders are
   * trusted.
   */
  keyedHash?(text: string): string;
  /** Value of User-Agent and Server. */
  readonly userAgentName?: string;
  /** Methods outside a dialog that `request` answers; the default is REGISTER and OPTIONS. */
  readonly methods?: readonly string[];
  /** Option tags of extensions that the owner supports beyond those of the stack. */
  readonly supported?: readonly string[];
  readonly timers?: TimerDurations;
  /** The session timer of calls (RFC 4028); the default is 1800 s, with a minimum of 90 s. */
  readonly sessionInterval?: SessionInterval;
  readonly limits?: Partial<UserAgentLimits>;
  /** The address of a sender behind a proxy of the operator; undefined, or without this function, it is that of the flow. */
  sourceOf?(request: SipRequest, flow: Flow): string | undefined;
  /** With a guard a sender is unauthenticated until `trust`; without one every sender counts as authenticated. */
  readonly guard?: Guard;
  readonly on: {
    request(incoming: IncomingRequest): void;
    /** Absent where the listener is created after the user agent: see `UserAgent.listen`. */
    invite?(invite: IncomingInvite): void;
    /** An exception of a listener; it is counted, and the user agent goes on. */
    error?(error: unknown): void;
  };
}

/** Bounds of the tables; beyond them new requests get 503. */
export interface UserAgentLimits {
  /** Client and server transactions together, 500,000: REGISTER over UDP keeps one for 32 s. */
  readonly maxTransactions: number;
  /** Legs, ringing and ended ones included, 50,000. */
  readonly maxDialogs: number;
  /** The longest ringing of a call, out or in, 300,000 ms. */
  readonly ringingLimitMs: number;
}

/** Counts of the live parts of a user agent. */
export interface UserAgentCensus {
  readonly transactions: number;
  readonly dialogs: number;
  readonly timers: number;
}

/** The user agent of a server: phones register with it, and it may be one of several processes. */
export interface UserAgent extends PhoneUserAgent {
  /**
   * A phone has registered over a flow, and its registrations over the flows `replaced` ended: the dialogs with one of its names whose
   * flow is closed or among these go on over the new one (RFC 5626 §5.3). Returns the flows of the others.
   */
  phoneReturned(phone: readonly string[], flow: string, replaced?: readonly string[]): ReadonlySet<string>;
  /** Sends BYE in the dialog of a process that has ended; one challenge is answered. `reaches` has the meaning of that of an INVITE. */
  endDialog(
    snapshot: DialogSnapshot,
    options?: { readonly credentials?: DigestCredentials; readonly reaches?: (address: string) => boolean },
  ): void;
}

/** The user agent of a phone: transactions, dialogs and calls over a given transport. */
export interface PhoneUserAgent {
  /** From now on INVITEs outside of dialogs go to this listener. Until there is one they are refused with 503. */
  listen(invited: (invite: IncomingInvite) => void): void;
  /** A message arrived: one datagram, or one message cut out of a stream. */
  receive(text: ByteString, flow: Flow): void;
  /** The transport could not send this text to that target; without `target` no other target is tried. */
  transportFailed(text: ByteString, target?: SendTarget): void;
  /** A connection is closed. */
  flowClosed(id: string): void;
  /** Calls; with `credentials` challenges to INVITE and in-dialog requests are answered once each. */
  invite(
    options: InviteOptions & { readonly credentials?: DigestCredentials },
    listener: CallListener,
  ): DialledCall;
  /** Sends REGISTER, OPTIONS, MESSAGE and the like; `settled` is called once, later. One challenge is answered. */
  request(
    options: RequestOptions & { readonly credentials?: DigestCredentials },
    settled: (outcome: RequestOutcome) => void,
  ): void;
  census(): UserAgentCensus;
  readonly counters: Readonly<UserAgentCounters>;
  /** Drops all state without events or messages, and stops the clock timer. */
  close(): void;
}
