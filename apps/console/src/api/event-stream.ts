import { answerTo, pathOf } from './client.ts';

/** An event of `GET Event/`. */
export interface AccountEvent {
  readonly id: string;
  readonly type: string;
  readonly resource: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type EventStreamState = 'connecting' | 'open' | 'waiting' | 'asleep';

export interface EventStreamListener {
  /** Events of one read, oldest first. */
  onEvents(events: readonly AccountEvent[]): void;
  /** Events were missed: what is shown has to be read again. */
  onGap?(): void;
  onState?(state: EventStreamState): void;
}

/** A hidden tab follows for so long; later it reads all again when it is shown. */
const hiddenMs = 60_000;
const longestPauseMs = 15_000;

/**
 * The event stream of the account. A tab that was hidden for a minute lets go of it, so that hours of events take no memory and no
 * bandwidth; when it is shown again, the listener reads its snapshot anew.
 */
export class EventStream {
  readonly #listener: EventStreamListener;
  #abort: AbortController | undefined;
  #sleep: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #lastId = '';
  #failures = 0;
  #isClosed = false;

  /** `after` is the event behind which it goes on; empty for what comes from now on. */
  constructor(listener: EventStreamListener, after = '') {
    this.#listener = listener;
    this.#lastId = after;
    document.addEventListener('visibilitychange', this.#onVisibility);
    void this.#follow();
  }

  close(): void {
    this.#isClosed = true;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearTimeout(this.#sleep);
    clearTimeout(this.#retry);
    this.#abort?.abort();
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#sleep);
    if (document.hidden) this.#sleep = setTimeout(() => this.#fallAsleep(), hiddenMs);
    else if (this.#abort === undefined && this.#retry === undefined) {
      this.#lastId = '';
      this.#listener.onGap?.();
      // A listener that reads its snapshot anew may have opened another stream behind it.
      if (!this.#isClosed) void this.#follow();
    }
  };

  #fallAsleep(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#listener.onState?.('asleep');
  }

  async #follow(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.#retry = undefined;
    this.#listener.onState?.('connecting');
    try {
      const { body } = await answerTo(pathOf('Event/'), {
        headers: {
          accept: 'text/event-stream',
          ...(this.#lastId === '' ? {} : { 'last-event-id': this.#lastId }),
        },
        signal: abort.signal,
      });
      this.#listener.onState?.('open');
      this.#failures = 0;
      if (body !== null) await this.#read(body);
    } catch {
      // The connection broke, or the server ended: the next one goes on behind the last event.
    }
    if (this.#isClosed || abort.signal.aborted) return;
    this.#abort = undefined;
    this.#listener.onState?.('waiting');
    this.#failures += 1;
    const pauseMs = Math.min(longestPauseMs, 250 * 2 ** this.#failures);
    this.#retry = setTimeout(() => void this.#follow(), pauseMs);
  }

  /** A page that reads slowly makes the server wait: nothing is collected here. */
  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body
      .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
      .getReader();
    let text = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const end = text.lastIndexOf('\n\n');
      if (end === -1) continue;
      const events = text.slice(0, end).split('\n\n').flatMap(readEvent);
      text = text.slice(end + 2);
      if (events.length === 0) continue;
      this.#lastId = events.at(-1)!.id;
      this.#listener.onEvents(events);
    }
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html: this server writes one `data` line for an event. */
function readEvent(block: string): readonly AccountEvent[] {
  const data = block.split('\n').find((line) => line.startsWith('data: '));
  return data === undefined ? [] : [JSON.parse(data.slice(6)) as AccountEvent];
}
