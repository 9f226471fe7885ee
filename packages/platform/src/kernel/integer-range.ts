/** Both ends inclusive. */
export interface IntegerRange {
  readonly atLeast: number;
  readonly atMost: number;
}

type Query = Readonly<Record<string, unknown>>;

/**
 * Reads `<parameter>` and its relations, which the schema has checked, in both spellings (docs/interface/requests.md#lists). Undefined
 * without any of them; an end that is not given is 0, or `most`.
 */
export function readIntegerRange(query: Query, parameter: string, most: number): IntegerRange | undefined {
  const given = (...relations: readonly string[]) =>
    relations.flatMap((relation) => {
      const value = query[parameter + relation];
      return value === undefined ? [] : [Number(value)];
    });
  const least = [...given('', '__gte', '_gte'), ...given('__gt', '_gt').map((value) => value + 1)];
  const greatest = [...given('', '__lte', '_lte'), ...given('__lt', '_lt').map((value) => value - 1)];
  if (least.length === 0 && greatest.length === 0) return undefined;
  return { atLeast: Math.max(0, ...least), atMost: Math.min(most, ...greatest) };
}
