import type { Clock, Logger, Sms, SmsReceipt } from '@jackfield/ports';
import { readReceipt } from './delivery-receipt.ts';
import { createSmppLink, type SmppLink, type SmppLinkOptions } from './smpp-link.ts';
import { type SubmitLimits, SubmitQueue } from './submit-queue.ts';

export interface SmppSmsOptions extends SmppLinkOptions, Partial<SubmitLimits> {
  /** Distinguishes the messages of different SMSCs; `host:port` by default. */
  readonly name?: string;
}

export interface SmppSms extends Sms {
  readonly isBound: boolean;
  /** Connects, and connects again after each loss, until `unbind` or `close`. Orders wait meanwhile. */
  bind(): void;
  /** Refuses waiting orders, and unbinds when the SMSC has answered the submitted ones, or after a second. */
  unbind(): Promise<void>;
  /** Unbinds at once; waiting orders are refused. */
  close(): void;
}

/** Limits the wait for a silent SMSC, because another process may be waiting to bind. */
const unbindingMs = 1_000;

/** SMS through an SMSC: SMPP 3.4 as a transceiver, with a window, reconnects, and a slower rate on request. */
export function createSmppSms(
  options: SmppSmsOptions,
  { clock, log }: { clock: Clock; log: Logger },
): SmppSms {
  const { name = `${options.host}:${options.port}`, window = 10, sendMs = 30_000 } = options;
  const { maxWaiting = 10_000, throttleMs = [500, 8_000] } = options;
  let receive: ((receipt: SmsReceipt) => void) | undefined;
  let link: SmppLink | undefined;
  const queue = new SubmitQueue(clock, name, { window, sendMs, maxWaiting, throttleMs }, () => link);

  const bindLink = () =>
    createSmppLink(options, clock, log, {
      bound: () => queue.pump(),
      lost: () => {},
      delivered(pdu) {
        const receipt = readReceipt(pdu);
        if (receipt === undefined) return;
        const { id, status, errorCode } = receipt;
        receive?.({ message: `${name}:${id}`, status, errorCode });
      },
    });

  function close(): void {
    queue.close();
    link?.close();
    link = undefined;
  }

  return {
    get isBound() {
      return link?.isBound === true;
    },
    bind() {
      link ??= bindLink();
    },
    async unbind() {
      await queue.drain(unbindingMs);
      close();
    },
    send: (order) => queue.send(order),
    listen(listener) {
      receive = listener;
    },
    close,
  };
}
