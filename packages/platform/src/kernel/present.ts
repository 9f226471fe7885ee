type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** An update names only the columns that change. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Present<Fields>;
}
