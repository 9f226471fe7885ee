/** A text as the content of an XML element (XML 1.0 §2.4); attributes need their quotes escaped as well. */
export function escapedText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
