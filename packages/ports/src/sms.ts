import type { Instant } from './machine.ts';

/** The way to phones' message boxes: an SMSC, an HTTP gateway, or the inbox of the sandbox. */
export interface Sms {
  /** Hands one message over. Resolves when the gateway has said yes or no, or could not be asked in time; it never rejects. */
  send(order: SmsOrder): Promise<SmsOutcome>;
  /** Calls `listener` for each delivery receipt: late, twice, out of order or never, as gateways give them. Once per process. */
  listen(listener: (receipt: SmsReceipt) => void): void;
}

/** A text to one phone. `id` names the order: a gateway that knows it already sends nothing a second time where it can. */
export interface SmsOrder {
  readonly id: string;
  /** Whose message it is, and the main account of it. */
  readonly account: string;
  readonly mainAccount: string;
  /** Number or name shown to the receiver; null leaves it to the gateway. */
  readonly from: string | null;
  /** E.164 with its +. */
  readonly to: string;
  readonly text: string;
  /** Nobody wants it any more after this; gateways that know validity periods are told. */
  readonly validUntil: Instant;
}

/**
 * `message` is the gateway's name for what it took; `errorCode` is its own, as text, shown to customers. `gatewayFailed`: the trouble
 * is the gateway's, and another one may take the message. `mayHaveGone`: the message, or a part of it, may be on its way all the same.
 */
export type SmsOutcome =
  | { readonly accepted: true; readonly message: string }
  | {
      readonly accepted: false;
      readonly errorCode: string;
      readonly gatewayFailed?: boolean;
      readonly mayHaveGone?: boolean;
    };

/** What became of a message: `undelivered` never reached the phone in time, `failed` was refused for good. */
export interface SmsReceipt {
  readonly message: string;
  readonly status: 'delivered' | 'undelivered' | 'failed';
  /** Of the gateway; null where all went well. */
  readonly errorCode: string | null;
}
