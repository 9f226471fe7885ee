import type { Readable } from 'node:stream';
import { patienceMs } from './patience.ts';

/** Calls `take` with each whole line that the stream brings. */
export function eachLine(stream: Readable, take: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  });
}

/** Remembers happenings and lets a test wait for one, past or future. */
export class Happenings<Happening> {
  readonly all: Happening[] = [];
  readonly #waiting = new Set<() => void>();
  #closed: string | undefined;

  add(happening: Happening): void {
    this.all.push(happening);
    for (const look of [...this.#waiting]) look();
  }

  /** Rejects all pending waits, with the reason why nothing more will come. */
  close(reason: string): void {
    this.#closed = reason;
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves with the first happening at or after `from` that matches (asked once for each); rejects after the limit, naming what was awaited. */
  until(
    what: string,
    matches: (happening: Happening) => boolean,
    { from = 0, limitMs = patienceMs }: { from?: number; limitMs?: number } = {},
  ): Promise<Happening> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => finish(() => reject(this.#unmet(what, `in ${limitMs} ms`))), limitMs);
      const finish = (settle: () => void) => {
        clearTimeout(limit);
        this.#waiting.delete(look);
        settle();
      };
      // Each happening is looked at once: a server of streams reports thousands.
      let next = from;
      const look = () => {
        while (next < this.all.length) {
          const happening = this.all[next++] as Happening;
          if (matches(happening)) return finish(() => resolve(happening));
        }
        if (this.#closed !== undefined) finish(() => reject(this.#unmet(what, `: ${this.#closed}`)));
      };
      this.#waiting.add(look);
      look();
    });
  }

  #unmet(what: string, why: string): Error {
    return new Error(`${what} did not happen ${why}. What did: ${JSON.stringify(this.all).slice(0, 4000)}`);
  }
}
