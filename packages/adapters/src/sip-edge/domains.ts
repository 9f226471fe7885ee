const addressLiteral = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\]|localhost)$/i;

/** Whether a host of a URI is ours: one of `domains` (lower case), or an address literal, which names the machine itself. */
export function isOurs(host: string, domains: readonly string[]): boolean {
  return domains.includes(host) || addressLiteral.test(host);
}
