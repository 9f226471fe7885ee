/** One event of the event stream. */
export interface ShownEvent {
  readonly id: string;
  readonly type: string;
  readonly resource: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The name of an event. */
type Cursor = string | number | undefined;

/** Between two attempts to follow the events again. */
const pauseMs = 1_000;

/**
 * The events that `connect` gives, until `signal` ends them; a connection that ends is made again, behind the last event, unless its error is
 * final.
 */
export async function* followEvents(
  connect: (after: Cursor) => Promise<ReadableStream<Uint8Array>>,
  first: Cursor,
  signal: AbortSignal,
  isFinal: (error: unknown) => boolean,
): AsyncGenerator<ShownEvent> {
  let after = first;
  let isConnected = false;
  while (!signal.aborted) {
    try {
      const body = await connect(after);
      isConnected = true;
      for await (const event of eventsOf(body)) {
        after = event.id;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      // The first connection must work; a later one is made again, as after a restart of the server.
      if (!isConnected || isFinal(error)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) whose data is JSON. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ShownEvent> {
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + chunk).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart())
        .join('\n');
      if (data !== '') yield JSON.parse(data) as ShownEvent;
    }
  }
}
