import type { Socket } from 'node:net';
import type { FrameMeter } from './frame-meter.ts';

/**
 * From now on the listeners of `data` get what the meter lets pass; the rest waits in front of what arrives later, until the connection is
 * resumed. ws reads all that it is given, 32,000 frames in a read of 64 KiB, and its own pause holds only the next read back.
 */
export function limitReading(connection: Socket, meter: FrameMeter, pause: () => void): void {
  const emit: (event: string | symbol, ...values: unknown[]) => boolean = connection.emit.bind(connection);
  const read = (bytes: Buffer): boolean => {
    const passed = meter.pass(bytes);
    if (passed === bytes.length) return emit('data', bytes);
    if (passed > 0) emit('data', bytes.subarray(0, passed));
    // Without a listener ws has ended the reading, and drops what still arrives.
    if (connection.listenerCount('data') > 0) {
      pause();
      connection.unshift(bytes.subarray(passed));
    }
    return true;
  };
  const readLast = (): void => {
    const rest: Buffer | null = connection.read();
    if (rest === null) return;
    meter.refill();
    emit('data', rest.subarray(0, meter.pass(rest)));
  };
  connection.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    if (event === 'data' && connection.listenerCount('data') > 0) return read(values[0] as Buffer);
    // ws would read all that waits at once.
    if (event === 'close' && connection.listenerCount('data') > 0) readLast();
    return emit(event, ...values);
  };
}
