const form = /^(?:(sips?):)?(?:([^@]*)@)?([^;@]+)(?:;transport=(udp|tcp|tls))?$/i;

/**
 * The SIP URI of an origination URI for a call to `number` (E.164 with its +). Without a user, the number is the user; `isSecure`
 * selects TLS, whatever transport it names. Undefined for any other text.
 */
export function dialledUri(originationUri: string, number: string, isSecure: boolean): string | undefined {
  const parts = form.exec(originationUri);
  if (parts === null) return undefined;
  const [, scheme = 'sip', user = number, host = '', named] = parts;
  const uri = `${scheme.toLowerCase()}:${user}@${host}`;
  // A sips URI implies TLS (RFC 3261 §19.1).
  if (scheme.toLowerCase() === 'sips') return uri;
  const transport = isSecure ? 'tls' : named?.toLowerCase();
  return transport === undefined ? uri : `${uri};transport=${transport}`;
}
