import assert from 'node:assert/strict';
import { heardToneDb, type Sound } from '../heard.ts';
import { Happenings } from '../lines.ts';
import { patienceMs } from '../patience.ts';
import type { ConnectionReport } from './connection-report.ts';

/** Levels of a tone that is there and of silence, in dBFS: between them is room for what codecs lose and add. */
const [audibleDb, silentDb] = [-35, -55];

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

  /** The level of a tone in the last two seconds of the newest connection, in dBFS. */
  async level(hz: number): Promise<number> {
    return heardToneDb(await this.heard(), hz, 0.2, 2);
  }

  /** Waits until these tones sound in what the page plays: a page on a busy machine plays late, and leaves gaps. */
  untilHeard(...tones: readonly number[]): Promise<void> {
    return this.#untilLevels(tones, (db) => db > audibleDb);
  }

  /** Waits until none of these tones sounds in what the page plays. */
  untilSilent(...tones: readonly number[]): Promise<void> {
    return this.#untilLevels(tones, (db) => db < silentDb);
  }

  async #untilLevels(tones: readonly number[], reached: (db: number) => boolean): Promise<void> {
    const limit = Date.now() + patienceMs;
    for (;;) {
      const sound = await this.heard();
      const levels = tones.map((hz) => heardToneDb(sound, hz, 0.2, 2));
      if (levels.every(reached)) return;
      assert.ok(Date.now() < limit, `${tones.join(', ')} Hz at ${levels.join(', ')} dB`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Measures of all peer connections of the page by getStats, in the order of their creation. */
  connections(): Promise<readonly ConnectionReport[]> {
    return this.evaluate('listeners.connections()');
  }

  /** Waits until the newest connection has received two seconds more: `heard` has nothing of before then. */
  async twoSecondsMore(): Promise<ConnectionReport> {
    const before = (await this.connections()).at(-1)?.received.packets ?? 0;
    return this.until('two more seconds of audio', ({ received }) => received.packets > before + 110);
  }

  /** Repeats a look at the newest connection until it is as expected; rejects with the last one. */
  async until(what: string, reached: (report: ConnectionReport) => boolean): Promise<ConnectionReport> {
    const limit = Date.now() + patienceMs;
    for (;;) {
      const last = (await this.connections()).at(-1);
      if (last !== undefined && reached(last)) return last;
      if (Date.now() > limit) throw new Error(`${what} did not come: ${JSON.stringify(last)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
