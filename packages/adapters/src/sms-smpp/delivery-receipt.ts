import type { Pdu } from 'smpp';

export interface DeliveryReceipt {
  /** The SMSC's name of the message. */
  readonly id: string;
  readonly status: 'delivered' | 'undelivered' | 'failed';
  readonly errorCode: string | null;
}

const wordsOf = {
  DELIVRD: 'delivered',
  EXPIRED: 'undelivered',
  DELETED: 'undelivered',
  UNDELIV: 'undelivered',
  UNKNOWN: 'undelivered',
  REJECTD: 'failed',
} as const;
/** SMPP 3.4 §5.2.28 message_state; a state that is not listed is not final. */
const statesOf: Readonly<Record<number, keyof typeof wordsOf>> = {
  2: 'DELIVRD',
  3: 'EXPIRED',
  4: 'DELETED',
  5: 'UNDELIV',
  7: 'UNKNOWN',
  8: 'REJECTD',
};

/**
 * The final receipt in a deliver_sm: from its TLVs, else from its text (SMPP 3.4 appendix B, which every SMSC writes a little differently).
 * Undefined for a message of a phone, and for a state that is not final.
 */
export function readReceipt(pdu: Pdu): DeliveryReceipt | undefined {
  // SMPP 3.4 §5.2.12: bit 2 of esm_class.
  if ((Number(pdu.esm_class) & 0x04) === 0) return undefined;
  const text = textOf(pdu.short_message);
  const field = (name: string) => new RegExp(`\\b${name}:([^\\s]{1,65})`, 'i').exec(text)?.[1];
  const id = typeof pdu.receipted_message_id === 'string' ? pdu.receipted_message_id : field('id');
  const word = statesOf[Number(pdu.message_state)] ?? field('stat')?.toUpperCase();
  if (id === undefined || word === undefined || !(word in wordsOf)) return undefined;
  const status = wordsOf[word as keyof typeof wordsOf];
  const error = field('err');
  const isNamed = error !== undefined && !/^0*$/.test(error);
  return {
    id: id.replace(/\0+$/, ''),
    status,
    errorCode: status === 'delivered' ? null : isNamed ? error : word,
  };
}

/** Receipts are short; longer texts are not read. */
function textOf(message: unknown): string {
  const body =
    typeof message === 'object' && message !== null && 'message' in message ? message.message : message;
  return Buffer.isBuffer(body) ? body.toString('latin1', 0, 512) : String(body ?? '').slice(0, 512);
}
