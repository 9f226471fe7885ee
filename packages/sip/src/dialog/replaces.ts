import { paramOf, parseParams } from '../message/params.ts';
import { trimSpace } from '../message/tokens.ts';

/** A Replaces header or URI header (RFC 3891 §6.1). `toTag` is the tag of its receiver. */
export interface Replaces {
  readonly callId: string;
  readonly toTag: string;
  readonly fromTag: string;
  readonly earlyOnly: boolean;
}

/** Parses a Replaces value; undefined when it is incomplete or malformed. */
export function parseReplaces(value: string): Replaces | undefined {
  const semicolon = value.indexOf(';');
  if (semicolon < 0) return undefined;
  const callId = trimSpace(value.slice(0, semicolon));
  const params = parseParams(value, semicolon);
  const toTag = params && paramOf(params, 'to-tag');
  const fromTag = params && paramOf(params, 'from-tag');
  if (callId === '' || !params || !toTag || !fromTag) return undefined;
  return { callId, toTag, fromTag, earlyOnly: paramOf(params, 'early-only') !== undefined };
}
