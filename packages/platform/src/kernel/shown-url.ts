/** A longer URL fills a log and explains nothing. */
const longest = 200;

/**
 * A URL as events, logs and sentences show it: without user, password, query and fragment, which may hold secrets. It need not be
 * valid.
 */
export function withoutSecrets(url: string): string {
  const end = url.search(/[?#]/);
  const withoutQuery = end === -1 ? url : url.slice(0, end);
  // User and password stand in front of the last @ of the authority.
  const bare = withoutQuery.replace(/^([a-z][a-z0-9+.-]*:)?(\/\/)[^/\\]*@/i, '$1$2');
  const plain = bare.replace(/[^\x21-\x7e]+/g, '_');
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}
