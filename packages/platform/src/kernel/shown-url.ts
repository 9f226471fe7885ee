/** Longer ones fill a log and explain nothing. */
const longest = 200;

/**
 * A URL as events, logs and sentences show it: without user, password, query and fragment, which may hold secrets. It need not be a
 * valid one.
 */
export function withoutSecrets(url: string): string {
  const end = url.search(/[?#]/);
  const place = end === -1 ? url : url.slice(0, end);
  // What stands in front of the last @ of the authority is user and password.
  const bare = place.replace(/^([a-z][a-z0-9+.-]*:)?(\/\/)[^/\\]*@/i, '$1$2');
  const plain = bare.replace(/[^\x21-\x7e]+/g, '_');
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}
