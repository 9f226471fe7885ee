/** As links name them: lower case, words with hyphens between, and the anchors that a page sets itself. */
export function headingsOf(text: string): ReadonlySet<string> {
  const lines = text.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^#+ +(.*)$/gm);
  const slugs = [...lines].map((match) => slugOf(match[1]!));
  const anchors = [...text.matchAll(/<a id="([^"]+)">/g)].map((match) => match[1]!);
  return new Set([...slugs, ...anchors]);
}

/** The anchor of a heading; the site has the same. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
