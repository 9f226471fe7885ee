import type { Secrets } from '@jackfield/platform';
import { paramOf, parseSipUri } from '@jackfield/sip';
import { isOurs } from './domains.ts';

/** Globally routable URIs of single phones (RFC 5627). */
export interface Gruus {
  /** Contact parameters with both URIs of an instance such as `<urn:uuid:…>`: the public one, and another temporary one each time. */
  parametersOf(user: string, instance: string): string;
  /**
   * What a Request-URI means that is one of them: the public one, of our first domain; undefined for every other URI, and a temporary one
   * that was not made here or holds what no name of ours does. A temporary one is good for as long as its phone is registered.
   */
  resolve(requestUri: string): string | undefined;
}

/** Begins the user part of temporary ones, which no endpoint's name can hold. */
const temporary = 'tgruu.';

/** They go into records as they are, so neither is longer than the registrar takes, nor holds what would end a URI or is no text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is kept out
const userForm = /^[^\x00-\x20\x7f;?@<>"]{1,255}$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is kept out
const urnForm = /^[^\x00-\x20\x7f;?<>"]{1,240}$/;

export function createGruus(
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>,
  domains: readonly [string, ...string[]],
): Gruus {
  const [domain] = domains;
  const publicOf = (user: string, urn: string): string => `sip:${user}@${domain};gr=${urn}`;

  function opened(token: string): string | undefined {
    try {
      const [user, urn, ...more] = secrets
        .decrypt(Buffer.from(token, 'base64url').toString('base64'))
        .split(' ');
      return user && urn && more.length === 0 ? publicOf(user, urn) : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    parametersOf(user, instance) {
      const urn = instance.slice(1, -1);
      const token = Buffer.from(secrets.encrypt(`${user} ${urn}`), 'base64').toString('base64url');
      return `;pub-gruu="${publicOf(user, urn)}";temp-gruu="sip:${temporary}${token}@${domain};gr"`;
    },
    resolve(requestUri) {
      const uri = parseSipUri(requestUri);
      const urn = uri && paramOf(uri.params, 'gr');
      if (uri?.user === undefined || urn === undefined || !isOurs(uri.host, domains)) return undefined;
      if (uri.user.startsWith(temporary)) return opened(uri.user.slice(temporary.length));
      return userForm.test(uri.user) && urnForm.test(urn) ? publicOf(uri.user, urn) : undefined;
    },
  };
}
