import type { AudioStreams, StreamNotice } from '@jackfield/ports';
import type { StreamRequest } from './stream-messages.ts';

/** The port on the main thread, and the entry for notifications of its worker. */
export interface StreamsPort {
  readonly streams: AudioStreams;
  take(notices: readonly StreamNotice[]): void;
}

/** Passes requests to the worker and notifications to the listeners. */
export function createStreamsPort(post: (request: StreamRequest) => void): StreamsPort {
  const listeners = new Set<(notice: StreamNotice) => void>();
  const open = new Set<string>();
  return {
    streams: {
      open(order) {
        if (open.has(order.stream)) throw new Error(`stream ${order.stream} is already open`);
        const rates = order.encoding === 'audio/x-mulaw' ? [8000] : [8000, 16_000, 24_000];
        if (!rates.includes(order.sampleRate)) {
          throw new RangeError(`${order.encoding} at ${order.sampleRate} Hz is not a format of a stream`);
        }
        open.add(order.stream);
        post({ type: 'stream', do: 'open', order });
      },
      connect: (stream, target) => post({ type: 'stream', do: 'connect', stream, target }),
      retrack: (stream, tracks) => post({ type: 'stream', do: 'retrack', stream, tracks }),
      replay: (stream, hearers) => post({ type: 'stream', do: 'replay', stream, hearers }),
      press: (key) => post({ type: 'stream', do: 'press', ...key }),
      close: (stream, reason) => post({ type: 'stream', do: 'close', stream, reason }),
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    take(notices) {
      for (const notice of notices) {
        if (notice.type === 'stream-over') open.delete(notice.stream);
        for (const listener of listeners) listener(notice);
      }
    },
  };
}
