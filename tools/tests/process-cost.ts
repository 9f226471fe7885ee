import { appendFileSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** Seconds of CPU. */
export interface Cost {
  readonly path: string;
  /** Of the test process while the file ran. */
  readonly own: number;
  /** Of the programs that the process has started and outlived; known for the whole process only. */
  readonly children: number;
}

/** Loaded before every test file, and in its workers, whose CPU the main thread counts: each test process writes down the CPU that its files and its ended children took. */
const costs = process.env.TEST_COSTS;
let counted = 0;
let isGroup = false;
let loading = 0;
if (isMainThread && costs !== undefined && process.env.NODE_TEST_CONTEXT !== undefined) {
  process.on('exit', () => {
    const path = process.argv[1] ?? '';
    const name = isGroup ? `loading of ${basename(path)}` : path;
    write(costs, { path: name, own: loading + sinceLast(), children: cpuOfChildren() });
  });
}

/** Called before the first test of a file of a group; what came before the first of them is loading Node and the package. */
export function beginFile(): void {
  if (!isGroup) loading = sinceLast();
  isGroup = true;
}

/** Called after the last test of a file of a group. */
export function countFile(path: string): void {
  if (costs !== undefined) write(costs, { path, own: sinceLast(), children: 0 });
}

function sinceLast(): number {
  const { user, system } = process.cpuUsage();
  const before = counted;
  counted = (user + system) / 1e6;
  return counted - before;
}

/** Fields 16 and 17 of /proc/self/stat, in hundredths: proc(5). Its second field may contain spaces and ends with a bracket. */
function cpuOfChildren(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\)\s/s, '')
      .split(' ')
      .map(Number);
    return ((fields[13] ?? 0) + (fields[14] ?? 0)) / 100;
  } catch {
    return 0;
  }
}

function write(file: string, cost: Cost): void {
  appendFileSync(file, `${JSON.stringify(cost)}\n`);
}
