import type { Bus, Clock, Database, Egress } from '@jackfield/ports';
import type { DatagramNetwork } from './simulated-network.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The machine of a simulated node, whose process can stop, and lose the database. */
export interface SimulatedMachine {
  readonly isStopped: boolean;
  /** As SIGSTOP does: timers, messages, datagrams and answers wait. */
  stop(): void;
  /** All that has waited happens at once, in its order. */
  goOn(): void;
  /** Units and reads of this node fail, those of the others succeed. */
  cutFromDatabase(): void;
  /**
   * Units of this node for which `loses` is true are committed and seem to have failed, as when the connection is lost during a commit.
   * Heartbeats have a connection of their own.
   */
  loseAnswers(loses: () => boolean): void;
  /** Ends `cutFromDatabase` and `loseAnswers`. */
  mendDatabase(): void;
  clock(clock: VirtualClock): VirtualClock;
  network(network: DatagramNetwork): DatagramNetwork;
  bus(bus: Bus): Bus;
  /** What sends the requests of this node to customers. */
  egress<Sender extends Egress>(egress: Sender): Sender;
  database(database: Database): Database;
}

/** What a socket of Linux keeps of datagrams that no process reads: about 200 KiB. */
const datagramsKept = 200;

const never = (): boolean => false;

class NoDatabaseError extends Error {
  readonly code = 'database-unavailable';

  constructor() {
    super('the database cannot be reached from this node');
    this.name = 'NoDatabaseError';
  }
}

export function createSimulatedMachine(): SimulatedMachine {
  let isStopped = false;
  let isCut = false;
  let losesAnswer = never;
  let waiting: (() => void)[] = [];

  function pass(action: () => void): void {
    if (isStopped) waiting.push(action);
    else action();
  }

  function passed<Result>(work: Promise<Result>): Promise<Result> {
    return work.finally(() => new Promise<void>((resolve) => pass(resolve)));
  }

  function clockOf(clock: Clock): Clock['startTimer'] {
    return (at, fire) => {
      let isCancelled = false;
      const cancel = clock.startTimer(at, () => pass(() => isCancelled || fire()));
      return () => {
        isCancelled = true;
        cancel();
      };
    };
  }

  const connection: DatabaseConnection = {
    assertReached() {
      if (isCut) throw new NoDatabaseError();
    },
    assertAnswered() {
      if (losesAnswer()) throw new NoDatabaseError();
    },
  };

  return {
    get isStopped() {
      return isStopped;
    },
    stop() {
      isStopped = true;
    },
    goOn() {
      isStopped = false;
      const actions = waiting;
      waiting = [];
      for (const action of actions) pass(action);
    },
    cutFromDatabase() {
      isCut = true;
    },
    loseAnswers(loses) {
      losesAnswer = loses;
    },
    mendDatabase() {
      isCut = false;
      losesAnswer = never;
    },
    clock: (clock) => ({ ...clock, startTimer: clockOf(clock) }),
    network: (network) => ({
      send: (...datagram) => network.send(...datagram),
      attach(at, receive) {
        let kept = 0;
        return network.attach(at, (payload, from) => {
          if (isStopped && kept === datagramsKept) return;
          kept++;
          pass(() => {
            kept--;
            receive(payload, from);
          });
        });
      },
    }),
    bus: (bus) => ({
      ask: (...request) => passed(bus.ask(...request)),
      notify: (...message) => bus.notify(...message),
      serve(subject, handle) {
        bus.serve(subject, (body, from) => {
          if (!isStopped) return handle(body, from);
          return new Promise((resolve, reject) => {
            pass(() => handle(body, from)?.then(resolve, reject));
          });
        });
      },
      get isConnected() {
        return bus.isConnected;
      },
      close: () => bus.close(),
    }),
    egress: (egress) =>
      Object.create(egress, {
        send: { value: ((request) => passed(egress.send(request))) as Egress['send'] },
      }),
    database: (database) => databaseOf(database, connection),
  };
}

/** Both throw while the fault lasts. */
interface DatabaseConnection {
  /** Before a unit begins, and before the answer of a read. */
  assertReached(): void;
  /** After the commit of a unit. */
  assertAnswered(): void;
}

function databaseOf(database: Database, connection: DatabaseConnection): Database {
  let read: Database['read'] | undefined;
  const transact: Database['transact'] = async (work, unit) => {
    connection.assertReached();
    const result = await database.transact(work, unit);
    if (unit?.isHeartbeat !== true) connection.assertAnswered();
    return result;
  };
  return Object.create(database, {
    transact: { value: transact },
    read: {
      // The first read opens a file that `migrate` may have to write before.
      get() {
        read ??= database.read.withPlugin({
          transformQuery: ({ node }) => node,
          async transformResult({ result }) {
            connection.assertReached();
            return result;
          },
        });
        return read;
      },
    },
  });
}
