import type { Metrics, SignallingPorts } from '@jackfield/ports';
import type { Nonces } from '@jackfield/sip';
import { createAccountAdmission } from './admission/account-admission.ts';
import type { Admission } from './admission/admission.ts';
import {
  type CarrierAdmission,
  type CarrierAdmissionDeps,
  createCarrierAdmission,
} from './admission/carrier-admission.ts';
import { createDigestAdmission, type DigestAdmissionDeps } from './admission/digest-admission.ts';
import { createExternalAdmission, type ExternalCallLimits } from './admission/external-admission.ts';
import { createSandboxAdmission } from './admission/sandbox-admission.ts';
import { createSipNonces } from './admission/sip-nonces.ts';
import { createTokenAdmission } from './admission/token-admission.ts';
import { createTrunkAdmission } from './admission/trunk-admission.ts';
import type { CarrierLogin } from './carriers/carrier-accounts.ts';
import { createDefence } from './defence/defence.ts';
import { type DefenceLimits, defaultDefenceLimits } from './defence/defence-limits.ts';
import { overNodes } from './nodes/node-transports.ts';
import { createEdgeProxies } from './proxies/edge-proxies.ts';
import type { RegistrarLimits } from './registrar/registrar.ts';
import { createSipEdge, type SipEdge, type SipEdgeDeps } from './sip-edge.ts';

/** Limits for senders; limits that are left out have their defaults. */
export interface SenderLimits {
  /** Networks that are exempt from all limits per source. */
  readonly trustedSources?: readonly string[];
  /** Networks of proxies, which name the source of each request that they pass on (Via, RFC 3261 §18.2.1). */
  readonly proxies?: readonly string[];
  readonly defence?: Partial<DefenceLimits>;
  readonly external?: Partial<ExternalCallLimits>;
  readonly registrar?: RegistrarLimits;
}

export interface SignallingDeps
  extends Pick<
    SipEdgeDeps,
    | 'openTransports'
    | 'locate'
    | 'mediaLegs'
    | 'clock'
    | 'secrets'
    | 'log'
    | 'addressFor'
    | 'srtp'
    | 'webrtc'
    | 'browserCodecs'
    | 'mayReach'
    | 'audioMayReach'
  > {
  /** What the platform provides. */
  readonly ports: SignallingPorts;
  readonly metrics: Pick<Metrics, 'count'>;
  /** SIP domains, lower case; the first is the realm. */
  readonly domains: readonly [string, ...string[]];
  /** The algorithms of a challenge, in this order. */
  readonly digest: DigestAdmissionDeps['algorithms'];
  /** The operator's carriers, and separately the credentials for their challenges. */
  readonly operated: {
    readonly carriers: CarrierAdmissionDeps['carriers'];
    readonly accounts: readonly CarrierLogin[];
  };
  readonly limits?: SenderLimits;
  /** Callers are on this machine, and the sandbox has phones that call. */
  readonly isSandbox?: boolean;
}

/**
 * The signalling of one process over what the platform provides: admission, defence, and the edge that they protect. The server and the
 * simulated world differ only in the adapters that they pass in.
 */
export function createSignalling(deps: SignallingDeps): SipEdge {
  const { ports, operated, limits = {}, isSandbox = false } = deps;
  const parts = {
    ...deps,
    nonces: createSipNonces(deps.secrets, ports.nodes),
    domains: withApplications(deps.domains),
  };
  const proxies = createEdgeProxies(limits.proxies ?? []);
  const { admission, carried } = createAdmission(parts, deps.domains);
  const defence = createDefence({
    ...parts,
    trusted: limits.trustedSources ?? [],
    isTrusted: carried.knows,
    proxies,
    limits: limits.defence ?? {},
    banned: ports.bans.banned,
    ...(isSandbox ? { neverBanned: ['127.0.0.1', '::1'], failed: ports.failedLogins.failed } : {}),
  });
  const { nodes } = ports;
  const { openTransports } = deps;
  const { receives } = defence;
  const edge = createSipEdge({
    ...parts,
    ...(nodes && { nodes, openTransports: overNodes({ nodes, openTransports, receives }) }),
    admission,
    defence,
    proxies,
    registrations: ports.registrations,
    ...(limits.registrar && { registrarLimits: limits.registrar }),
    routes: ports.routes,
    isDraining: ports.isDraining,
    isFull: ports.isFull,
    ...(ports.trace && { trace: ports.trace }),
    userAgentName: 'Jackfield',
    carriers: operated.accounts,
    trunkLogin: ports.trunks.loginOf,
  });
  return {
    ...edge,
    async close() {
      await edge.close();
      carried.close();
    },
  };
}

/** docs/interface/applications.md#fields: applications have addresses below `app.`. */
function withApplications(domains: SignallingDeps['domains']): SignallingDeps['domains'] {
  const [first, ...others] = domains;
  return [first, ...others, ...domains.map((domain) => `app.${domain}`)];
}

/**
 * Decides which senders may register and call. Order: sandbox phone, carrier, access token, trunk, external caller, endpoint. A sender
 * whose account is not active is refused.
 */
function createAdmission(
  deps: SignallingDeps & { readonly nonces: Nonces },
  realms: SignallingDeps['domains'],
): { readonly admission: Admission; readonly carried: CarrierAdmission } {
  const { ports, operated, limits = {}, metrics } = deps;
  const { accounts, registrations } = ports;
  const digest = { ...deps, registrations, algorithms: deps.digest };
  const endpoints = createDigestAdmission({ ...digest, realm: realms[0] });
  const open = admitsExternal(limits)
    ? createExternalAdmission({
        ...deps,
        registrations,
        isActive: accounts.isActive,
        publicApplication: ports.publicApplications.account,
        trusted: limits.trustedSources ?? [],
        limits: limits.external ?? {},
        otherwise: endpoints,
      })
    : endpoints;
  const passwords = createTrunkAdmission({
    ...digest,
    domains: realms,
    trunks: ports.trunks,
    otherwise: open,
  });
  const tokens = createTokenAdmission({ tokens: ports.clientTokens, otherwise: passwords });
  const carried = createCarrierAdmission({
    ...deps,
    domains: realms,
    carriers: operated.carriers,
    account: ports.carrierCalls.account,
    otherwise: tokens,
  });
  const admission = createAccountAdmission({
    isActive: accounts.isActive,
    refused: () => metrics.count('jackfield_sip_inactive_account_refused_total'),
    otherwise:
      deps.isSandbox === true
        ? createSandboxAdmission({ expected: ports.sandboxCall, otherwise: carried })
        : carried,
  });
  return { admission, carried };
}

/** With a limit of 0 external calls every caller without credentials is challenged. */
function admitsExternal({ defence }: SenderLimits): boolean {
  return (defence?.externalCalls ?? defaultDefenceLimits.externalCalls) > 0;
}
