import {
  type Clock,
  networksOf,
  type Promised,
  type Registrations,
  type Secrets,
  sourceOf,
} from '@jackfield/ports';
import {
  decodeUtf8,
  hostOfAddress,
  paramOf,
  parseSipUri,
  type SipRequest,
  type SipUri,
} from '@jackfield/sip';
import { SourceRate } from '../defence/source-rate.ts';
import { calleeMeantBy, readable } from '../parties/parties.ts';
import { createGruus } from '../registrar/gruus.ts';
import type { Admission, Admitted, Refused } from './admission.ts';

/** Limits for calls of callers without credentials; `CallLimits` bounds how many are in progress. */
export interface ExternalCallLimits {
  /** Calls per minute from one source, 10; an idle source may send all 10 at once. */
  readonly callsPerMinute: number;
  /** Most remembered sources, 100,000; the oldest is forgotten first. */
  readonly maxRemembered: number;
}

/** The default limits. */
export const defaultExternalCallLimits: ExternalCallLimits = { callsPerMinute: 10, maxRemembered: 100_000 };

export interface ExternalAdmissionDeps {
  readonly registrations: Pick<Registrations, 'credentialOf' | 'bindingsOf'>;
  /** False for an account that is disabled or deleted: its callees get the answer of unknown callees. */
  readonly isActive: (account: string) => Promised<boolean>;
  /** The account of the application with this app_id if it has `public_uri` and answers calls; undefined for every other. */
  readonly publicApplication: (applicationId: string) => Promise<string | undefined>;
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt' | 'digest'>;
  readonly clock: Clock;
  /** SIP domains of this server, lower case, those of applications included. */
  readonly domains: readonly [string, ...string[]];
  /** Networks exempt from the limits per source. */
  readonly trusted?: readonly string[];
  readonly limits?: Partial<ExternalCallLimits>;
  /** Decides about every other request. */
  readonly otherwise: Admission;
}

/** Phones do not truncate URIs up to this length, and no caller needs a longer one. */
const longestCaller = 255;

/**
 * Admits calls of external parties, who have no credentials, to the `sip_uri` of an endpoint with a registered phone and of a
 * public application. Every other request gets the same answer as without it: an unknown callee, an endpoint without a phone
 * and a source beyond its rate are all challenged.
 */
export function createExternalAdmission(deps: ExternalAdmissionDeps): Admission {
  const { registrations, clock, domains, otherwise } = deps;
  const { callsPerMinute, maxRemembered } = { ...defaultExternalCallLimits, ...deps.limits };
  const isTrusted = networksOf(deps.trusted ?? []);
  const gruus = createGruus(deps.secrets, domains, registrations);
  const rate = new SourceRate({
    perSecond: callsPerMinute / 60,
    burst: callsPerMinute,
    maxKeys: maxRemembered,
  });

  /** The account of a user with a registered phone; both lookups run for every user. */
  async function accountOfPhone(user: string, instance: string | undefined): Promise<string | undefined> {
    const credential = await registrations.credentialOf(user);
    const bindings = await registrations.bindingsOf(credential?.endpoint ?? '');
    const isThere = bindings.some((each) => instance === undefined || each.instance === `<${instance}>`);
    return isThere ? credential?.account : undefined;
  }

  async function accountOf(request: SipRequest): Promise<string | undefined> {
    const callee = await calleeMeantBy(request.uri, { domains, gruus });
    if (callee === undefined) return undefined;
    const uri = parseSipUri(callee);
    const user = decodeUtf8(uri?.user ?? callee);
    const account =
      (await accountOfPhone(user, uri && paramOf(uri.params, 'gr'))) ?? (await deps.publicApplication(user));
    return account !== undefined && (await deps.isActive(account)) ? account : undefined;
  }

  async function admitForeign(
    caller: SipUri,
    ...sent: Parameters<Admission['admit']>
  ): Promise<Admitted | Refused> {
    const [request, source] = sent;
    const account = await accountOf(request);
    if (account === undefined) return otherwise.admit(...sent);
    // A registered phone may write its own address into From: the user identifies the caller, and the password is required.
    const isKnown = (await registrations.credentialOf(decodeUtf8(caller.user ?? ''))) !== undefined;
    const mayCall = !isKnown && (isTrusted(source) || rate.take(sourceOf(source), clock.now()));
    if (!mayCall) return otherwise.admit(...sent);
    return { ok: true, account, endpoint: '', user: '', external: textOf(caller) };
  }

  return {
    admit(request, source, flow) {
      const caller = isPlainCall(request) ? foreignCaller(request, domains) : undefined;
      if (caller === undefined) return otherwise.admit(request, source, flow);
      return admitForeign(caller, request, source, flow);
    },
  };
}

/** An INVITE without credentials that replaces no other call (RFC 3891 §3 asks for authorization). */
function isPlainCall({ method, headers }: SipRequest): boolean {
  const shown = ['Authorization', 'Proxy-Authorization', 'Replaces', 'Join'];
  return method === 'INVITE' && !shown.some((name) => headers.has(name));
}

/** The caller in From, where its host is not one of our domains; undefined for every other From. */
function foreignCaller({ headers }: SipRequest, domains: readonly string[]): SipUri | undefined {
  const uri = parseSipUri(headers.address('From')?.uri ?? '');
  if (uri === undefined) return undefined;
  const isOurs = domains.some((domain) => uri.host === domain || uri.host.endsWith(`.${domain}`));
  return isOurs ? undefined : uri;
}

/** The URI without its parameters: the address for a call back, as the caller states it. */
function textOf({ user, host, port }: SipUri): string {
  const at = hostOfAddress(host) + (port === undefined ? '' : `:${port}`);
  return readable(`sip:${user ?? 'anonymous'}@${at}`).slice(0, longestCaller);
}
