import type { SipRequest, SipResponse } from '../message/message.ts';
import type { TransactionFailure } from '../transaction/effects.ts';
import type { InviteClientState } from '../transaction/invite-client.ts';
import type { InviteServerState } from '../transaction/invite-server.ts';
import type { NonInviteClientState } from '../transaction/non-invite-client.ts';
import type { NonInviteServerState } from '../transaction/non-invite-server.ts';
import type { SendTarget } from './send-target.ts';
import type { WheelTimer } from './timer-wheel.ts';

/** Events of a client transaction for its starter; `terminated` comes last and once. */
export interface ClientUser {
  response(response: SipResponse): void;
  failed(failure: TransactionFailure): void;
  terminated(): void;
}

/** An ACK, and the flow that reaches its sender. */
export interface ReceivedAck {
  readonly request: SipRequest;
  readonly flow: string | undefined;
}

/** Events of a server transaction for the code that answers its request. */
export interface ServerUser {
  failed(failure: TransactionFailure): void;
  /** An ACK with the branch of the INVITE reached the "accepted" state (RFC 6026 §7.1). */
  acknowledged(ack: ReceivedAck): void;
  /** 200 ms went by without a response: a 100 (Trying) is due. */
  tryingDue(): void;
}

/** A running client transaction. */
export interface ClientTransaction {
  readonly side: 'client';
  readonly key: string;
  readonly target: SendTarget;
  readonly user: ClientUser;
  readonly flow: string | undefined;
  machine:
    | { readonly kind: 'invite'; state: InviteClientState }
    | { readonly kind: 'non-invite'; state: NonInviteClientState };
  /** The timer that was started last; the others follow it. */
  timer: WheelTimer<TimerOwner> | undefined;
}

/** A running server transaction; its final response frees the request. */
export type ServerTransaction = InviteServerTransaction | NonInviteServerTransaction;

interface InviteServerTransaction extends AnyServerTransaction {
  readonly kind: 'invite';
  state: InviteServerState;
}

interface NonInviteServerTransaction extends AnyServerTransaction {
  readonly kind: 'non-invite';
  state: NonInviteServerState;
}

interface AnyServerTransaction {
  readonly side: 'server';
  readonly key: string;
  /** While no other transaction may serve a copy of its request. */
  mergeKey: string | undefined;
  /** Of a request that was repeated over another connection, that connection. */
  target: SendTarget;
  request: SipRequest | undefined;
  /** The most characters of a response while the sender is unauthenticated; refusals are then sent once. */
  limit: number | undefined;
  /** A 100 (Trying) was due while the sender was unauthenticated. */
  owesTrying: boolean;
  user: ServerUser | undefined;
  /** The timer that was started last; the others follow it. */
  timer: WheelTimer<TimerOwner> | undefined;
}

/** Owner of a timer that makes a call. */
export interface Deferred extends TimerOwner {
  readonly side: 'deferred';
  readonly call: () => void;
}

/** Owner of a timer on the wheel; each owner dispatches its timers by key. */
export interface TimerOwner {
  readonly side: 'client' | 'server' | 'leg' | 'deferred';
}
