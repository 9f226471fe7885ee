import type { FastifyReply } from 'fastify';

/** Where a route writes an answer that has no end of its own. */
export interface StreamOutput {
  /** False when the client has not taken what was written before: write again after it has drained. */
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  /** Called once, whoever ended it. */
  onClose(listener: () => void): void;
  /** What the client does not take soon after is dropped. */
  end(text?: string): void;
}

/** A connection whose client takes nothing is cut this long after the end. */
const lingerMs = 1_000;

/** Takes the connection over: headers that are set already go out, and nothing of Fastify comes after. */
export function openStream(reply: FastifyReply, contentType: string): StreamOutput {
  const { raw } = reply;
  reply.hijack();
  // What a proxy would collect is no stream.
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
