import fc from 'fast-check';

export interface Mutations<Piece> {
  /** Takes the place of what is cut out. */
  readonly put: fc.Arbitrary<Piece>;
  /** Characters or bytes that an edit cuts out, at most. */
  readonly cut: number;
  /** Characters or bytes from elsewhere that an edit doubles, at most; none by default. */
  readonly copy?: number;
  readonly minEdits?: number;
  /** Six by default. */
  readonly maxEdits?: number;
}

/** Texts with a few pieces cut out, replaced and doubled. */
export function mutatedText(
  seeds: fc.Arbitrary<string>,
  { put, cut, copy = 0, minEdits = 0, maxEdits = 6 }: Mutations<string>,
): fc.Arbitrary<string> {
  const edit = fc.record({ at: fc.nat(), cut: fc.nat(cut), put, from: fc.nat(), copy: fc.nat(copy) });
  const edits = fc.array(edit, { minLength: minEdits, maxLength: maxEdits });
  return fc.tuple(seeds, edits).map(([seed, edited]) =>
    edited.reduce((text, { at, cut, put, from, copy }) => {
      const position = at % (text.length + 1);
      const begin = from % (text.length + 1);
      return text.slice(0, position) + put + text.slice(begin, begin + copy) + text.slice(position + cut);
    }, seed),
  );
}

/** The same with bytes, such as datagrams. */
export function mutatedBytes(
  seeds: fc.Arbitrary<Uint8Array>,
  mutations: Mutations<Uint8Array>,
): fc.Arbitrary<Uint8Array> {
  const put = mutations.put.map(textOf);
  return mutatedText(seeds.map(textOf), { ...mutations, put }).map((text) =>
    Uint8Array.from(text, (character) => character.charCodeAt(0)),
  );
}

/** One character for each byte. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}
