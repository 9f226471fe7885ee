import type { RoutePrefix, SmsReceipt } from '@jackfield/ports';

/** An operator's gateway for messages, without its credentials: the link has them, by the gateway's name. */
export interface MessageGateway {
  readonly name: string;
  readonly prefixes: readonly PricedPrefix[];
  readonly caps: MessageCaps;
}

/** `price` of a message (each part of a long one) in 1e-5 units; undefined without a configured price. */
export interface PricedPrefix extends RoutePrefix {
  readonly price: number | undefined;
}

/** Undefined: without a limit. */
export interface MessageCaps {
  readonly messagesPerSecond: number | undefined;
  /** 1e-5 units. */
  readonly spendPerHour: number | undefined;
}

/** Protocol and credentials of a gateway; for its link alone, never logged. */
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
  /** Parts without an answer yet. */
  readonly window: number;
}

/** A gateway that accepts HTTP requests in its own form. */
export interface HttpAccess {
  readonly protocol: 'http';
  readonly name: string;
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Path of the message's name in the JSON answer; empty where the answer is the name alone. */
  readonly messagePath: string;
  readonly receipts: ReceiptFields | undefined;
}

/** Fields of the receipts at the webhook. */
export interface ReceiptFields {
  readonly messageField: string;
  readonly statusField: string;
  readonly errorField?: string;
  readonly statuses: Readonly<Record<string, SmsReceipt['status']>>;
  readonly secret: { readonly field: string; readonly value: string };
}
