import type { LinkedGateway } from '@jackfield/platform';
import type { SmsOrder, SmsOutcome, SmsReceipt } from '@jackfield/ports';

/** An operator's gateway for messages to every number: a test gives its answers and receipts. It outlives the processes of a world. */
export interface SimulatedMessageGateway {
  /** For the setting `sms` of a world. */
  readonly linked: LinkedGateway;
  readonly orders: readonly SmsOrder[];
  /** The answer to the next order that has none; a promise is a slow gateway. Without one, order n is accepted as `m-n`. */
  answerNext(outcome: SmsOutcome | Promise<SmsOutcome>): void;
  receipt(receipt: SmsReceipt): void;
}

export function createSimulatedMessageGateway(): SimulatedMessageGateway {
  let listener = (_: SmsReceipt): void => {};
  const orders: SmsOrder[] = [];
  const answers: (SmsOutcome | Promise<SmsOutcome>)[] = [];
  return {
    orders,
    answerNext: (outcome) => void answers.push(outcome),
    receipt: (receipt) => listener(receipt),
    linked: {
      gateway: {
        name: 'simulated',
        prefixes: [{ prefix: '', priority: 1, weight: 1, price: undefined }],
        caps: { messagesPerSecond: undefined, spendPerHour: undefined },
      },
      link: {
        async send(order) {
          orders.push(order);
          const accepted = { accepted: true, message: `m-${orders.length}` } as const;
          return answers.shift() ?? accepted;
        },
        listen(given) {
          listener = given;
        },
      },
    },
  };
}
