import type { StreamSession } from '@jackfield/stream-kit';

/** Plays back the audio that it receives. */
export function echo(stream: StreamSession): void {
  stream.on('media', (samples) => stream.play(samples));
}
