/** SIP URI of a user at a host (IPv6 in brackets), or of the host itself; UDP is the default and is not named (RFC 3263 §4.1). */
export function sipUriAt(
  {
    host,
    port,
    transport,
  }: {
    readonly host: string;
    readonly port?: number | undefined;
    readonly transport?: 'udp' | 'tcp' | 'tls';
  },
  user?: string,
): string {
  const at = port === undefined ? host : `${host}:${port}`;
  const to = user === undefined ? at : `${user}@${at}`;
  return transport === undefined || transport === 'udp' ? `sip:${to}` : `sip:${to};transport=${transport}`;
}
