/** Writes rows under their titles, in columns; a list without rows is said to be empty. */
export function printTable<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => unknown>>,
  empty: string,
): void {
  if (rows.length === 0) {
    process.stdout.write(`${empty}\n`);
    return;
  }
  const titles = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((cell) => plain(cell(row))));
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...cells.map((line) => line[at]?.length ?? 0)),
  );
  for (const line of [titles, ...cells]) {
    const text = line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
    process.stdout.write(`${text.trimEnd()}\n`);
  }
}

/** Writes the fields of one object, one a line. */
export function printFields(fields: Readonly<Record<string, unknown>>): void {
  const shown = Object.entries(fields).filter(([name]) => name !== 'api_id' && name !== 'resource_uri');
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown) process.stdout.write(`${name.padEnd(width)}  ${plain(value)}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Callers choose their names: no name may move the cursor of a terminal. */
export function plain(value: unknown): string {
  const text =
    value === null || value === undefined
      ? ''
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys
  return text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ');
}
