import { isIP } from 'node:net';
import type { CarrierAccount } from '@jackfield/platform';
import type { Clock, Logger, MediaLegs, Metrics, Secrets, SignallingDoors } from '@jackfield/ports';
import {
  type CarrierAdmission,
  type CarrierAdmissionDeps,
  createDefence,
  createSipEdge,
  createSipNonces,
  type SipEdge,
  type SipEdgeDeps,
} from '@jackfield/signalling';
import { createDnsResolver, createLocator } from '@jackfield/sip/transport';
import { createAdmission } from './admission.ts';
import type { Config } from './config.ts';

export interface ServerSignallingDeps
  extends Pick<SipEdgeDeps, 'openTransports' | 'mayReach' | 'audioMayReach'> {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly secrets: Secrets;
  readonly mediaLegs: MediaLegs;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly doors: SignallingDoors;
  readonly domains: readonly [string, ...string[]];
  /** `domains`, and the domains of applications below them. */
  readonly served: readonly [string, ...string[]];
  readonly operated: {
    readonly carriers: CarrierAdmissionDeps['carriers'];
    readonly accounts: readonly CarrierAccount[];
  };
  /** A certificate is configured, so that calls can go out over TLS. */
  readonly isPrivate: boolean;
}

export interface ServerSignalling {
  readonly edge: SipEdge;
  /** Looks up the addresses of carriers; its owner closes it. */
  readonly admission: Pick<CarrierAdmission, 'close'>;
}

/** The signalling of a server on top of the platform: admission, defence, and the edge that they protect. */
export function createServerSignalling(deps: ServerSignallingDeps): ServerSignalling {
  const { config, clock, secrets, doors, operated } = deps;
  const nonces = createSipNonces(secrets);
  const { admission, carried } = createAdmission({
    ...deps,
    nonces,
    carriers: operated.carriers,
    refusedInactive: () => deps.metrics.count('jackfield_sip_inactive_account_refused_total'),
  });
  const defence = createDefence({
    clock,
    nonces,
    trusted: config.limits?.trustedSources ?? [],
    isTrusted: carried.knows,
    limits: config.limits?.defence ?? {},
    banned: doors.bans.banned,
    // The user of the sandbox is on this machine.
    ...(config.sandbox ? { neverBanned: ['127.0.0.1', '::1'], failed: doors.failedLogins.failed } : {}),
  });
  const edge = createSipEdge({
    clock,
    secrets,
    log: deps.log,
    mediaLegs: deps.mediaLegs,
    openTransports: deps.openTransports,
    locate: createLocator({
      resolver: createDnsResolver(),
      now: () => clock.now(),
      chance: Math.random,
      supported: deps.isPrivate ? ['udp', 'tcp', 'tls'] : ['udp', 'tcp'],
      families: [isIP(config.sip.host) === 6 ? 'AAAA' : 'A'],
    }).locate,
    admission,
    defence,
    registrations: doors.registrations,
    routes: doors.routes,
    domains: deps.served,
    publicAddress: config.publicAddress,
    userAgentName: 'Jackfield',
    srtp: config.sip.srtp,
    carriers: operated.accounts,
    trunkLogin: doors.trunks.loginOf,
    // Origination URIs come from customers: the same networks are closed as for their URLs.
    ...(deps.mayReach === undefined ? {} : { mayReach: deps.mayReach }),
    ...(deps.audioMayReach === undefined ? {} : { audioMayReach: deps.audioMayReach }),
  });
  return { edge, admission: carried };
}
