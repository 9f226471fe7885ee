import type { Clock, Logger, Sms, SmsOrder, SmsOutcome, SmsReceipt } from '@jackfield/ports';
import type { Pdu } from 'smpp';
import { readReceipt } from './delivery-receipt.ts';
import { messageParts } from './message-parts.ts';
import { createSmppLink, type SmppLinkOptions } from './smpp-link.ts';

export interface SmppSmsOptions extends SmppLinkOptions {
  /** Distinguishes the messages of different SMSCs; `host:port` by default. */
  readonly name?: string;
  /** Parts that may be sent without a response. */
  readonly window?: number;
  /** An order that could not be submitted within this time is refused. */
  readonly sendMs?: number;
  /** Orders that may wait; a further one is refused at once. */
  readonly maxWaiting?: number;
  /** The pause after a "too fast" response doubles from the first value to the second. */
  readonly throttleMs?: readonly [number, number];
}

export interface SmppSms extends Sms {
  readonly isBound: boolean;
  /** Unbinds; waiting orders are refused. */
  close(): void;
}

interface Waiting {
  readonly order: SmsOrder;
  readonly parts: readonly Buffer[];
  readonly dataCoding: number;
  readonly settle: (outcome: SmsOutcome) => void;
  next: number;
  /** A part is submitted without a response, or was when the connection broke. */
  isInDoubt: boolean;
  isOver: boolean;
}

/** SMPP 3.4 §5.1.3: message queue full, and throttled. A slower rate ends both. */
const tooFast = new Set([0x14, 0x58]);
/** SMPP 3.4 §5.1.3: system error, and submit failed; neither concerns the message itself. */
const systemErrors = new Set([0x08, 0x45]);

/** SMS through an SMSC: SMPP 3.4 as a transceiver, with a window, reconnects, and a slower rate on request. */
export function createSmppSms(options: SmppSmsOptions, deps: { clock: Clock; log: Logger }): SmppSms {
  const { clock, log } = deps;
  const { name = `${options.host}:${options.port}`, window = 10, sendMs = 30_000 } = options;
  const { maxWaiting = 10_000, throttleMs = [500, 8_000] } = options;
  const line: Waiting[] = [];
  const all = new Set<Waiting>();
  let inFlight = 0;
  let reference = 0;
  let pauseMs = throttleMs[0];
  let cancelPause: (() => void) | undefined;
  let tell: ((receipt: SmsReceipt) => void) | undefined;

  const link = createSmppLink(options, clock, log, {
    bound: pump,
    lost: () => {},
    delivered(pdu) {
      const receipt = readReceipt(pdu);
      if (receipt === undefined) return;
      const { id, status, errorCode } = receipt;
      tell?.({ message: `${name}:${id}`, status, errorCode });
    },
  });

  function pump(): void {
    while (link.isBound && cancelPause === undefined && inFlight < window) {
      const waiting = line.shift();
      if (waiting === undefined) return;
      if (!waiting.isOver) submit(waiting);
    }
  }

  /** Submits the parts of one message one after another: each waits for the response to the previous one. */
  function submit(waiting: Waiting): void {
    const { order, parts, dataCoding, next } = waiting;
    const wasInDoubt = waiting.isInDoubt;
    inFlight++;
    waiting.isInDoubt = true;
    link.submit(parametersOf(order, parts, next, dataCoding, clock.wallNow() - clock.now()), (pdu) => {
      inFlight--;
      if (pdu !== undefined) waiting.isInDoubt = wasInDoubt;
      if (!waiting.isOver) answered(waiting, pdu);
      pump();
    });
  }

  function answered(waiting: Waiting, pdu: Pdu | undefined): void {
    if (pdu === undefined) {
      // Its result is unknown. A duplicate is better than a loss: it holds the same code.
      line.unshift(waiting);
      return;
    }
    if (tooFast.has(pdu.command_status)) {
      line.unshift(waiting);
      pause();
      return;
    }
    if (pdu.command_status !== 0) {
      const gatewayFailed = systemErrors.has(pdu.command_status);
      waiting.settle({
        accepted: false,
        errorCode: String(pdu.command_status),
        ...(gatewayFailed && { gatewayFailed }),
      });
      return;
    }
    pauseMs = throttleMs[0];
    waiting.next++;
    if (waiting.next < waiting.parts.length) line.unshift(waiting);
    // The last part of a long message asks for the receipt, so its name is the message's.
    else waiting.settle({ accepted: true, message: `${name}:${String(pdu.message_id ?? '')}` });
  }

  function pause(): void {
    if (cancelPause !== undefined) return;
    cancelPause = clock.startTimer(clock.now() + pauseMs, () => {
      cancelPause = undefined;
      pump();
    });
    pauseMs = Math.min(pauseMs * 2, throttleMs[1]);
  }

  return {
    get isBound() {
      return link.isBound;
    },
    send(order) {
      if (all.size >= maxWaiting) return Promise.resolve(failed('queue-full'));
      reference = (reference + 1) & 0xff;
      const message = messageParts(order.text, reference);
      return new Promise((resolve) => {
        const at = Math.min(clock.now() + sendMs, order.validUntil);
        const cancel = clock.startTimer(at, () =>
          waiting.settle(failed(link.isBound ? 'timeout' : 'unreachable')),
        );
        const waiting: Waiting = {
          order,
          ...message,
          next: 0,
          isInDoubt: false,
          isOver: false,
          settle(outcome) {
            if (waiting.isOver) return;
            waiting.isOver = true;
            all.delete(waiting);
            cancel();
            const mayHaveGone = waiting.isInDoubt || waiting.next > 0;
            resolve(outcome.accepted || !mayHaveGone ? outcome : { ...outcome, mayHaveGone });
          },
        };
        all.add(waiting);
        line.push(waiting);
        pump();
      });
    },
    listen(listener) {
      tell = listener;
    },
    close() {
      cancelPause?.();
      for (const waiting of [...all]) waiting.settle(failed('unreachable'));
      line.length = 0;
      link.close();
    },
  };
}

function failed(errorCode: string): SmsOutcome {
  return { accepted: false, errorCode, gatewayFailed: true };
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
