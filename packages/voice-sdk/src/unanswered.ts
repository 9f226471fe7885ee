/** RFC 3261 §17.1: the stack waits 64*T1 for a response. */
const LIMIT_MS = 32_000;

/** Requests without a final response: a WebSocket that breaks may have lost either, and the next one carries them again. */
export interface Unanswered {
  sent(text: string, now: number): void;
  received(text: string): void;
  /** The requests that still wait for their response. */
  since(now: number): readonly string[];
}

/** Creates an empty list. REGISTER is left out, because each socket begins with a new one, and ACK has no response. */
export function createUnanswered(): Unanswered {
  const waiting = new Map<string, { readonly text: string; readonly at: number }>();
  const dropOld = (now: number): void => {
    for (const [key, { at }] of waiting) if (now - at >= LIMIT_MS) waiting.delete(key);
  };
  return {
    sent(text, now) {
      dropOld(now);
      if (/^(?:INVITE|BYE|CANCEL|INFO|REFER|UPDATE|PRACK|NOTIFY) /.test(text))
        waiting.set(keyOf(text), { text, at: now });
    },
    received(text) {
      if (/^SIP\/2\.0 [2-6]/.test(text)) waiting.delete(keyOf(text));
    },
    since(now) {
      dropOld(now);
      return [...waiting.values()].map(({ text }) => text);
    },
  };
}

/** RFC 3261 §17.1.3: the branch of the top Via and the method of CSeq name a transaction. */
function keyOf(text: string): string {
  const branch = /^(?:Via|v)\s*:.*?;branch=([^;,\s]+)/im.exec(text)?.[1];
  return `${branch} ${/^CSeq\s*:\s*\d+\s+(\w+)/im.exec(text)?.[1]}`;
}
