import { type TUnsafe, Type } from 'typebox';

/** A boolean, or one of the words true and false in any case: clients send both, even in one body. */
export type LooseBoolean = boolean | string;
/** A whole number, or its decimal digits as text. */
export type LooseInteger = number | string;

export interface Described {
  readonly description: string;
  /** Only documented; the reader of the value applies it. */
  readonly default?: unknown;
}

export function looseBoolean(options: Described): TUnsafe<LooseBoolean> {
  return Type.Unsafe<LooseBoolean>({
    anyOf: [{ type: 'boolean' }, { type: 'string', pattern: `^(${anyCase('true')}|${anyCase('false')})$` }],
    'x-allowed': 'true or false',
    ...options,
  });
}

/** Both bounds are inclusive. */
export function looseInteger(
  options: Described & { readonly minimum: number; readonly maximum: number },
): TUnsafe<LooseInteger> {
  const { minimum, maximum, ...described } = options;
  return Type.Unsafe<LooseInteger>({
    anyOf: [
      { type: 'integer', minimum, maximum },
      // 15 digits are exact in a double.
      { type: 'string', pattern: '^-?[0-9]{1,15}$', 'x-minimum': minimum, 'x-maximum': maximum },
    ],
    'x-allowed': `a whole number from ${minimum} to ${maximum}`,
    ...described,
  });
}

/** One of `values` in any case; `readOneOf` gives it back as it is written in `values`. */
export function looseEnum<const Value extends string>(
  values: readonly Value[],
  options: Described,
): TUnsafe<Value> {
  return Type.Unsafe<Value>({
    anyOf: [
      { type: 'string', enum: [...values] },
      { type: 'string', pattern: `^(${values.map(anyCase).join('|')})$` },
    ],
    'x-allowed': values.length === 1 ? values[0] : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`,
    ...options,
  });
}

/** The boolean that was meant; undefined stays undefined. The value has passed `looseBoolean`. */
export function readBoolean(value: LooseBoolean): boolean;
export function readBoolean(value: LooseBoolean | undefined): boolean | undefined;
export function readBoolean(value: LooseBoolean | undefined): boolean | undefined {
  return typeof value === 'string' ? value.toLowerCase() === 'true' : value;
}

/** The number that was meant; undefined stays undefined. The value has passed `looseInteger`. */
export function readInteger(value: LooseInteger): number;
export function readInteger(value: LooseInteger | undefined): number | undefined;
export function readInteger(value: LooseInteger | undefined): number | undefined {
  return typeof value === 'string' ? Number(value) : value;
}

/** The member of `values` that was meant, in its own spelling; undefined stays undefined and for a stranger. */
export function readOneOf<const Value extends string>(
  values: readonly Value[],
  value: string | undefined,
): Value | undefined {
  const lower = value?.toLowerCase();
  return values.find((each) => each.toLowerCase() === lower);
}

// JSON Schema has no flag for case, so `on` is spelled `[oO][nN]`.
function anyCase(word: string): string {
  return word.replace(/[\s\S]/g, (letter) => {
    const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
    return lower === upper ? letter.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&') : `[${lower}${upper}]`;
  });
}

/** Where a request goes, and how. */
export interface RequestTarget {
  readonly url: string;
  readonly method: 'GET' | 'POST';
}

/** The request that a URL and its method name, as a client wrote them or as they are stored; null without a URL. */
export function readRequest(
  url: string,
  method: string | null | undefined,
  byDefault?: 'GET' | 'POST',
): RequestTarget;
export function readRequest(
  url: string | null | undefined,
  method: string | null | undefined,
  byDefault?: 'GET' | 'POST',
): RequestTarget | null;
export function readRequest(
  url: string | null | undefined,
  method: string | null | undefined,
  byDefault: 'GET' | 'POST' = 'POST',
): RequestTarget | null {
  if (url === null || url === undefined) return null;
  return { url, method: readOneOf(['GET', 'POST'], method ?? undefined) ?? byDefault };
}
