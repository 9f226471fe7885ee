import type { Binding, Registrations, Secrets } from '@jackfield/ports';
import { paramOf, parseSipUri } from '@jackfield/sip';
import { isOurs } from '../parties/domains.ts';

/** Globally routable URIs of single phones (RFC 5627). */
export interface Gruus {
  /**
   * Contact parameters with both URIs of an instance such as `<urn:uuid:…>` that registers by this Call-ID: the public one, and a new
   * temporary one each time.
   */
  parametersOf(user: string, instance: string, callId: string): string;
  /** Whether a URI claims to name a single phone of the domain: then no other phone may answer it (RFC 5627 §6.1). */
  isGruu(uri: string): boolean;
  /**
   * The public URI, of our first domain, for a GRUU; undefined for an invalid or expired one. A temporary GRUU is valid while its phone is
   * registered by the Call-ID by which it was given (§5.1, §5.3).
   */
  resolve(uri: string): Promise<string | undefined>;
}

/** Prefix of the user part of temporary GRUUs; no endpoint's name can contain it. */
const temporary = 'tgruu.';

/** They go into records unchanged, so their length has the registrar's limit, and no character may end a URI or be unprintable. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes them
const userForm = /^[^\x00-\x20\x7f;?@<>"]{1,255}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes them
const urnForm = /^[^\x00-\x20\x7f;?<>"]{1,240}$/;

/** URIs of phones of these registrations; without registrations no temporary one is valid. */
export function createGruus(
  secrets: Pick<Secrets, 'encrypt' | 'decrypt' | 'digest'>,
  domains: readonly [string, ...string[]],
  registrations?: Pick<Registrations, 'credentialOf' | 'bindingsOf'>,
): Gruus {
  const [domain] = domains;
  const publicOf = (user: string, urn: string): string => `sip:${user}@${domain};gr=${urn}`;
  /** A Call-ID has any length and content; the digest bounds both. */
  const markOf = (callId: string): string => secrets.digest('sha256', callId).slice(0, 32);

  function opened(token: string): readonly [user: string, urn: string, mark: string] | undefined {
    try {
      const [user, urn, mark, ...more] = secrets
        .decrypt(Buffer.from(token, 'base64url').toString('base64'))
        .split(' ');
      return user && urn && mark && more.length === 0 ? [user, urn, mark] : undefined;
    } catch {
      return undefined;
    }
  }

  async function temporaryOne(token: string): Promise<string | undefined> {
    const [user, urn, mark] = opened(token) ?? [];
    if (user === undefined || urn === undefined) return undefined;
    const credential = await registrations?.credentialOf(user);
    if (credential === undefined) return undefined;
    const bindings = (await registrations?.bindingsOf(credential.endpoint)) ?? [];
    const isGood = callIdsOf(bindings, `<${urn}>`).some((callId) => markOf(callId) === mark);
    return isGood ? publicOf(user, urn) : undefined;
  }

  return {
    parametersOf(user, instance, callId) {
      const urn = instance.slice(1, -1);
      const sealed = secrets.encrypt(`${user} ${urn} ${markOf(callId)}`);
      const token = Buffer.from(sealed, 'base64').toString('base64url');
      return `;pub-gruu="${publicOf(user, urn)}";temp-gruu="sip:${temporary}${token}@${domain};gr"`;
    },
    isGruu(text) {
      const uri = parseSipUri(text);
      return uri !== undefined && paramOf(uri.params, 'gr') !== undefined && isOurs(uri.host, domains);
    },
    async resolve(text) {
      const uri = parseSipUri(text);
      const urn = uri && paramOf(uri.params, 'gr');
      if (uri?.user === undefined || urn === undefined) return undefined;
      if (uri.user.startsWith(temporary)) return temporaryOne(uri.user.slice(temporary.length));
      return userForm.test(uri.user) && urnForm.test(urn) ? publicOf(uri.user, urn) : undefined;
    },
  };
}

/**
 * The Call-IDs by which a phone is registered: one for each of its flows, and that of its last refreshed contact without a flow; older
 * contacts without a flow are abandoned.
 */
function callIdsOf(bindings: readonly Binding[], instance: string): string[] {
  const own = bindings.filter((binding) => binding.instance === instance);
  const flows = own.filter(({ regId }) => regId !== undefined);
  const [latest] = own
    .filter(({ regId }) => regId === undefined)
    .sort((one, other) => (other.refreshedAt ?? 0) - (one.refreshedAt ?? 0));
  return [...flows, ...(latest === undefined ? [] : [latest])].map(({ callId }) => callId);
}
