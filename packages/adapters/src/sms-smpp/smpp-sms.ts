import type { Clock, Logger, Sms, SmsOrder, SmsOutcome, SmsReceipt } from '@jackfield/ports';
import type { Pdu } from 'smpp';
import { readReceipt } from './delivery-receipt.ts';
import { messageParts } from './message-parts.ts';
import { createSmppLink, type SmppLinkOptions } from './smpp-link.ts';

export interface SmppSmsOptions extends SmppLinkOptions {
  /** Tells the messages of different SMSCs apart; `host:port` when left out. */
  readonly name?: string;
  /** Parts that may be on their way without an answer. */
  readonly window?: number;
  /** An order that could not be handed over after this long is refused. */
  readonly sendMs?: number;
  /** Orders that may wait; one more is refused at once. */
  readonly maxWaiting?: number;
  /** The pause after an answer that says "too fast" doubles from the first to the second. */
  readonly throttleMs?: readonly [number, number];
}

export interface SmppSms extends Sms {
  readonly isBound: boolean;
  /** Unbinds; what waits is refused. */
  close(): void;
}

interface Waiting {
  readonly order: SmsOrder;
  readonly parts: readonly Buffer[];
  readonly dataCoding: number;
  readonly settle: (outcome: SmsOutcome) => void;
  next: number;
  /** A part is on its way, or was when the connection broke. */
  isInDoubt: boolean;
  isOver: boolean;
}

/** SMPP 3.4 §5.1.3: message queue full, and throttled. Both are over when it is slower. */
const tooFast = new Set([0x14, 0x58]);
/** SMPP 3.4 §5.1.3: system error, and submit failed without a word on the message. */
const systemErrors = new Set([0x08, 0x45]);

/** SMS through an SMSC: SMPP 3.4 as a transceiver, within a window, again after a broken connection and slower when asked. */
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

  /** The parts of one message go one after another: each is answered before the next. */
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
      // Its fate is unknown. Twice is better than never: it holds the same code.
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
    // Of a long message the last part asks for the receipt, so its name is the message's.
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
    // §5.2.12: bit 6 says that the text begins with a header.
    esm_class: parts.length > 1 ? 0x40 : 0,
    validity_period: new Date(validUntil + aheadMs),
    registered_delivery: isLast ? 1 : 0,
    data_coding: dataCoding,
    short_message: parts[at],
  };
}

/** A name, a number of a country, a short code, or whatever the SMSC has for us. */
function sourceOf(from: string | null): object {
  if (from === null) return { source_addr_ton: 0, source_addr_npi: 0, source_addr: '' };
  const digits = from.replace(/^\+/, '');
  if (!/^\d+$/.test(digits)) return { source_addr_ton: 5, source_addr_npi: 0, source_addr: from };
  return { source_addr_ton: digits.length > 6 ? 1 : 3, source_addr_npi: 1, source_addr: digits };
}
