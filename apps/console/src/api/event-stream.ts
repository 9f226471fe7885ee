import { answerTo, pathOf } from './client.ts';
import { connection } from './connection.svelte.ts';

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
  /** What is shown has to be read: the stream begins here, or events were missed. Without it a stream goes on behind its last event. */
  onGap?(): void;
  onState?(state: EventStreamState): void;
}

/**
 * A hidden tab follows for so long; later it reads all again when it is shown. Browsers open six connections to a server over HTTP/1.1: six
 * streams of hidden tabs would keep the visible tab waiting for ever.
 */
const hiddenMs = 10_000;
const longestPauseMs = 15_000;
/** The server writes every 15 s at the latest: after so long a silence, or without an answer, the connection is broken, although nothing has closed it. */
const longestSilenceMs = 40_000;

/**
 * The event stream of the account. A tab that is hidden lets go of it, so that hours of events take no memory and no
 * bandwidth; when it is shown again, the listener reads its snapshot anew.
 */
export class EventStream {
  readonly #listener: EventStreamListener;
  #abort: AbortController | undefined;
  #sleep: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #lastId = '';
  /** The listener has been asked to read, or has read before. */
  #isRead: boolean;
  #failures = 0;
  #isClosed = false;
  readonly #stopAwaiting: () => void;

  /** `after` is the event behind which it goes on; empty for what comes from now on. */
  constructor(listener: EventStreamListener, after = '') {
    this.#listener = listener;
    this.#lastId = after;
    this.#isRead = after !== '';
    document.addEventListener('visibilitychange', this.#onVisibility);
    this.#stopAwaiting = connection.onReturn(() => {
      if (this.#retry !== undefined) void this.#follow();
    });
    if (document.hidden) this.#fallAsleep();
    else void this.#follow();
  }

  close(): void {
    this.#isClosed = true;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#stopAwaiting();
    for (const timer of [this.#sleep, this.#retry, this.#silence]) clearTimeout(timer);
    this.#abort?.abort();
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#sleep);
    if (document.hidden) this.#sleep = setTimeout(() => this.#fallAsleep(), hiddenMs);
    else if (this.#abort === undefined && this.#retry === undefined) {
      // A listener that can read all anew does not read hours of events.
      if (this.#listener.onGap !== undefined) this.#lastId = '';
      void this.#follow();
    }
  };

  #fallAsleep(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#enter('asleep');
  }

  #enter(state: EventStreamState): void {
    this.#listener.onState?.(state);
    // Without a stream the listener shows what there is all the same.
    if (state !== 'connecting' && !this.#isRead) this.#readAll();
  }

  #readAll(): void {
    this.#isRead = true;
    this.#listener.onGap?.();
  }

  async #follow(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    const isFromNow = this.#lastId === '';
    this.#enter('connecting');
    this.#awaitSign(abort);
    try {
      const { body } = await answerTo(pathOf('Event/'), {
        headers: {
          accept: 'text/event-stream',
          ...(this.#lastId === '' ? {} : { 'last-event-id': this.#lastId }),
        },
        signal: abort.signal,
      });
      // What is read now and what the stream brings leave nothing out between them.
      if (isFromNow) this.#isRead = false;
      this.#enter('open');
      this.#failures = 0;
      if (body !== null) await this.#read(body, abort);
    } catch {
      // The connection broke, or the server ended: the next one goes on behind the last event.
    }
    clearTimeout(this.#silence);
    if (this.#isClosed || this.#abort !== abort) return;
    this.#abort = undefined;
    this.#failures += 1;
    const pauseMs = Math.min(longestPauseMs, 250 * 2 ** this.#failures);
    this.#retry = setTimeout(() => void this.#follow(), pauseMs);
    this.#enter('waiting');
  }

  /** Breaks the connection off when the server is silent for too long from now on. */
  #awaitSign(abort: AbortController): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => abort.abort(), longestSilenceMs);
  }

  /** A page that reads slowly makes the server wait: nothing is collected here. */
  async #read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    const reader = body
      .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
      .getReader();
    let text = '';
    for (;;) {
      this.#awaitSign(abort);
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
