import type { StreamSession } from '@jackfield/stream-kit';

/** Gives back what it hears. */
export function echo(stream: StreamSession): void {
  stream.on('media', (samples) => stream.play(samples));
}
