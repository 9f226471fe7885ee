import { isIP } from 'node:net';

export interface NamedServer {
  readonly sip: { readonly domains: readonly string[] };
  readonly publicUrl: string;
  readonly tls?: { readonly isHttps: boolean };
}

/** The host of a URL, an IPv6 address without its brackets. */
export function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** The hosts that the certificate has to name: the SIP domains, and that of the public URL unless a proxy has its certificate. */
export function namesInUse({ sip, publicUrl, tls }: NamedServer): readonly string[] {
  const hosts = [...sip.domains, ...(tls?.isHttps === false ? [] : [hostOf(publicUrl)])];
  return [...new Set(hosts.map((name) => name.toLowerCase()))];
}

/** Names for which an authority can issue a certificate: those in use without addresses and names of this machine. */
export function certificateNames(server: NamedServer): readonly string[] {
  return namesInUse(server).filter((name) => isIP(name) === 0 && !/(^|\.)localhost$/.test(name));
}
