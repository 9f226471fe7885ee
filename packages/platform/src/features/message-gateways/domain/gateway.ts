import type { RoutePrefix, SmsReceipt } from '@jackfield/ports';

/** An operator's way to message boxes, without what lets us in there: the link has that, by the gateway's name. */
export interface MessageGateway {
  readonly name: string;
  readonly prefixes: readonly PricedPrefix[];
  readonly caps: MessageCaps;
}

/** `price` of a message (each part of a long one) in 1e-5 units; undefined where the operator does not say. */
export interface PricedPrefix extends RoutePrefix {
  readonly price: number | undefined;
}

/** What is undefined has no bound. */
export interface MessageCaps {
  readonly messagesPerSecond: number | undefined;
  /** 1e-5 units. */
  readonly spendPerHour: number | undefined;
}

/** How one gateway is spoken to; for its link alone, never logged. */
export type GatewayAccess = SmppAccess | HttpAccess;

/** An SMSC (SMPP 3.4). */
export interface SmppAccess {
  readonly protocol: 'smpp';
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** A file with further authorities, PEM. */
  readonly caFile: string | undefined;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  /** Parts on their way without an answer. */
  readonly window: number;
}

/** A gateway that takes HTTP requests in its own form. */
export interface HttpAccess {
  readonly protocol: 'http';
  readonly name: string;
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Where the JSON answer names the message; empty for an answer that is nothing else. */
  readonly messagePath: string;
  readonly receipts: ReceiptFields | undefined;
}

/** How deliveries are told to the webhook. */
export interface ReceiptFields {
  readonly messageField: string;
  readonly statusField: string;
  readonly errorField?: string;
  readonly statuses: Readonly<Record<string, SmsReceipt['status']>>;
  readonly secret: { readonly field: string; readonly value: string };
}
