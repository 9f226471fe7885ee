import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, Logger } from '@jackfield/ports';
import type { OpenDatabase } from './each-database.ts';
import type { MemoryBuses } from './memory-bus.ts';
import { createCopiedDatabase } from './migrated-files.ts';
import {
  type SimulatedPlatform,
  type SimulatedPlatformOptions,
  startSimulatedPlatform,
} from './simulated-platform.ts';

/** The processes of a world, one after another: each starts on the data of the one before. */
export interface SimulatedProcesses {
  readonly current: SimulatedPlatform;
  /** Those that run beside each other. */
  readonly all: readonly SimulatedPlatform[];
  /** Where they listen for SIP, now or before their end. */
  readonly addresses: readonly SimulatedPlatformOptions['sip'][];
  /** Between the processes; none where there is one. */
  readonly bus?: MemoryBuses;
  /** Where several nodes run. */
  readonly faults?: NodeFaults;
  /** An answer may need time to pass. */
  readonly isAnyHeldUp?: boolean;
  /** The process that gets the next request. */
  entry(): SimulatedPlatform;
  /** Where the next phone sends its requests. */
  entryAddress(): SimulatedPlatformOptions['sip'];
  /** Kills the current process, unless it is closed already; the next one starts when `whileDown` has resolved. */
  restart(whileDown: () => Promise<void>, end: 'killed' | 'closed'): Promise<void>;
  /** Closes the current process and removes its data. */
  close(): Promise<void>;
}

/** What can happen to one of several nodes. */
export interface NodeFaults {
  /** Where phones reach it: the `registrar` of those that are registered there. */
  addressOf(node: SimulatedPlatform): SimulatedPlatformOptions['sip'];
  /** Ends a node between two instructions, without any message; it stays away. */
  kill(node: SimulatedPlatform): Promise<void>;
  /** Stops its process, as SIGSTOP does; `goOn` lets it run again. No request enters there meanwhile. */
  stop(node: SimulatedPlatform): void;
  goOn(node: SimulatedPlatform): void;
  /** Two nodes get no messages of each other; both reach all others. `bus.mend` ends it. */
  part(one: SimulatedPlatform, other: SimulatedPlatform): void;
  /** The messages of the one no longer reach the other; all others arrive. `bus.mend` ends it. */
  partOneWay(from: SimulatedPlatform, to: SimulatedPlatform): void;
  /** One node loses the database, and the others do not. */
  cutFromDatabase(node: SimulatedPlatform): void;
  /** Units of one node are committed, and the answers of those for which `loses` is true are lost. */
  loseAnswers(node: SimulatedPlatform, loses: () => boolean): void;
  /** As `cutFromDatabase`, from behind its next commit on: that is made, and the node learns so when the database is back. */
  cutBehindCommit(node: SimulatedPlatform): void;
  mendDatabase(node: SimulatedPlatform): void;
}

/** Where the data of the processes is. */
interface Disk {
  open(): Promise<Database>;
  /** The process has ended: its data as it was at that moment is what `open` gives next. `killed` has resources to release. */
  keep(killed: SimulatedPlatform | undefined): Promise<void>;
  close(database: Database): Promise<void>;
}

export interface SimulatedProcessesOptions extends Omit<SimulatedPlatformOptions, 'database'> {
  /** The databases of a suite; files in memory when absent. */
  readonly open?: OpenDatabase;
}

export async function startSimulatedProcesses({
  open,
  ...options
}: SimulatedProcessesOptions): Promise<SimulatedProcesses> {
  const disk = open === undefined ? filesInMemory(options.log) : databaseOfSuite(open);
  const start = async () => {
    const database = await disk.open();
    return { database, node: await startSimulatedPlatform({ ...options, database }) };
  };
  let current = await start();
  return {
    get current() {
      return current.node;
    },
    get all() {
      return [current.node];
    },
    addresses: [options.sip],
    entry: () => current.node,
    entryAddress: () => options.sip,
    async restart(whileDown, end) {
      if (end === 'killed') current.node.kill();
      await disk.keep(end === 'killed' ? current.node : undefined);
      await whileDown();
      current = await start();
    },
    async close() {
      try {
        await current.node.close();
      } finally {
        await disk.close(current.database);
      }
    },
  };
}

// No test here depends on the speed of a disk.
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

function filesInMemory(log: Logger): Disk {
  const root = mkdtempSync(join(parent, 'jackfield-world-'));
  let number = 0;
  let opened: Database | undefined;
  const directory = () => join(root, String(number));
  return {
    async open() {
      opened = createCopiedDatabase({ directory: directory(), log });
      return opened;
    },
    async keep(killed) {
      const last = directory();
      number++;
      // Of a killed process the operating system keeps the written pages of a write-ahead log.
      cpSync(last, directory(), { recursive: true, filter: (path) => !/\.lock|-shm$/.test(path) });
      await killed?.release();
      await opened?.close();
      rmSync(last, { recursive: true, force: true });
    },
    async close(database) {
      await database.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The suite closes its databases. A killed process writes no more, because nothing moves its clock. */
function databaseOfSuite(open: OpenDatabase): Disk {
  let opened: Database | undefined;
  let hasEnded = false;
  return {
    async open() {
      opened = hasEnded && opened !== undefined ? await open.again(opened) : await open();
      return opened;
    },
    async keep(killed) {
      hasEnded = true;
      await killed?.platform.http.close();
    },
    close: async () => {},
  };
}
