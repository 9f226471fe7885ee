import {
  type Bus,
  BusError,
  type BusReceiver,
  type Clock,
  everyone,
  longestBusMessage,
} from '@jackfield/ports';

/** The nodes of one process, over one bus in memory. */
export interface MemoryBuses {
  join(incarnation: string): Bus;
  /** Without a connection no node reaches another. */
  cut(): void;
  /** These two get no messages of each other, and do not notice; both reach all others. */
  cutBetween(one: string, other: string): void;
  /** The messages of the one no longer reach the other, and those of the other still arrive. */
  cutOneWay(from: string, to: string): void;
  /** All connections stand again. */
  mend(): void;
  /** What happens to each message from now on. */
  impair(faults: BusFaults): void;
  /** Answers may need time to pass. */
  readonly isImpaired: boolean;
}

/** Rates are 0 to 1. A message with a delay passes on the clock; jitter lets messages overtake each other. */
export interface BusFaults {
  readonly lossRate?: number;
  readonly duplicateRate?: number;
  readonly delayMs?: number;
  /** Added to the delay, uniformly from 0. */
  readonly jitterMs?: number;
}

export interface MemoryBusOptions {
  readonly faults?: BusFaults;
  /** Decides about faults. */
  readonly random?: () => number;
  /** Called before each message arrives. */
  readonly touched?: () => void;
}

interface Member {
  readonly handlers: Map<string, BusReceiver>;
}

/** Without a delay messages arrive in a later turn, as over a network; deadlines run on `clock`. */
export function createMemoryBuses(
  clock: Pick<Clock, 'now' | 'startTimer'>,
  { faults: first = {}, random = () => 1, touched = () => {} }: MemoryBusOptions = {},
): MemoryBuses {
  const members = new Map<string, Member>();
  let isCut = false;
  const cuts = new Set<string>();
  let faults = first;

  function later(from: string, to: string, action: () => void): void {
    const { lossRate = 0, duplicateRate = 0 } = faults;
    const copies = duplicateRate > 0 && random() < duplicateRate ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (lossRate > 0 && random() < lossRate) continue;
      onArrival(() => {
        touched();
        if (!isCut && !cuts.has(wayOf(from, to))) action();
      });
    }
  }

  function onArrival(arrive: () => void): void {
    const { delayMs = 0, jitterMs = 0 } = faults;
    const delay = delayMs + (jitterMs > 0 ? random() * jitterMs : 0);
    if (delay > 0) clock.startTimer(clock.now() + delay, arrive);
    else setImmediate(arrive);
  }

  function ask(from: string, to: string, subject: string, body: Uint8Array, deadlineMs: number) {
    return new Promise<Uint8Array>((resolve, reject) => {
      if (body.length > longestBusMessage) throw tooLong(body);
      if (isCut || !members.has(from)) throw failure('bus-not-connected', 'the bus is cut');
      if (!members.has(to)) throw failure('bus-no-receiver', `no node has the token '${to}'`);
      const refuse = (reason: string): void => {
        cancel();
        reject(failure('bus-no-answer', reason));
      };
      const cancel = clock.startTimer(clock.now() + deadlineMs, () => refuse('the deadline has passed'));
      later(from, to, () => {
        try {
          members
            .get(to)
            ?.handlers.get(subject)?.(body.slice(), from)
            ?.then(
              (answer) =>
                later(to, from, () => {
                  cancel();
                  resolve(answer.slice());
                }),
              () => later(to, from, () => refuse('the other node could not answer')),
            );
        } catch {
          later(to, from, () => refuse('the other node could not answer'));
        }
      });
    });
  }

  function notify(from: string, to: string, subject: string, body: Uint8Array): void {
    if (body.length > longestBusMessage) throw tooLong(body);
    if (isCut || !members.has(from)) return;
    const receivers = to === everyone ? [...members.keys()].filter((each) => each !== from) : [to];
    for (const receiver of receivers)
      later(from, receiver, () => {
        members
          .get(receiver)
          ?.handlers.get(subject)?.(body.slice(), from)
          ?.catch(() => {});
      });
  }

  return {
    join(incarnation) {
      const handlers = new Map<string, BusReceiver>();
      members.set(incarnation, { handlers });
      return {
        ask: (to, subject, body, deadlineMs) => ask(incarnation, to, subject, body, deadlineMs),
        notify: (to, subject, body) => notify(incarnation, to, subject, body),
        serve(subject, handle) {
          if (handlers.has(subject)) throw new Error(`the subject '${subject}' already has a handler`);
          handlers.set(subject, handle);
        },
        get isConnected() {
          return !isCut && members.has(incarnation);
        },
        async close() {
          members.delete(incarnation);
        },
      };
    },
    cut() {
      isCut = true;
    },
    cutBetween(one, other) {
      cuts.add(wayOf(one, other)).add(wayOf(other, one));
    },
    cutOneWay: (from, to) => void cuts.add(wayOf(from, to)),
    mend() {
      isCut = false;
      cuts.clear();
    },
    impair(next) {
      faults = next;
    },
    get isImpaired() {
      return cuts.size > 0 || Object.values(faults).some((value) => value > 0);
    },
  };
}

function wayOf(from: string, to: string): string {
  return `${from} ${to}`;
}

function tooLong({ length }: Uint8Array): BusError {
  return failure(
    'bus-too-long',
    `a message of ${length} bytes is not sent: at most ${longestBusMessage} are allowed`,
  );
}

function failure(code: BusError['code'], sentence: string): BusError {
  return new BusError(code, sentence);
}
