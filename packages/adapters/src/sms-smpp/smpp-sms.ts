import type { Clock, Logger, Sms, SmsOutcome, SmsReceipt } from '@jackfield/ports';
import { readReceipt } from './delivery-receipt.ts';
import { OutgoingMessage } from './outgoing-message.ts';
import { createSmppLink, type SmppLink, type SmppLinkOptions } from './smpp-link.ts';
import { Throttle } from './throttle.ts';

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
  const line: OutgoingMessage[] = [];
  const all = new Set<OutgoingMessage>();
  const throttle = new Throttle(clock, throttleMs);
  let inFlight = 0;
  let reference = 0;
  let receive: ((receipt: SmsReceipt) => void) | undefined;
  let link: SmppLink | undefined;
  /** Called when no order is left, while the link is unbound. */
  let emptied: (() => void) | undefined;

  const bindLink = () =>
    createSmppLink(options, clock, log, {
      bound: pump,
      lost: () => {},
      delivered(pdu) {
        const receipt = readReceipt(pdu);
        if (receipt === undefined) return;
        const { id, status, errorCode } = receipt;
        receive?.({ message: `${name}:${id}`, status, errorCode });
      },
    });

  function pump(): void {
    while (link?.isBound === true && !throttle.isPaused && inFlight < window) {
      const message = line.shift();
      if (message === undefined) return;
      if (!message.isOver) submit(link, message);
    }
  }

  function submit(through: SmppLink, message: OutgoingMessage): void {
    inFlight++;
    through.submit(message.nextPart(clock.wallNow() - clock.now()), (pdu) => {
      inFlight--;
      const wasOver = message.isOver;
      const after = message.answered(pdu, name);
      if (!wasOver && pdu?.command_status === 0) throttle.reset();
      if (after !== 'over') line.unshift(message);
      if (after === 'submit-slower') throttle.pause(pump);
      pump();
    });
  }

  function close(): void {
    throttle.close();
    for (const message of [...all]) message.settle(failed('unreachable'));
    line.length = 0;
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
      for (const message of [...all]) if (!message.hasBegun) message.settle(failed('unbound'));
      if (all.size > 0) {
        await new Promise<void>((resolve) => {
          const cancel = clock.startTimer(clock.now() + unbindingMs, resolve);
          emptied = () => {
            cancel();
            resolve();
          };
        });
        emptied = undefined;
      }
      close();
    },
    send(order) {
      if (all.size >= maxWaiting) return Promise.resolve(failed('queue-full'));
      reference = (reference + 1) & 0xff;
      return new Promise((resolve) => {
        const message = new OutgoingMessage(order, reference, (outcome) => {
          all.delete(message);
          cancel();
          resolve(outcome);
          if (all.size === 0) emptied?.();
        });
        const at = Math.min(clock.now() + sendMs, order.validUntil, order.settleBy ?? order.validUntil);
        const cancel = clock.startTimer(at, () =>
          message.settle(failed(link?.isBound === true ? 'timeout' : 'unreachable')),
        );
        all.add(message);
        line.push(message);
        pump();
      });
    },
    listen(listener) {
      receive = listener;
    },
    close,
  };
}

function failed(errorCode: string): SmsOutcome {
  return { accepted: false, errorCode, gatewayFailed: true };
}
