import type { Clock, Logger } from '@jackfield/ports';
import type { BlackBoxEntry, EntryKind } from '../store.ts';

export interface WriterLimits {
  /** Entries of one kind that are kept for a call. */
  readonly perCall: number;
  /** Messages that are kept for a trace of an endpoint. */
  readonly perTrace: number;
  /** Entries that wait to be written. */
  readonly waiting: number;
  /** Entries are written together. */
  readonly writeEveryMs: number;
}

export interface WriterDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: WriterLimits;
  save(entries: readonly BlackBoxEntry[]): Promise<void>;
}

export interface EntryWriter {
  add(entry: BlackBoxEntry): void;
  /** The call is over: its count is not needed any more. */
  forget(call: string): void;
  waiting(): number;
  /** Writes what waits, and resolves when it can be read. */
  written(): Promise<void>;
}

const leftOut: { readonly [Kind in EntryKind]?: EntryKind } = {
  message: 'messages-left-out',
  document: 'documents-left-out',
  traced: 'traced-left-out',
};

/** Gathers entries within limits, and writes them twice a second. */
export function createEntryWriter({ clock, log, limits, save }: WriterDeps): EntryWriter {
  /** Entries of each live call and kind so far. */
  const counts = new Map<string, number>();
  const writing = new Set<Promise<void>>();
  let waiting: BlackBoxEntry[] = [];
  let lost = 0;
  let cancel: (() => void) | undefined;

  function push(entry: BlackBoxEntry): void {
    if (waiting.length >= limits.waiting) lost += 1;
    else waiting.push(entry);
    cancel ??= clock.startTimer(clock.now() + limits.writeEveryMs, write);
  }

  function write(): void {
    cancel = undefined;
    if (lost > 0) log.warn({ entries: lost }, 'entries of calls not kept: too many at once');
    lost = 0;
    if (waiting.length === 0) return;
    const entries = waiting;
    waiting = [];
    const work = save(entries)
      .catch((err: unknown) => log.warn({ err, entries: entries.length }, 'entries of calls not kept'))
      .finally(() => writing.delete(work));
    writing.add(work);
  }

  return {
    add(entry) {
      const key = `${entry.call}/${entry.kind}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const most = entry.kind === 'traced' ? limits.perTrace : limits.perCall;
      if (count <= most) push(entry);
      else if (count === most + 1) push({ ...entry, kind: leftOut[entry.kind] ?? entry.kind, entry: '{}' });
    },
    forget(call) {
      for (const kind of ['message', 'document', 'traced']) counts.delete(`${call}/${kind}`);
    },
    waiting: () => waiting.length,
    async written() {
      cancel?.();
      write();
      await Promise.all(writing);
    },
  };
}
