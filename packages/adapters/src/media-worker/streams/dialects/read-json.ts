import type { FrameRefusal } from '@jackfield/ports';
import type { RefusedFrame } from './stream-dialect.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** The object of a message, or its refusal. */
export function readObject(text: string): { readonly frame: JsonObject } | RefusedFrame {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return refused(`the message is not JSON: ${excerpt(text)}`);
  }
  return isObject(frame) ? { frame } : refused('the message is not a JSON object');
}

export function refused(sentence: string, code: FrameRefusal = 'malformed-frame'): RefusedFrame {
  return { event: 'refused', code, sentence };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A prefix of a value that fits into a sentence. */
export function excerpt(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  return String(value);
}
