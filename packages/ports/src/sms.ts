import type { Instant } from './machine.ts';

/** The way to phones' message boxes: an SMSC, an HTTP gateway, or the inbox of the sandbox. */
export interface Sms {
  /** Sends one message. Resolves when the gateway accepts or refuses it, or does not answer in time; never rejects. */
  send(order: SmsOrder): Promise<SmsOutcome>;
  /** Calls `listener` for each delivery receipt, which may come late, twice, out of order or never. Set once per process. */
  listen(listener: (receipt: SmsReceipt) => void): void;
}

/** A text to one phone. `id` names the order: a gateway that supports it does not send a known `id` twice. */
export interface SmsOrder {
  readonly id: string;
  /** The sending account, and its main account. */
  readonly account: string;
  readonly mainAccount: string;
  /** Number or name shown to the receiver; null leaves it to the gateway. */
  readonly from: string | null;
  /** E.164 with its +. */
  readonly to: string;
  readonly text: string;
  /** The message is not to be delivered later than this; passed to gateways that support validity periods. */
  readonly validUntil: Instant;
  /** The outcome is requested by then: the order is refused where it has not been submitted. Left out, the limit of the gateway holds alone. */
  readonly settleBy?: Instant;
}

/**
 * `message` is the gateway's name for the message; `errorCode` is the gateway's code, as text, shown to customers. `gatewayFailed`:
 * the gateway is at fault, and another one may accept the message. `mayHaveGone`: the message, or a part of it, may have been sent.
 */
export type SmsOutcome =
  | { readonly accepted: true; readonly message: string }
  | {
      readonly accepted: false;
      readonly errorCode: string;
      readonly gatewayFailed?: boolean;
      readonly mayHaveGone?: boolean;
    };

/** The outcome of a message: `undelivered` did not reach the phone in time, `failed` was refused permanently. */
export interface SmsReceipt {
  readonly message: string;
  readonly status: 'delivered' | 'undelivered' | 'failed';
  /** The gateway's code; null on success. */
  readonly errorCode: string | null;
}
