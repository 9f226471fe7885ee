import type { StreamNotice } from '@jackfield/ports';

type Degraded = Extract<StreamNotice, { readonly type: 'stream-degraded' }>;

interface DroppedAudioDeps {
  readonly now: () => number;
  readonly notify: (notice: StreamNotice) => void;
}

/** Audio of one direction that was dropped: `stream-degraded` reports the sum, once a second at most. */
export class DroppedAudio {
  readonly #of: Pick<Degraded, 'stream' | 'direction'>;
  readonly #deps: DroppedAudioDeps;
  #ms = 0;
  #reportedMs = -1e9;

  constructor(stream: string, direction: Degraded['direction'], deps: DroppedAudioDeps) {
    this.#of = { stream, direction };
    this.#deps = deps;
  }

  add(ms: number, percentFull: number): void {
    this.#ms += ms;
    const nowMs = this.#deps.now();
    if (nowMs - this.#reportedMs < 1000) return;
    this.#reportedMs = nowMs;
    this.#deps.notify({
      type: 'stream-degraded',
      ...this.#of,
      droppedMs: Math.round(this.#ms),
      percentFull: Math.round(percentFull),
    });
  }
}
