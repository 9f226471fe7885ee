const form = /^(?:(sips?):)?(?:([^@]*)@)?([^;@]+)(?:;transport=(udp|tcp|tls))?$/i;

/**
 * The SIP URI at which an origination URI takes a call for `number` (E.164 with its +). Where it names no user the number is the
 * user; `isSecure` sends it over TLS whatever it names. Undefined for a text that is none.
 */
export function dialledUri(originationUri: string, number: string, isSecure: boolean): string | undefined {
  const parts = form.exec(originationUri);
  if (parts === null) return undefined;
  const [, scheme = 'sip', user = number, host = '', named] = parts;
  const uri = `${scheme.toLowerCase()}:${user}@${host}`;
  // A sips URI leads to TLS by itself (RFC 3261 §19.1).
  if (scheme.toLowerCase() === 'sips') return uri;
  const transport = isSecure ? 'tls' : named?.toLowerCase();
  return transport === undefined ? uri : `${uri};transport=${transport}`;
}
