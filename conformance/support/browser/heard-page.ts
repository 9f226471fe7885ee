import type { Sound } from '../heard.ts';
import { Happenings } from '../lines.ts';
import type { ConnectionReport } from './connection-report.ts';

/** What a program reports by the global `report`, in plain data. */
export interface PageReport {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** One page of any browser: runs a program, and hears and measures its peer connections, whichever library made them. */
export abstract class HeardPage {
  /** What the program has reported. */
  readonly reports = new Happenings<PageReport>();

  /** Runs an expression in the page, and resolves with its plain data. */
  protected abstract evaluate<Result>(script: string): Promise<Result>;

  abstract close(): Promise<void>;

  /** Calls a function that the program exports, with plain data, and resolves with what it returns. */
  run<Result = void>(name: string, ...args: readonly unknown[]): Promise<Result> {
    return this.evaluate(`program.${name}(...${JSON.stringify(args)})`);
  }

  /** The last two seconds that came from the other side, of the newest connection or of one in the order of their creation. */
  async heard(connection = -1): Promise<Sound> {
    const text = await this.evaluate<string>(`listeners.heard(${connection})`);
    const bytes = Buffer.from(text, 'base64');
    const samples = new Int16Array(bytes.length / 2);
    for (let index = 0; index < samples.length; index++) samples[index] = bytes.readInt16LE(2 * index);
    return { sampleRate: 16_000, samples };
  }

  /** Measures of all peer connections of the page by getStats, in the order of their creation. */
  connections(): Promise<readonly ConnectionReport[]> {
    return this.evaluate('listeners.connections()');
  }

  /** Repeats a look at the newest connection until it is as expected; rejects with the last one. */
  async until(what: string, reached: (report: ConnectionReport) => boolean): Promise<ConnectionReport> {
    const limit = Date.now() + 15_000;
    for (;;) {
      const last = (await this.connections()).at(-1);
      if (last !== undefined && reached(last)) return last;
      if (Date.now() > limit) throw new Error(`${what} did not come: ${JSON.stringify(last)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
