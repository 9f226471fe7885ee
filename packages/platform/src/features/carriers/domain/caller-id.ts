import type { CallerIdRule } from './carrier.ts';

/** The caller id for the callee; undefined for a caller who may not call through the carrier. */
export function callerIdFor(rule: CallerIdRule, from: string): string | undefined {
  if (rule.rule === 'keep') return from;
  if (rule.rule === 'replace') return rule.number;
  const digits = /^\+?([1-9][0-9]{6,14})$/.exec(from)?.[1];
  const isAllowed = digits !== undefined && rule.prefixes.some((prefix) => digits.startsWith(prefix));
  return isAllowed ? from : rule.number;
}
