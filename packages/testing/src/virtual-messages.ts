import type { LinkedGateway } from '@jackfield/platform';
import type { Clock, Sms, SmsReceipt } from '@jackfield/ports';
import type { TextMessage } from './api.ts';
import type { Faults } from './faults.ts';

/** The gateway for text messages of a world: each arrives after 200 ms, with a receipt. */
export interface VirtualMessages {
  readonly gateways: readonly LinkedGateway[];
  to(number: string): readonly TextMessage[];
  close(): void;
}

const usualMs = 200;

export function createVirtualMessages(deps: {
  readonly clock: () => Pick<Clock, 'now' | 'startTimer'>;
  readonly faults: () => Faults;
  readonly touched: () => void;
}): VirtualMessages {
  const arrived: TextMessage[] = [];
  const waiting = new Set<() => void>();
  let number = 0;
  let report: (receipt: SmsReceipt) => void = () => {};

  const link: Sms = {
    async send({ from, to, text }) {
      const message = `world-${++number}`;
      const faults = deps.faults();
      if (faults.isOn('sms-lost')) return { accepted: true, message };
      const clock = deps.clock();
      const cancel = clock.startTimer(clock.now() + Math.max(usualMs, faults.lateMs('sms-late')), () => {
        waiting.delete(cancel);
        arrived.push({ from, to, text });
        deps.touched();
        report({ message, status: 'delivered', errorCode: null });
      });
      waiting.add(cancel);
      return { accepted: true, message };
    },
    listen(listener) {
      report = listener;
    },
  };
  const prefixes = [{ prefix: '', priority: 1, weight: 1, price: undefined }];
  const caps = { messagesPerSecond: undefined, spendPerHour: undefined };
  return {
    gateways: [{ gateway: { name: 'world', prefixes, caps }, link }],
    to: (receiver) => arrived.filter(({ to }) => to === receiver),
    close() {
      for (const cancel of waiting) cancel();
      waiting.clear();
    },
  };
}
