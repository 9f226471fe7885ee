import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@jackfield/ports';
import { type BusFaults, createMemoryBuses, type MemoryBuses } from './memory-bus.ts';
import { createSharedFiles } from './shared-files.ts';
import type { SimulatedClockFaults } from './simulated-clock-faults.ts';
import { withClockFaults } from './simulated-clock-faults.ts';
import {
  type SimulatedPlatform,
  type SimulatedPlatformOptions,
  startSimulatedPlatform,
} from './simulated-platform.ts';
import type { SimulatedProcesses } from './simulated-processes.ts';

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
  /** Ends a node between two instructions, without any message; it stays away. */
  kill(node: SimulatedPlatform): Promise<void>;
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
  const all: SimulatedPlatform[] = [];
  const joined: (Bus | undefined)[] = [];
  const killed = new Set<SimulatedPlatform>();
  const running = () => all.filter((node) => !killed.has(node));

  async function start(number: number): Promise<void> {
    const joinBus = (incarnation: string) => (joined[number] = bus.join(incarnation));
    all[number] = await startSimulatedPlatform({
      ...options,
      clock: withClockFaults(clock, faults.clocks?.[number]),
      sip: addressOf(options.sip, number),
      database: files.open(),
      settings: { ...options.settings, node: `node-${number}`, joinBus },
    });
  }

  for (let number = 0; number < nodes; number++) await start(number);
  const entry = () => running()[Math.floor(random() * running().length)]!;

  async function kill(node: SimulatedPlatform): Promise<void> {
    killed.add(node);
    node.kill();
    await joined[all.indexOf(node)]?.close();
    await node.platform.http.close();
  }

  return {
    bus,
    get all() {
      return running();
    },
    get current() {
      return running()[0]!;
    },
    addresses: Array.from({ length: nodes }, (_, number) => addressOf(options.sip, number)),
    entry,
    entryAddress: () => addressOf(options.sip, all.indexOf(entry())),
    kill,
    async restart(whileDown, end) {
      if (end === 'killed') for (const node of running()) await kill(node);
      await whileDown();
      for (let number = 0; number < nodes; number++) await start(number);
    },
    async close() {
      try {
        for (const node of running()) await node.close();
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
