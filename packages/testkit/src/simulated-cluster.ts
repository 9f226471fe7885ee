import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@jackfield/ports';
import { type BusFaults, createMemoryBuses, type MemoryBuses } from './memory-bus.ts';
import { createSharedFiles } from './shared-files.ts';
import type { SimulatedClockFaults } from './simulated-clock-faults.ts';
import { withClockFaults } from './simulated-clock-faults.ts';
import { createSimulatedMachine, type SimulatedMachine } from './simulated-machine.ts';
import {
  type SimulatedPlatform,
  type SimulatedPlatformOptions,
  startSimulatedPlatform,
} from './simulated-platform.ts';
import type { NodeFaults, SimulatedProcesses } from './simulated-processes.ts';

export interface ClusterFaults {
  /** Of the messages between nodes. */
  readonly bus?: BusFaults;
  /** Of each node, in the order of their numbers; the clock of the world where left out. */
  readonly clocks?: readonly SimulatedClockFaults[];
}

export interface SimulatedClusterOptions extends Omit<SimulatedPlatformOptions, 'database'> {
  readonly nodes: number;
  readonly faults?: ClusterFaults;
}

export interface SimulatedCluster extends SimulatedProcesses {
  readonly bus: MemoryBuses;
  readonly faults: NodeFaults;
}

/** A node, by its number. */
interface Seat {
  readonly node: SimulatedPlatform;
  readonly machine: SimulatedMachine;
  readonly joined: { token: string; bus: Bus } | undefined;
}

/** Several nodes on one clock, one network, one database and one bus. The node at number 0 has the address of the options, the others the next ones. */
export async function startSimulatedCluster(options: SimulatedClusterOptions): Promise<SimulatedCluster> {
  const { nodes, faults = {}, clock, random, settling, log } = options;
  const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const directory = mkdtempSync(join(parent, 'jackfield-cluster-'));
  const files = createSharedFiles({ directory, log });
  const bus = createMemoryBuses(clock, {
    faults: faults.bus ?? {},
    random,
    touched: settling.touched,
  });
  const seats: Seat[] = [];
  const killed = new Set<SimulatedPlatform>();
  const running = () => seats.flatMap(({ node }) => (killed.has(node) ? [] : [node]));
  const awake = () => running().filter((node) => !seatOf(node).machine.isStopped);
  const seatOf = (meant: SimulatedPlatform) => seats.find(({ node }) => node === meant)!;
  const tokenOf = (node: SimulatedPlatform) => seatOf(node).joined?.token ?? '';

  async function start(number: number): Promise<void> {
    const machine = createSimulatedMachine(settling);
    let joined: Seat['joined'];
    const node = await startSimulatedPlatform({
      ...options,
      clock: machine.clock(withClockFaults(clock, faults.clocks?.[number])),
      network: machine.network(options.network),
      customer: machine.egress(options.customer),
      sip: addressOf(options.sip, number),
      database: machine.database(files.open()),
      settings: {
        // A process that another one has ended exits.
        onIncarnationEnded: () => void kill(node),
        ...options.settings,
        node: `node-${number}`,
        joinBus(token) {
          joined = { token, bus: bus.join(token) };
          return machine.bus(joined.bus);
        },
      },
    });
    seats[number] = { node, machine, joined };
  }

  for (let number = 0; number < nodes; number++) await start(number);
  const entry = () => awake()[Math.floor(random() * awake().length)]!;

  async function kill(node: SimulatedPlatform): Promise<void> {
    if (killed.has(node)) return;
    killed.add(node);
    node.kill();
    await seatOf(node).joined?.bus.close();
    await node.platform.http.close();
  }

  return {
    bus,
    faults: {
      addressOf: (node) => addressOf(options.sip, seats.indexOf(seatOf(node))),
      kill,
      stop: (node) => seatOf(node).machine.stop(),
      goOn: (node) => seatOf(node).machine.goOn(),
      partOneWay: (from, to) => bus.cutOneWay(tokenOf(from), tokenOf(to)),
      part: (one, other) => bus.cutBetween(tokenOf(one), tokenOf(other)),
      cutFromDatabase: (node) => seatOf(node).machine.cutFromDatabase(),
      loseAnswers: (node, loses) => seatOf(node).machine.loseAnswers(loses),
      cutBehindCommit: (node) => seatOf(node).machine.cutBehindCommit(),
      mendDatabase: (node) => seatOf(node).machine.mendDatabase(),
    },
    get isAnyHeldUp() {
      return running().some((node) => seatOf(node).machine.isStopped || seatOf(node).machine.isCommitLost);
    },
    get all() {
      return running();
    },
    get current() {
      return awake()[0]!;
    },
    addresses: Array.from({ length: nodes }, (_, number) => addressOf(options.sip, number)),
    entry,
    entryAddress: () => addressOf(options.sip, seats.indexOf(seatOf(entry()))),
    async restart(whileDown, end) {
      if (end === 'killed') for (const node of running()) await kill(node);
      await whileDown();
      await Promise.all(Array.from({ length: nodes }, (_, number) => start(number)));
    },
    async close() {
      try {
        for (const node of running()) {
          seatOf(node).machine.goOn();
          await node.close();
        }
      } finally {
        await files.close();
        rmSync(directory, { recursive: true, force: true });
      }
    },
  };
}

function addressOf({ address, port }: SimulatedPlatformOptions['sip'], number: number) {
  const parts = address.split('.');
  return { address: [...parts.slice(0, 3), Number(parts[3]) + number].join('.'), port };
}
