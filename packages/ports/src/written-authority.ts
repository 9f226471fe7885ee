/**
 * Host and port of a URL as written, for example with the default port: the Host header of a request, from which its receiver rebuilds
 * the signed text. Undefined where they are no plain authority, as with letters outside of ASCII.
 */
export function writtenAuthority(url: string): string | undefined {
  return /^https?:\/\/([a-z0-9.-]+(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)(?=[/?#]|$)/i.exec(url)?.[1];
}
