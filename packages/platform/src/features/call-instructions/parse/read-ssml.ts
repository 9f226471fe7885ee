import { documentLimits } from './read-document.ts';
import { createReading } from './reading.ts';
import { readSpoken, type SpokenContent } from './spoken-markup.ts';
import { readXml } from './xml-tree.ts';

export type ReadSsml =
  | { readonly ok: true; readonly spoken: SpokenContent; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly sentence: string };

/** Reads a text with markup, as inside of a <Speak>; its root <speak> may be left out. Never throws; the cost is linear in the text. */
export function readSsml(text: string, language: string): ReadSsml {
  const withoutDeclaration = text.replace(/^\s*<\?xml\s[^>]*\?>/, '');
  const xml = readXml(new TextEncoder().encode(`<speak>${withoutDeclaration}</speak>`), documentLimits);
  if (!xml.ok) return xml;
  const reading = createReading();
  const spoken = readSpoken(xml.root, reading, language);
  const { fault, warnings } = reading;
  return fault === undefined ? { ok: true, spoken, warnings } : { ok: false, sentence: fault.sentence };
}
