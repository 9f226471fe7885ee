import type { SmsOrder, SmsOutcome } from '@jackfield/ports';
import type { Pdu } from 'smpp';
import { messageParts } from './message-parts.ts';

/** SMPP 3.4 §5.1.3: message queue full, and throttled. A slower rate ends both. */
const tooFast = new Set([0x14, 0x58]);
/** SMPP 3.4 §5.1.3: system error, and submit failed; neither concerns the message itself. */
const systemErrors = new Set([0x08, 0x45]);

/** The next action after the response to one part of a message. */
export type AfterPart = 'over' | 'submit' | 'submit-slower';

/** One message on its way to an SMSC: its parts go one after another, each after the response to the previous one. */
export class OutgoingMessage {
  readonly #order: SmsOrder;
  readonly #parts: readonly Buffer[];
  readonly #dataCoding: number;
  readonly #settled: (outcome: SmsOutcome) => void;
  #next = 0;
  /** A part was submitted and has no response, perhaps because the connection broke. */
  #isInDoubt = false;
  #wasInDoubt = false;
  #isOver = false;

  /** `reference` marks the parts of one message; `settled` is called once. */
  constructor(order: SmsOrder, reference: number, settled: (outcome: SmsOutcome) => void) {
    const { parts, dataCoding } = messageParts(order.text, reference);
    this.#order = order;
    this.#parts = parts;
    this.#dataCoding = dataCoding;
    this.#settled = settled;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** A part of it may have reached the SMSC. */
  get hasBegun(): boolean {
    return this.#isInDoubt || this.#next > 0;
  }

  /** The parameters of the next part, which is submitted now; `aheadMs` leads from the clock to the wall clock. */
  nextPart(aheadMs: number): object {
    this.#wasInDoubt = this.#isInDoubt;
    this.#isInDoubt = true;
    return parametersOf(this.#order, this.#parts, this.#next, this.#dataCoding, aheadMs);
  }

  /** The response to the part; undefined when the connection was lost before it. `smsc` marks the names of messages. */
  answered(pdu: Pdu | undefined, smsc: string): AfterPart {
    if (pdu !== undefined) this.#isInDoubt = this.#wasInDoubt;
    if (this.#isOver) return 'over';
    // Its result is unknown, so it is submitted again. A duplicate is better than a loss, because it has the same code.
    if (pdu === undefined) return 'submit';
    const { command_status: status } = pdu;
    if (tooFast.has(status)) return 'submit-slower';
    if (status !== 0) {
      const gatewayFailed = systemErrors.has(status);
      this.settle({ accepted: false, errorCode: String(status), ...(gatewayFailed && { gatewayFailed }) });
      return 'over';
    }
    this.#next++;
    if (this.#next < this.#parts.length) return 'submit';
    // The last part of a long message asks for the receipt, so its name is the message's.
    this.settle({ accepted: true, message: `${smsc}:${String(pdu.message_id ?? '')}` });
    return 'over';
  }

  /** Ends the message; only the first outcome counts. */
  settle(outcome: SmsOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const mayHaveGone = this.hasBegun;
    this.#settled(outcome.accepted || !mayHaveGone ? outcome : { ...outcome, mayHaveGone });
  }
}

function parametersOf(
  order: SmsOrder,
  parts: readonly Buffer[],
  at: number,
  dataCoding: number,
  aheadMs: number,
): object {
  const { from, to, validUntil } = order;
  const isLast = at === parts.length - 1;
  return {
    ...sourceOf(from),
    // SMPP 3.4 §5.2.5 and §5.2.6: international, ISDN.
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: to.replace(/^\+/, ''),
    // §5.2.12: bit 6 means that the text begins with a header.
    esm_class: parts.length > 1 ? 0x40 : 0,
    validity_period: new Date(validUntil + aheadMs),
    registered_delivery: isLast ? 1 : 0,
    data_coding: dataCoding,
    short_message: parts[at],
  };
}

/** An alphanumeric name, an international number, a short code, or the default of the SMSC. */
function sourceOf(from: string | null): object {
  if (from === null) return { source_addr_ton: 0, source_addr_npi: 0, source_addr: '' };
  const digits = from.replace(/^\+/, '');
  if (!/^\d+$/.test(digits)) return { source_addr_ton: 5, source_addr_npi: 0, source_addr: from };
  return { source_addr_ton: digits.length > 6 ? 1 : 3, source_addr_npi: 1, source_addr: digits };
}
