import { isIP } from 'node:net';
import type { NameLookup } from '@jackfield/adapters/name-lookup';
import type { Clock } from '@jackfield/ports';
import type { SipEdgeDeps } from '@jackfield/signalling';
import { createDnsResolver, createLocator } from '@jackfield/sip/transport';
import type { Config } from './config.ts';

/** Resolves the hosts of SIP URIs through DNS (RFC 3263). Calls can go out over TLS where a certificate is configured. */
export function createLocate(
  { sip, tls }: Config,
  clock: Clock,
  lookup: NameLookup,
): NonNullable<SipEdgeDeps['locate']> {
  return createLocator({
    resolver: createDnsResolver({ lookup }),
    now: () => clock.now(),
    chance: Math.random,
    supported: tls === undefined ? ['udp', 'tcp'] : ['udp', 'tcp', 'tls'],
    families: [isIP(sip.host) === 6 ? 'AAAA' : 'A'],
  }).locate;
}
