const longest = 200;

/** A URL as it may stand in a sentence: without user, password, query and fragment, which hold secrets. */
export function shownUrl(url: string): string {
  const end = url.search(/[?#]/);
  const place = end === -1 ? url : url.slice(0, end);
  // Whatever stands in front of the last @ of the authority is user and password.
  const bare = place.replace(/^([a-z][a-z0-9+.-]*:)?(\/\/)[^/\\]*@/i, '$1$2');
  const plain = bare.replace(/[^\x21-\x7e]+/g, '_');
  const shown = plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
  return url[end] === '?' ? `${shown}?…` : shown;
}
