type Highlight = (text: string, language: string, attributes: string) => string;

/** The part of markdown-it that is used. */
export interface Highlighting {
  readonly options: { highlight?: Highlight | null | undefined };
}

/** VitePress renders each page for its two builds and for the index of each: a block of code is coloured once for all of them. */
export function highlightOnce({ options }: Highlighting): void {
  const { highlight } = options;
  if (!highlight) return;
  const coloured = new Map<string, string>();
  options.highlight = (...block) => {
    const key = JSON.stringify(block);
    const known = coloured.get(key) ?? highlight(...block);
    coloured.set(key, known);
    return known;
  };
}
