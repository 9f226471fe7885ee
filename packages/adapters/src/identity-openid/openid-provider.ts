import type { IdentifiedPerson, IdentityProvider, LoginSecrets } from '@jackfield/ports';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
} from 'openid-client';
import { groupsOf, nameOf } from './read-claims.ts';

export interface OpenIdOptions {
  /** The issuer identifier, whose discovery document names everything else. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where the browser returns; registered at the provider. */
  readonly redirectUrl: string;
  /** Separated by spaces, `openid` among them. */
  readonly scope: string;
  /** The claim whose values decide about the role. */
  readonly groupsClaim: string;
}

/** A provider that does not answer must not hold the browser for longer. */
const timeoutSeconds = 10;

/** An OpenID Connect provider, by the authorization code flow with PKCE (RFC 7636). Nothing is requested before the first login. */
export function createOpenIdProvider(options: OpenIdOptions): IdentityProvider {
  const { issuer, clientId, clientSecret, redirectUrl, scope, groupsClaim } = options;
  const server = new URL(issuer);
  let discovered: Promise<Configuration> | undefined;

  /** Kept once it is found. A failure is not kept: the provider may be back at the next login. */
  function configuration(): Promise<Configuration> {
    if (discovered !== undefined) return discovered;
    const found = discovery(server, clientId, undefined, ClientSecretBasic(clientSecret), {
      timeout: timeoutSeconds,
      // The configuration of the server allows http: only to this machine.
      ...(server.protocol === 'http:' ? { execute: [allowInsecureRequests] } : {}),
    });
    discovered = found;
    found.catch(() => {
      if (discovered === found) discovered = undefined;
    });
    return found;
  }

  return {
    host: server.host,

    async loginUrl({ state, nonce, codeVerifier }) {
      const url = buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUrl,
        response_type: 'code',
        scope,
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    },

    async identify(query, secrets) {
      const found = await configuration();
      // From the configured URL, not from headers of the request: the provider compares it with the URL of the login.
      const tokens = await authorizationCodeGrant(
        found,
        new URL(`${redirectUrl}?${query}`),
        checksOf(secrets),
      );
      const claims = tokens.claims();
      if (claims === undefined) throw new Error('The answer of the identity provider has no ID token.');
      const isComplete =
        claims[groupsClaim] !== undefined || found.serverMetadata().userinfo_endpoint === undefined;
      if (isComplete) return personOf(claims, groupsClaim);
      // OpenID Connect Core 1.0 §5.4: with an access token, claims of scopes come from this endpoint.
      const more = await fetchUserInfo(found, tokens.access_token, claims.sub);
      return personOf({ ...claims, ...more }, groupsClaim);
    },
  };
}

function checksOf({ state, nonce, codeVerifier }: LoginSecrets) {
  return {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  };
}

function personOf(claims: Readonly<Record<string, unknown>>, groupsClaim: string): IdentifiedPerson {
  return { name: nameOf(claims), groups: groupsOf(claims[groupsClaim]) };
}
