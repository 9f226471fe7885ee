import type { Sms } from '@jackfield/ports';
import type { MessageGateway } from '../domain/gateway.ts';

/** A gateway with the link to it. */
export interface LinkedGateway {
  readonly gateway: MessageGateway;
  readonly link: Sms;
  /** Reads a receipt that the gateway sent to the webhook; absent for a gateway that sends receipts over its own connection. */
  readonly takeReceipt?: (request: ReceiptRequest) => 204 | 400 | 403;
  /** Whether the session with the gateway is bound; absent for a gateway without a lasting connection. */
  readonly isBound?: () => boolean;
}

interface ReceiptRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly body: string;
  readonly contentType: string;
}
