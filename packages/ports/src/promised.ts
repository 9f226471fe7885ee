/** A value that is there, or comes later. Each `await` costs turns of the microtasks, even for a value that is there. */
export type Promised<Value> = Value | Promise<Value>;

/** Continues at once with a value that is there. */
export function whenThere<Value, Result>(
  value: Promised<Value>,
  next: (value: Value) => Promised<Result>,
): Promised<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
