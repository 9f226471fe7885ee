import type { Bus, Clock, Database, Egress } from '@jackfield/ports';
import type { Settling } from './settling.ts';
import { DatabaseFaults } from './simulated-database-faults.ts';
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

export function createSimulatedMachine({
  whileTimePasses,
}: Pick<Settling, 'whileTimePasses'>): SimulatedMachine {
  let isStopped = false;
  const faults = new DatabaseFaults(whileTimePasses);
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

  return {
    get isStopped() {
      return isStopped;
    },
    get isCommitLost() {
      return faults.isCommitLost;
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
    cutFromDatabase: () => faults.cut(),
    cutBehindCommit: () => faults.cutBehindCommit(),
    loseAnswers: (loses) => faults.loseAnswers(loses),
    mendDatabase: () => faults.mend(),
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
    database: (database) => faults.before(database),
  };
}
