/** A section of an RFC that a text names; empty where the text names the RFC as a whole. */
export interface RfcReference {
  readonly rfc: number;
  readonly section: string;
}

// Another document in between takes the sections that follow it.
const TOKENS =
  /RFC[ -]?(?<rfc>[0-9]{3,4})|§ ?(?<section>[0-9]+(?:\.[0-9]+)*)|(?<other>[\w-]+\.md|\b[GEH]\.[0-9]+|\bITU)/g;

/**
 * The sections that a comment or a title names, each once and in order: `RFC 3261 §7.1, §7.2` are two. A section without an
 * RFC before it belongs to `standing`, the RFC of its package; without `standing` it is skipped.
 */
export function referencesIn(text: string, standing: number | undefined): readonly RfcReference[] {
  const found = new Map<string, RfcReference>();
  const add = (rfc: number, section: string): void => {
    found.set(`${rfc} ${section}`, { rfc, section });
  };
  let current = standing;
  let isWhole = false;
  for (const { groups } of text.matchAll(TOKENS)) {
    const { rfc, section, other } = groups!;
    if (section !== undefined) {
      if (current !== undefined) add(current, section);
      isWhole = false;
      continue;
    }
    // "RFC 2543" is the age of a peer, never the source of a rule.
    if (rfc === '2543') continue;
    if (isWhole && current !== undefined) add(current, '');
    current = other === undefined ? Number(rfc) : undefined;
    isWhole = current !== undefined;
  }
  if (isWhole && current !== undefined) add(current, '');
  return [...found.values()];
}
