/** A body that an operation accepts as it stands, but for identifiers: those are of `exampleIds`. */
export interface RequestExample {
  readonly summary: string;
  readonly value: Readonly<Record<string, unknown>>;
}
