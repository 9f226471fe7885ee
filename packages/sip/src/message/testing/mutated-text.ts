import fc from 'fast-check';

export interface Mutations {
  /** Takes the place of what is cut out. */
  readonly put: fc.Arbitrary<string>;
  /** Characters that an edit cuts out, at most. */
  readonly cut: number;
  /** Characters from elsewhere in the text that an edit doubles, at most; none by default. */
  readonly copy?: number;
  readonly minEdits?: number;
}

/** Texts with up to six pieces cut out, replaced and doubled. */
export function mutatedText(
  seeds: fc.Arbitrary<string>,
  { put, cut, copy = 0, minEdits = 0 }: Mutations,
): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(), cut: fc.nat(cut), put, from: fc.nat(), copy: fc.nat(copy) });
  return fc.tuple(seeds, fc.array(edit, { minLength: minEdits, maxLength: 6 })).map(([seed, edits]) =>
    edits.reduce((text, { at, cut, put, from, copy }) => {
      const position = at % (text.length + 1);
      const begin = from % (text.length + 1);
      return text.slice(0, position) + put + text.slice(begin, begin + copy) + text.slice(position + cut);
    }, seed),
  );
}
