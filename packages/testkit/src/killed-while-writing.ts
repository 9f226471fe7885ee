import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/** A process that writes one row after another and reports each commit, until it is killed. */
export interface WritingProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  /** Resolves, once at least `count` rows are acknowledged, with the last acknowledged number; rejects when the process ends before. */
  acknowledged(count: number): Promise<number>;
}

/**
 * Starts the process. Rows 0, 1, 2 … go into the table `written` (`n`), sixteen in flight at a time. `create` names the export of `module`
 * that opens a database; it is called with `options` and a silent log.
 */
export function killedWhileWriting(module: string, create: string, options: object): WritingProcess {
  const program = `
    const { ${create}: create } = await import(${JSON.stringify(pathToFileURL(module).href)});
    const quiet = () => {};
    const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const database = create({ ...${JSON.stringify(options)}, log });
    await database.migrate([{ name: 'w/1', sql: 'CREATE TABLE written (n BIGINT PRIMARY KEY)' }]);
    let next = 0;
    async function write() {
      for (;;) {
        const n = next++;
        await database.transact((w) => w.insertInto('written').values({ n }).execute());
        process.stdout.write(n + '\\n');
      }
    }
    for (let writer = 0; writer < 16; writer++) write();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  });
  const seen = new Set<number>();
  const waiting = new Set<() => void>();
  let ended = false;
  const wake = (): void => {
    for (const each of waiting) each();
  };
  createInterface({ input: child.stdout! })
    .on('line', (line) => {
      seen.add(Number(line));
      wake();
    })
    .on('close', () => {
      ended = true;
      wake();
    });

  return {
    child,
    pid: child.pid!,
    acknowledged: (count) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (seen.size >= count) {
            waiting.delete(look);
            resolve(lastInOrder(seen));
          } else if (ended) reject(new Error(`the process ended after ${seen.size} rows`));
        };
        waiting.add(look);
        look();
      }),
  };
}

/** Units commit in the order of their requests, so acknowledgements have no gap. */
function lastInOrder(seen: ReadonlySet<number>): number {
  let last = -1;
  while (seen.has(last + 1)) last++;
  return last;
}
