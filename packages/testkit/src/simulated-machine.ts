import type { Bus, Clock, Database, Egress, UnitOptions } from '@jackfield/ports';
import type { Settling } from './settling.ts';
import type { DatagramNetwork } from './simulated-network.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** The machine of a simulated node, whose process can stop, and lose the database. */
export interface SimulatedMachine {
  readonly isStopped: boolean;
  /** A commit waits for its answer, or the next one will. */
  readonly isCommitLost: boolean;
  /** As SIGSTOP does: timers, messages, datagrams and answers wait. */
  stop(): void;
  /** All that has waited happens at once, in its order. */
  goOn(): void;
  /** Units and reads of this node fail, those of the others succeed. */
  cutFromDatabase(): void;
  /**
   * As `cutFromDatabase`, from behind the next commit on: it is made, and its unit learns so when the database is back, as on PostgreSQL.
   */
  cutBehindCommit(): void;
  /**
   * Units of this node for which `loses` is true are committed and seem to have failed, as when the database stays away for too long to be
   * asked. Heartbeats have a connection of their own.
   */
  loseAnswers(loses: () => boolean): void;
  /** Ends all three. */
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

export function createSimulatedMachine({
  whileTimePasses,
}: Pick<Settling, 'whileTimePasses'>): SimulatedMachine {
  let isStopped = false;
  let isCut = false;
  let losesAnswer = never;
  let isCutBehindCommit = false;
  let mended: PromiseWithResolvers<void> | undefined;
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
    async answered(unit) {
      if (unit?.isHeartbeat !== true && losesAnswer()) throw new NoDatabaseError();
      if (!isCutBehindCommit) return;
      isCutBehindCommit = false;
      isCut = true;
      mended = Promise.withResolvers();
      await whileTimePasses(mended.promise);
    },
  };

  return {
    get isStopped() {
      return isStopped;
    },
    get isCommitLost() {
      return isCutBehindCommit || mended !== undefined;
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
    cutBehindCommit() {
      isCutBehindCommit = true;
    },
    loseAnswers(loses) {
      losesAnswer = loses;
    },
    mendDatabase() {
      isCut = false;
      losesAnswer = never;
      isCutBehindCommit = false;
      mended?.resolve();
      mended = undefined;
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

/** Throws while a fault lasts. */
interface DatabaseConnection {
  /** Before a unit begins, and before the answer of a read. */
  assertReached(): void;
  /** After the commit of a unit; waits for the end of `cutBehindCommit`. */
  answered(unit: UnitOptions | undefined): Promise<void>;
}

function databaseOf(database: Database, connection: DatabaseConnection): Database {
  let read: Database['read'] | undefined;
  const transact: Database['transact'] = async (work, unit) => {
    connection.assertReached();
    const result = await database.transact(work, unit);
    await connection.answered(unit);
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
