import type { AudioStreams, StreamNotice, StreamOrder, StreamTrack } from '@jackfield/ports';
import { noStreamStatistics } from '../streams/no-stream-statistics.ts';
import type { StreamEntry } from './pool-entries.ts';
import type { PoolTable } from './pool-table.ts';
import type { PoolWorkers } from './pool-workers.ts';

/** The streams of a pool, with the functions for events of its workers. */
export interface PoolStreams {
  readonly streams: AudioStreams;
  accept(notice: StreamNotice): void;
  /** The stream ends, because it and its room are held in different workers. */
  refuse(stream: StreamEntry): void;
  /** The worker of these streams died. */
  lost(streams: readonly StreamEntry[]): void;
}

/** Sends each order to the worker that has the stream. */
export function createPoolStreams(table: PoolTable, workers: PoolWorkers): PoolStreams {
  const listeners = new Set<(notice: StreamNotice) => void>();
  const emit = (notice: StreamNotice): void => {
    for (const listener of listeners) listener(notice);
  };
  const over = (stream: string, sentence: string): void =>
    emit({ type: 'stream-over', stream, statistics: noStreamStatistics, sentence });
  const portOf = (name: string): AudioStreams | undefined => {
    const stream = table.streams.get(name);
    return stream === undefined ? undefined : workers.at(stream.worker)?.streams;
  };
  const hold = (stream: StreamEntry): void =>
    table.hold(stream, [...new Set([...stream.heard, ...stream.hearers])]);

  return {
    streams: {
      open(order) {
        const { stream: name, tracks, hearers, asLeg } = order;
        if (table.streams.has(name)) throw new Error(`stream ${name} is already open`);
        const worker = workerFor(table, order);
        const port = worker === undefined ? undefined : workers.at(worker)?.streams;
        if (worker === undefined || port === undefined) {
          queueMicrotask(() => over(name, 'no media worker is running'));
          return;
        }
        port.open(order);
        const stream = table.addStream(name, worker, asLeg);
        stream.heard = legsOf(tracks);
        stream.hearers = hearers;
        hold(stream);
      },
      connect: (stream, target) => portOf(stream)?.connect(stream, target),
      retrack(name, tracks) {
        portOf(name)?.retrack(name, tracks);
        const stream = table.streams.get(name);
        if (stream === undefined) return;
        stream.heard = legsOf(tracks);
        hold(stream);
      },
      replay(name, hearers) {
        portOf(name)?.replay(name, hearers);
        const stream = table.streams.get(name);
        if (stream === undefined) return;
        stream.hearers = hearers;
        // A stream that is itself a leg is heard by its mix; only its keys go to the hearers.
        if (stream.leg === undefined) hold(stream);
      },
      press(key) {
        const leg = table.legs.get(key.leg);
        const worker = leg === undefined ? undefined : table.workerOf(leg);
        if (worker !== undefined) workers.at(worker)?.streams.press(key);
      },
      close: (stream, reason) => portOf(stream)?.close(stream, reason),
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    accept(notice) {
      const stream = table.streams.get(notice.stream);
      if (notice.type !== 'stream-over' || stream === undefined) return emit(notice);
      table.endStream(stream);
      emit(stream.refusal === undefined ? notice : { ...notice, sentence: stream.refusal });
    },
    refuse(stream) {
      stream.refusal = 'its call joined another one, and both have streams in different media workers';
      workers.at(stream.worker)?.streams.close(stream.name, stream.refusal);
      table.hold(stream, []);
    },
    lost(streams) {
      for (const { name } of streams) over(name, 'the media worker of the stream died');
    },
  };
}

function workerFor(table: PoolTable, { asLeg, beside, tracks, hearers }: StreamOrder): number | undefined {
  if (asLeg === undefined) return table.workerOfLegs([...legsOf(tracks), ...hearers]);
  const known = table.legs.get(asLeg);
  return known === undefined ? table.workerBeside(beside) : table.workerOf(known);
}

function legsOf(tracks: readonly StreamTrack[]): string[] {
  return [...new Set(tracks.flatMap(({ said, heard }) => [...said, ...heard]))];
}
