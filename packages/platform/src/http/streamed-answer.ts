import type { FastifyReply } from 'fastify';

/** The output of an answer without an end of its own. */
export interface StreamOutput {
  /** False when the client has not read what was written before: write again after `onDrain`. */
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  /** Called once, for both ends. */
  onClose(listener: () => void): void;
  /** Cuts the connection when the client does not read the rest soon. */
  end(text?: string): void;
}

/** Time between `end` and the cut of a connection whose client reads nothing. */
const lingerMs = 1_000;

/** Sends the headers of the reply, and then bypasses Fastify. */
export function openStream(reply: FastifyReply, contentType: string): StreamOutput {
  const { raw } = reply;
  reply.hijack();
  // `x-accel-buffering` keeps a proxy from collecting the stream.
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.writeHead(200, { 'content-type': contentType, 'x-accel-buffering': 'no' });
  raw.on('error', () => {});
  raw.flushHeaders();
  return {
    write: (text) => raw.write(text),
    onDrain: (listener) => void raw.on('drain', listener),
    onClose(listener) {
      // A client may have gone while the answer was prepared.
      if (raw.closed) setImmediate(listener);
      else raw.once('close', listener);
    },
    end(text) {
      raw.end(text);
      const cut = setTimeout(() => raw.destroy(), lingerMs);
      raw.once('close', () => clearTimeout(cut));
    },
  };
}
