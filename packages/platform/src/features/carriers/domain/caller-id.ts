import type { CallerIdRule } from './carrier.ts';

/** The caller id for the callee; undefined for a caller who may not call through the carrier. */
export function callerIdFor(rule: CallerIdRule, from: string): string | undefined {
  if (rule.rule === 'keep') return from;
  if (rule.rule === 'replace') return rule.number;
  const digits = /^\+?([1-9][0-9]{6,14})$/.exec(from)?.[1];
  const isAllowed = digits !== undefined && rule.prefixes.some((prefix) => digits.startsWith(prefix));
  return isAllowed ? from : rule.number;
}

interface ShownCaller {
  readonly from: string;
  readonly name: string;
  /** The caller id by the rule. */
  readonly caller: string;
}

/** Fewer digits are no phone number, so a name may have them. */
const fewestDigits = 7;

/** The display name for the callee, which phones show in place of the caller id; empty where it shows a number that the rule forbids. */
export function callerNameFor(rule: CallerIdRule, { from, name, caller }: ShownCaller): string {
  if (rule.rule === 'keep') return name;
  const text = name.normalize('NFKC');
  const isNumber = /\p{Nd}/u.test(text) && !/\p{L}/u.test(text);
  if (isNumber) return digitsOf(text) === digitsOf(caller) ? name : '';
  if (caller === from) return name;
  const replaced = digitsOf(from);
  const showsReplaced = replaced.length >= fewestDigits && digitsOf(text).includes(replaced);
  return name === from || showsReplaced ? '' : name;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}
