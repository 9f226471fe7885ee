import type { CallMedia, Environment, MediaListener } from '../environment.ts';
import type { CallEffect, CallInput } from './call-state.ts';

/** The audio of a call and the order in which the browser works on it: one step of offer and answer after another. */
export class CallAudio {
  readonly #environment: Environment;
  readonly #feed: (input: CallInput) => void;
  readonly #listener: MediaListener;
  #media: CallMedia | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(environment: Environment, feed: (input: CallInput) => void, listener: MediaListener) {
    this.#environment = environment;
    this.#feed = feed;
    this.#listener = listener;
  }

  get media(): CallMedia | undefined {
    return this.#media;
  }

  describe({ do: _, ...order }: CallEffect & { do: 'describe' }): void {
    this.#inOrder(async (media) => {
      const sdp = await media.describe(order);
      if (!this.#isClosed) this.#feed({ type: 'described', sdp });
    });
  }

  applyAnswer(answer: string, isEarly: boolean): void {
    this.#inOrder((media) => media.applyAnswer(answer, isEarly));
  }

  rollBack(): void {
    this.#inOrder((media) => media.rollBack());
  }

  close(): void {
    this.#isClosed = true;
    this.#media?.close();
  }

  #open(): CallMedia {
    this.#media ??= this.#environment.openMedia(this.#listener);
    return this.#media;
  }

  #inOrder(work: (media: CallMedia) => Promise<void>): void {
    this.#last = this.#last
      .then(() => (this.#isClosed ? undefined : work(this.#open())))
      .catch((error: unknown) => {
        // `NotAllowedError: Permission denied` says more than its second half.
        if (!this.#isClosed) this.#feed({ type: 'media-failed', sentence: String(error) });
      });
  }
}
