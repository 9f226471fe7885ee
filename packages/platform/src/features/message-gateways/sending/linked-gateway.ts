import type { Sms } from '@jackfield/ports';
import type { MessageGateway } from '../domain/gateway.ts';

/** A gateway with the link to it. */
export interface LinkedGateway {
  readonly gateway: MessageGateway;
  readonly link: Sms;
  /** Reads a receipt that the gateway sent to the webhook; absent for a gateway that sends receipts over its own connection. */
  readonly takeReceipt?: (request: ReceiptRequest) => 204 | 400 | 403;
  /** Absent for a gateway without a lasting connection. */
  readonly session?: GatewaySession;
}

/** The session with a gateway. One process of those that share a database has it. */
export interface GatewaySession {
  readonly isBound: boolean;
  /** Binds, and binds again after each loss. */
  bind(): void;
  /** Resolves when it is unbound; messages that were not submitted are refused. */
  unbind(): Promise<void>;
}

interface ReceiptRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
  readonly contentType: string;
}
